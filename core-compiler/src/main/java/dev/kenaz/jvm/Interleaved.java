package dev.kenaz.jvm;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * The stores of a vector loop to all elements of short rows, one store for each element:
 *
 * <pre>
 *   a[3 i] = x; a[3 i + 1] = y; a[3 i + 2] = z
 * </pre>
 *
 * <p>They are done together, where the last of them is. So nothing in between may read what one of
 * them has stored before.
 */
final class Interleaved {
  /** Rows of at most so many elements. */
  static final int MOST = 4;

  /**
   * The stores of a row.
   *
   * @param first the index of the row's first element
   * @param stores in the order of the elements
   * @param last that which comes last in the code
   */
  record Row(Expr first, List<Code.Store> stores, Code.Store last) {}

  private final Map<Code.Store, Row> rows = new IdentityHashMap<>();

  /** Returns the row that the store belongs to; null if it is a store by itself. */
  Row row(Code.Store store) {
    return rows.get(store);
  }

  /** An index without a constant that is added to it, and that constant. */
  private record Place(Expr rest, long constant) {
    static Place of(Expr index) {
      if (index instanceof Expr.Bin(var op, var x, var y) && op == BinaryOp.ADD) {
        var a = of(x);
        var b = of(y);
        long sum = a.constant + b.constant;
        return a.rest == null
            ? new Place(b.rest, sum)
            : new Place(b.rest == null ? a.rest : Expr.add(a.rest, b.rest), sum);
      }
      return index instanceof Expr.Lit(var n) ? new Place(null, n.bits()) : new Place(index, 0);
    }
  }

  /** Whether elements of the type at such indices are loaded and stored with their neighbours. */
  static boolean fits(Prim prim, Shape index) {
    return Vectors.supports(prim)
        && index instanceof Shape.Affine(var step)
        && step > 1
        && step <= MOST;
  }

  /**
   * Finds rows.
   *
   * @param body straight-line code
   * @param stores those at a stride, all in the body, with their strides
   * @param set the registers that the loop sets
   * @param inlined gives an index in terms of what is set outside
   * @return false if some stores make no row
   */
  boolean find(
      List<Code> body, Map<Code.Store, Long> stores, Set<Reg> set, UnaryOperator<Expr> inlined) {
    rows.clear();
    var places = new IdentityHashMap<Code.Store, Place>();
    for (var s : stores.keySet()) {
      var index = inlined.apply(s.index());
      var place = Place.of(index);
      if (place.rest == null || Operands.reads(index, set)) {
        return false;
      }
      places.put(s, place);
    }
    for (var s : stores.keySet()) {
      if (!rows.containsKey(s)) {
        var row = row(s, stores.get(s).intValue(), places);
        if (row.isEmpty() || !add(body, row, set, inlined)) {
          return false;
        }
      }
    }
    return true;
  }

  /**
   * Returns the stores of this one's row in the order of the elements; none if some are missing.
   */
  private static List<Code.Store> row(Code.Store one, int stride, Map<Code.Store, Place> places) {
    var all =
        places.keySet().stream()
            .filter(s -> sameArray(s, one) && places.get(s).rest.equals(places.get(one).rest))
            .sorted(Comparator.comparingLong(s -> places.get(s).constant))
            .toList();
    long first = places.get(all.getFirst()).constant;
    boolean whole =
        all.size() == stride
            && IntStream.range(0, stride)
                .allMatch(k -> places.get(all.get(k)).constant == first + k);
    return whole ? all : List.of();
  }

  private static boolean sameArray(Code.Store a, Code.Store b) {
    return a.prim() == b.prim() && a.base().equals(b.base());
  }

  private boolean add(
      List<Code> body, List<Code.Store> row, Set<Reg> set, UnaryOperator<Expr> inlined) {
    var base = row.getFirst().base();
    if (!isOutside(base, set)) {
      return false;
    }
    var done = new ArrayList<Code.Store>();
    for (var c : body) {
      if (row.stream().anyMatch(s -> s == c)) {
        done.add((Code.Store) c);
        if (done.size() == row.size()) {
          var whole = new Row(row.getFirst().index(), row, (Code.Store) c);
          row.forEach(s -> rows.put(s, whole));
          return true;
        }
      } else if (!done.isEmpty() && !harmless(c, base, set)) {
        return false;
      }
      if (!done.isEmpty() && !loads(c, base, done, set, inlined)) {
        return false;
      }
    }
    return false;
  }

  /** Whether the statement may come between the stores of a row. */
  private static boolean harmless(Code c, Expr base, Set<Reg> set) {
    return switch (c) {
      case Code.Set _ -> true;
      case Code.Store s -> !s.base().equals(base) && isOutside(s.base(), set);
      default -> false;
    };
  }

  private static boolean isOutside(Expr base, Set<Reg> set) {
    return base instanceof Expr.Use(var b) && !set.contains(b);
  }

  /**
   * Whether the statement reads other arrays only, or elements of the row that are stored later.
   */
  private static boolean loads(
      Code c, Expr base, List<Code.Store> done, Set<Reg> set, UnaryOperator<Expr> inlined) {
    var fine = new boolean[] {true};
    CodeWalk.code(
        List.of(c),
        _ -> {},
        e -> {
          if (e instanceof Expr.Load(_, var from, var index)) {
            fine[0] &= from.equals(base) ? apart(index, done, set, inlined) : isOutside(from, set);
          }
        });
    return fine[0];
  }

  private static boolean apart(
      Expr index, List<Code.Store> done, Set<Reg> set, UnaryOperator<Expr> inlined) {
    var whole = inlined.apply(index);
    var here = Place.of(whole);
    return here.rest != null
        && !Operands.reads(whole, set)
        && done.stream()
            .map(s -> Place.of(inlined.apply(s.index())))
            .allMatch(p -> here.rest.equals(p.rest) && p.constant != here.constant);
  }
}
