package dev.kenaz.fuse;

import dev.kenaz.analysis.Aliases;
import dev.kenaz.analysis.BackwardSlice;
import dev.kenaz.analysis.Effects;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.ir.Views;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;

/**
 * Computes only those rows of an array that are read, if a map makes it at some expense and another
 * map reads fewer rows:
 *
 * <pre>
 *   let ys = map f xs in map (\i -> g ys[h i]) (iota n)
 *     is  let few = n &lt; length xs
 *         let xs = if few then map (\i -> xs[h i]) (iota n) else xs
 *         let ys = map f xs
 *         in map (\i -> g ys[if few then i else h i]) (iota n)
 * </pre>
 *
 * <p>Such are points of a surface that some measurements are compared with. It runs before
 * derivatives are taken, so that tangents and adjoints, too, are those of the rows that are read.
 * Both sides of the choice share all code but that of the inputs, whose copies are small beside
 * what is computed of them.
 *
 * <p>Only what can't fail is computed for fewer rows, and outside of operators only: the choice is
 * made once. Derivatives with respect to the inputs would be added up by rows, so there it is left.
 */
final class WantedRows implements CodeRewriter {
  /** A map that reads more rows in a step is left as it is. */
  private static final int MOST_READS = 8;

  /**
   * If this much is done for each element of the inputs, their copies are small beside it, and it
   * pays to leave out a quarter of the rows; else if it is an eighth that is left.
   */
  private static final long INTENSE = 8;

  /** What derivatives are taken of: variables that depend on a differentiated function's own. */
  private final Set<Var> active = new HashSet<>();

  /** What makes a variable. */
  private final Map<Var, Exp> made = new HashMap<>();

  private WantedRows() {}

  static CoreProgram run(CoreProgram program) {
    return new WantedRows().program(program);
  }

  @Override
  public List<Stm> stm(Stm stm) {
    stm.pattern().forEach(v -> made.put(v, stm.exp()));
    return stm.exp() instanceof Soac ? List.of(stm) : CodeRewriter.super.stm(stm);
  }

  @Override
  public Exp exp(Exp exp) {
    switch (exp) {
      case Jvp(var f, _, _, _) -> active.addAll(Varying.in(f));
      case Vjp(var f, _, _, _) -> active.addAll(Varying.in(f));
      case WithVjp(var f, _, _, _) -> active.addAll(Varying.in(f));
      default -> {}
    }
    return CodeRewriter.super.exp(exp);
  }

  @Override
  public Body body(Body body) {
    var now = CodeRewriter.super.body(body);
    for (int k = now.stms().size() - 1; k >= 0; k--) {
      var stm = now.stms().get(k);
      if (isExpensive(stm)
          && ((Screma) stm.exp())
              .inputs().stream().noneMatch(x -> active.contains(x) || isFused(x))) {
        now = Wanted.of(now, stm).filter(this::isNext).map(Wanted::apply).orElse(now);
      }
    }
    return now;
  }

  /**
   * Whether nothing that can fail may be fused with the map that reads: it would come after the
   * checks of rows.
   */
  private boolean isNext(Wanted wanted) {
    return wanted.reader().inputs().stream().allMatch(this::isSafelyMade);
  }

  private boolean isSafelyMade(Var array) {
    return !(source(array) instanceof Screma s)
        || Wanted.isSafe(s) && s.inputs().stream().allMatch(this::isSafelyMade);
  }

  /** Whether an array will be computed where it is read, so that it is nowhere to copy it from. */
  private boolean isFused(Var array) {
    var source = source(array);
    return source instanceof Screma || source instanceof Iota || source instanceof Replicate;
  }

  /** Returns what makes the array of which this is a view; null if it is a parameter. */
  private Exp source(Var array) {
    return switch (made.get(array)) {
      case null -> null;
      case Index x -> x; // of an array that is in memory
      case Exp x -> Views.operand(x).map(a -> a instanceof Var v ? source(v) : x).orElse(x);
    };
  }

  private static boolean isExpensive(Stm s) {
    return s.exp() instanceof Screma m
        && m.isMap()
        && s.attrs().isEmpty()
        && m.inputs().stream().allMatch(v -> v.type().isArray())
        && Effects.total(m.map().body())
        && m.map().body().stms().stream().anyMatch(WorkEstimate::isOfSums);
  }

