package dev.kenaz.fuse;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp.Alias;
import dev.kenaz.ir.Exp.ArrayLit;
import dev.kenaz.ir.Exp.Index;
import dev.kenaz.ir.Exp.Reduce;
import dev.kenaz.ir.Exp.Reshape;
import dev.kenaz.ir.Exp.Scan;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Turns operators on small arrays of constant size into operators on tuples of their elements,
 * which are reduced and scanned in registers, in one pass:
 *
 * <pre>
 *   scan (\(a: [2]t) b -> f a b) [e, e'] xs
 *     is  map2 (\x y -> [x, y])
 *              (scan (\(a, a') (b, b') -> let r = f [a, a'] [b, b'] in (r[0], r[1])) (e, e')
 *                    (map (\x -> (x[0], x[1])) xs))
 * </pre>
 *
 * Products of matrices of, for instance, 3 by 3 are treated so. Operators that are nests of maps
 * have changed places with them before.
 */
final class SmallRows implements CodeRewriter {
  /**
   * An operand has at most this many elements, as a thread has some operands in registers at once.
   */
  private static final long MOST = 32;

  private boolean changed;

  private SmallRows() {}

  /** Returns the program itself if there is nothing to do. */
  static CoreProgram run(CoreProgram program) {
    var rows = new SmallRows();
    var result = rows.program(program);
    return rows.changed ? result : program;
  }

  @Override
  public List<Stm> stm(Stm stm) {
    var inner = CodeRewriter.super.stm(stm).getFirst();
    if (!(inner.exp() instanceof Screma s) || !OperatorFission.any(s, SmallRows::small)) {
      return List.of(inner);
    }
    changed = true;
    boolean alone = s.scans().size() + s.reduces().size() == 1 && !OperatorFission.several(s);
    if (alone && s.map().returns().size() == s.scanWidth() + s.reduceWidth()) {
      return unpacked(inner, s);
    }
    var split = OperatorFission.of(inner, s, SmallRows::small);
    var stms = new ArrayList<>(split.rest());
    for (var part : split.parts()) {
      var own = part.stm(inner, s.width());
      stms.addAll(unpacked(own, (Screma) own.exp()));
    }
    return stms;
  }

  private static boolean small(Lambda op) {
    if (!OperatorFission.ofArrays(op)) {
      return false;
    }
    long elements = 0;
    for (var t : op.returns()) {
      long n = 1;
      for (var d : t.dims()) {
        if (!(d instanceof Const(var c))) {
          return false;
        }
        n *= Math.min(c.asLong(), MOST + 1);
      }
      elements += n;
    }
    return elements <= MOST;
  }

  private static List<Stm> unpacked(Stm stm, Screma s) {
    boolean scan = s.reduces().isEmpty();
    var op = scan ? s.scans().getFirst().op() : s.reduces().getFirst().op();
    var neutral = scan ? s.scans().getFirst().neutral() : s.reduces().getFirst().neutral();
    var types = op.returns();
    var b = new Builder(stm.span());
    var scalars = types.stream().flatMap(SmallRows::scalars).toList();
    var twice = Lists.concat(scalars, scalars);
    var onScalars =
        b.lambda(
            twice,
            (c, p) -> {
              var arguments = packed(c, types, p.subList(0, scalars.size()));
              arguments.addAll(packed(c, types, p.subList(scalars.size(), twice.size())));
              return elements(c, c.call(op, arguments));
            });
    var map = b.lambdaOf(s.map().params(), (c, _) -> elements(c, c.inline(s.map().body())));
    var start = elements(b, neutral);
    b.with(stm.attrs());
    var results =
        scan
            ? b.screma(s.width(), s.inputs(), List.of(new Scan(onScalars, start)), List.of(), map)
            : b.screma(
                s.width(),
                s.inputs(),
                List.of(),
                List.of(new Reduce(onScalars, start, s.reduces().getFirst().commutative())),
                map);
    List<? extends Atom> rows =
        scan ? b.map(s.width(), results, (c, p) -> packed(c, types, p)) : packed(b, types, results);
    for (int k = 0; k < rows.size(); k++) {
      b.bindAll(List.of(stm.pattern().get(k)), new Alias(rows.get(k)));
    }
    return b.stms();
  }

  private static Stream<Type> scalars(Type type) {
    Type scalar = Type.scalar(type.elemPrim());
    return Stream.<Type>generate(() -> scalar).limit(count(type));
  }

  private static long count(Type type) {
    return type.dims().stream()
        .mapToLong(d -> ((Const) d).value().asLong())
        .reduce(1, (x, y) -> x * y);
  }

  /** Returns the elements of the arrays, one after the other, and scalars as they are. */
  private static List<Atom> elements(Builder b, List<? extends Atom> values) {
    var all = new ArrayList<Atom>();
    for (var v : values) {
      if (v.type().isScalar()) {
        all.add(v);
      } else {
        elements(b, (Var) v, List.of(), all);
      }
    }
    return all;
  }

  private static void elements(Builder b, Var array, List<Atom> at, List<Atom> into) {
    var dims = array.type().dims();
    if (at.size() == dims.size()) {
      into.add(b.bind("e", new Index(array, at, false)));
      return;
    }
    long n = ((Const) dims.get(at.size())).value().asLong();
    for (long k = 0; k < n; k++) {
      var next = Lists.with(at, Atom.i64(k));
      elements(b, array, next, into);
    }
  }

  /** Makes arrays of these types, and scalars, of their elements. */
  private static List<Atom> packed(Builder b, List<Type> types, List<? extends Atom> elements) {
    var all = new ArrayList<Atom>();
    int at = 0;
    for (var t : types) {
      int n = (int) count(t);
      var mine = List.<Atom>copyOf(elements.subList(at, at + n));
      at += n;
      if (t.isScalar()) {
        all.add(mine.getFirst());
      } else {
        var flat = b.bind("packed", new ArrayLit(mine, Type.scalar(t.elemPrim())));
        all.add(t.dims().size() == 1 ? flat : b.bind("packed", new Reshape(t.dims(), flat)));
      }
    }
    return all;
  }
}