  /**
   * An array of which some rows are wanted.
   *
   * @param made the statement that makes it, and perhaps others side by side
   * @param read the only one that reads it
   * @param rows which rows a step of that reads, and their numbers among these
   * @param needed what of a step tells which rows these are
   */
  private record Wanted(
      Body body, Stm made, Stm read, SequencedMap<Var, Integer> rows, List<Stm> needed) {

    static Optional<Wanted> of(Body body, Stm made) {
      var readers =
          body.stms().stream()
              .filter(s -> made.pattern().stream().anyMatch(FreeVars.of(s)::contains))
              .toList();
      return readers.size() == 1 ? of(body, made, readers.getFirst()) : Optional.empty();
    }

    private static Optional<Wanted> of(Body body, Stm made, Stm read) {
      if (!(read.exp() instanceof Screma t)) {
        return Optional.empty();
      }
      var stms = t.map().body().stms();
      var rows = new LinkedHashMap<Var, Integer>();
      int reads = 0;
      for (var s : stms) {
        var row = row(s, made);
        if (row.isPresent()) {
          rows.putIfAbsent(row.get(), rows.size());
          reads++;
        }
      }
      if (rows.isEmpty() || rows.size() > MOST_READS) {
        return Optional.empty();
      }
      var needed = BackwardSlice.of(stms, rows.keySet());
      return made.pattern().stream().noneMatch(needed.used()::contains)
              && failsByRows(t, made, needed.stms())
              && isOnlyRead(body, made, reads)
          ? Optional.of(new Wanted(body, made, read, rows, needed.stms()))
          : Optional.empty();
    }

    /** Whether nothing but so many reads uses what is made, and nothing overwrites its inputs. */
    private static boolean isOnlyRead(Body body, Stm made, int reads) {
      var uses = Uses.in(body);
      var aliases = Aliases.of(body);
      return made.pattern().stream().mapToInt(uses::of).sum() == reads
          && made.pattern().stream().noneMatch(aliases::isConsumed)
          && FreeVars.of(made).stream().noneMatch(aliases::isConsumed);
    }

    /**
     * Returns which row of the array a statement reads, if it reads one. Whether an element of a
     * row is there, it must not have to check.
     */
    private static Optional<Var> row(Stm s, Stm made) {
      return s.exp() instanceof Index x
              && made.pattern().contains(x.array())
              && (!x.checked() || x.array().type().dims().size() == 1)
              && x.indices().getFirst() instanceof Var i
          ? Optional.of(i)
          : Optional.empty();
    }

    private static boolean isChecked(Stm read) {
      return ((Index) read.exp()).checked();
    }

    /**
     * Whether a step of the map that reads can fail only by an index of what is needed, or by that
     * of a row: all steps do that before the first one goes on. What is needed is done twice.
     */
    private static boolean failsByRows(Screma t, Stm made, List<Stm> needed) {
      return t.map().body().stms().stream()
              .allMatch(
                  s ->
                      needed.contains(s)
                          ? s.exp() instanceof Index || Effects.total(s.exp())
                          : row(s, made).isPresent() || isSafe(s.exp()))
          && Effects.bodies(t).filter(b -> b != t.map().body()).allMatch(Wanted::isSafe);
    }

    /** Whether it can't fail. */
    private static boolean isSafe(Exp exp) {
      return switch (exp) {
        case If _, Loop _, Screma _ -> Effects.bodies(exp).allMatch(Wanted::isSafe);
        case Update u -> !u.checked();
        case Copy _, Scratch _ -> true;
        default -> Effects.total(exp);
      };
    }

    private static boolean isSafe(Body body) {
      return body.stms().stream().allMatch(s -> isSafe(s.exp()));
    }

    private Screma maker() {
      return (Screma) made.exp();
    }

    private Screma reader() {
      return (Screma) read.exp();
    }

    Body apply() {
      var stms = new ArrayList<Stm>();
      for (var s : body.stms()) {
        if (s == read) {
          stms.addAll(instead());
        } else if (s != made) {
          stms.add(s);
        }
      }
      return new Body(stms, body.results());
    }

    private List<Stm> instead() {
      var b = new Builder(made.span());
      var n = reader().width();
      var all = maker().width();
      var count = Atom.i64(rows.size());
      var eighth = b.binary(BinaryOp.QUOT, all, Atom.i64(8));
      var most =
          WorkEstimate.isIntense(maker(), INTENSE) ? b.sub(all, b.add(eighth, eighth)) : eighth;
      var few = b.compare(CompareOp.LE, n, b.binary(BinaryOp.QUOT, most, count));
      var width = b.choose(few, b.mul(n, count), all);
      var types =
          maker().inputs().stream().map(x -> Builder.rowType(x.type()).under(width)).toList();
      var inputs = b.ifThenElse(few, types, in -> gathered(in, width), in -> whole(in, width));
      var some = b.map(width, inputs, (in, x) -> in.call(maker().map(), x));
      b.at(read.span()).add(read.with(reading(b, few, some)));
      return b.stms();
    }

    /** Returns the inputs at the rows that are read. */
    private List<Var> gathered(Builder b, Atom width) {
      var inputs = reader().inputs().stream().filter(v -> v.type().isArray()).toList();
      var all = b.iota(maker().width());
      var steps = b.map(reader().width(), inputs, (in, x) -> List.of(step(in, x, all)));
      var which = b.bind("which", new Reshape(List.of(width), steps.getFirst()));
      return b.map(
          width,
          List.of(which),
          (in, i) -> maker().inputs().stream().map(x -> in.index(x, i.getFirst())).toList());
    }

    /**
     * Returns which rows a step reads.
     *
     * @param inputs what the step gets of the arrays
     * @param all the numbers of all rows
     */
    private Atom step(Builder b, List<Var> inputs, Var all) {
      var names = new HashMap<Var, Atom>();
      int k = 0;
      for (var p : reader().map().params()) {
        if (!(p.type() instanceof Type.Acc)) {
          names.put(p, inputs.get(k++));
        }
      }
      var there = new ArrayList<Atom>(rows.keySet());
      var stms = new ArrayList<Stm>();
      for (var s : reader().map().body().stms()) {
        if (needed.contains(s)) {
          stms.add(s);
        } else if (row(s, made).isPresent() && isChecked(s)) {
          var i = row(s, made).get();
          var found = Names.like(i);
          stms.add(new Stm(List.of(found), new Index(all, List.of(i), true), List.of(), s.span()));
          there.set(rows.get(i), found);
        }
      }
      var read = b.inline(new Renaming(names).body(new Body(stms, there)));
      return read.size() == 1 ? read.getFirst() : b.bind("rows", new ArrayLit(read, Type.I64));
    }

    /** Returns all of the inputs, which have that width if all rows are computed. */
    private List<Var> whole(Builder b, Atom width) {
      return maker().inputs().stream()
          .map(x -> b.bind(x.name(), new Reshape(Builder.rowType(x.type()).under(width).dims(), x)))
          .toList();
    }

    /** Returns the map that reads, now the rows that are there. */
    private Exp reading(Builder b, Atom few, List<Var> some) {
      var t = reader();
      var all = b.iota(maker().width());
      var step = Names.fresh("step", Type.I64);
      var stms = new ArrayList<Stm>();
      var places = new HashMap<Var, Atom>();
      for (var s : t.map().body().stms()) {
        var row = row(s, made);
        if (row.isEmpty()) {
          stms.add(s);
          continue;
        }
        var i = row.get();
        var in = new Builder(s.span());
        var x = (Index) s.exp();
        // The row may matter for nothing else, but it has to be there.
        var there = x.checked() ? in.bind("i", new Index(all, List.of(i), true)) : i;
        var place =
            places.computeIfAbsent(i, _ -> in.choose(few, place(in, step, rows.get(i)), there));
        stms.addAll(in.stms());
        var indices = Lists.concat(List.of(place), x.indices().subList(1, x.indices().size()));
        var array = some.get(made.pattern().indexOf(x.array()));
        stms.add(s.with(new Index(array, indices, false)));
      }
      var f = t.map();
      var params = Lists.concat(List.of(step), f.params());
      var inputs = Lists.concat(List.of(b.iota(t.width())), t.inputs());
      var body = new Body(stms, f.body().results());
      return new Screma(
          t.width(), inputs, t.scans(), t.reduces(), new Lambda(params, body, f.returns()));
    }

    private Atom place(Builder b, Var step, int number) {
      return b.add(b.mul(step, Atom.i64(rows.size())), Atom.i64(number));
    }
  }
}
