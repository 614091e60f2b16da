package dev.kenaz.distribute;

import dev.kenaz.analysis.Aliases;
import dev.kenaz.analysis.BackwardSlice;
import dev.kenaz.analysis.Effects;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Does without matrices that have an element for each pair of rows, {@code let m = map (\x -> map
 * (f x) ys) xs}: where their rows or elements are used, they are computed, so that no machine needs
 * memory for all pairs. {@link Pairs} then divides what is left. A matrix that is used in several
 * places is computed in each of them.
 *
 * <p>Of an array that the function of a row makes, and of which it reads elements by number, only
 * those are computed.
 *
 * <p>What isn't known how to do without stays as it is: a matrix that is a result, that a loop
 * carries, or that is made from arrays which are overwritten.
 */
final class PairMatrices implements Rewriter {
  /**
   * How often scopes are looked at, as to do without one matrix may bring another one about, and
   * how many times the code may become longer: each use of a matrix repeats what computes it.
   */
  private static final int MOST = 8;

  private final Set<Var> rows;
  private final int mostCode;
  private boolean changed;

  /** How many functions of rows are around. */
  private int ofRow;

  private PairMatrices(Set<Var> rows, int mostCode) {
    this.rows = rows;
    this.mostCode = mostCode;
  }

  /**
   * Returns the function without such matrices; nothing if it has none.
   *
   * @param rows the numbers of rows of the datasets
   */
  static Optional<FunDef> without(FunDef function, Set<Var> rows) {
    var all = new HashSet<>(rows);
    numbersOfRows(function.body(), all);
    var body = function.body();
    int most = MOST * Effects.size(body);
    for (int i = 0; i < MOST; i++) {
      var matrices = new PairMatrices(all, most);
      body = matrices.body(body);
      if (!matrices.changed) {
        break;
      }
    }
    return body == function.body()
        ? Optional.empty()
        : Optional.of(
            new FunDef(
                function.name(),
                function.params(),
                function.returns(),
                function.returnSizes(),
                body));
  }

  /** Adds the sizes that grow with those which are there. */
  private static void numbersOfRows(Body body, Set<Var> all) {
    new Rewriter() {
      @Override
      public List<Stm> stm(Stm stm) {
        if (stm.exp() instanceof Filter f && all.contains(f.width())
            || stm.exp() instanceof Binary(var op, var x, var y)
                && stm.var().type().equals(Type.I64)
                && (all.contains(x) || op == BinaryOp.ADD && all.contains(y))
                && (op == BinaryOp.ADD || op == BinaryOp.SUB)) {
          all.add(stm.pattern().getFirst());
        }
        return Rewriter.super.stm(stm);
      }
    }.body(body);
  }

  @Override
  public Exp exp(Exp exp) {
    int more = exp instanceof Screma s && rows.contains(s.width()) ? 1 : 0;
    ofRow += more;
    var inner = Rewriter.super.exp(exp);
    ofRow -= more;
    return inner;
  }

  @Override
  public Body body(Body body) {
    var current = Rewriter.super.body(body);
    for (int k = 0; k < current.stms().size(); ) {
      var without = without(current, k);
      changed |= without.isPresent();
      k += without.isPresent() ? 0 : 1;
      current = without.orElse(current);
    }
    return current;
  }

  /** Returns the scope without one of the matrices that a statement makes. */
  private Optional<Body> without(Body body, int k) {
    var stm = body.stms().get(k);
    var made = new Builder(stm.span());
    var map = map(made, stm);
    if (map.isEmpty()) {
      return Optional.empty();
    }
    for (int i = 0; i < stm.pattern().size(); i++) {
      var v = stm.pattern().get(i);
      boolean matrix = isLarge(v.type().dims().subList(1, v.type().dims().size()));
      if ((matrix || ofRow > 0 && isRead(body, v)) && !overwritten(body, map.get())) {
        var use = new Uses(PairMatrix.of(map.get(), i), v);
        try {
          var rest = body.stms().subList(k + 1, body.stms().size());
          var after = use.outside(new Body(rest, body.results()));
          var stms = new ArrayList<>(body.stms().subList(0, k));
          stms.addAll(made.stms());
          others(stm, map.get(), i).ifPresent(stms::add);
          stms.addAll(after.stms());
          var all = new Body(stms, after.results());
          if (Effects.size(all) <= mostCode) {
            return Optional.of(all);
          }
        } catch (PairMatrix.Unknown _) {
          // another one, perhaps
        }
      }
    }
    return Optional.empty();
  }

  /** Whether statements of a scope read elements by number. */
  private static boolean isRead(Body body, Var v) {
    return body.stms().stream().anyMatch(s -> s.exp() instanceof Index(var x, _, _) && x.equals(v));
  }

  private boolean isLarge(List<Atom> dims) {
    return dims.stream().anyMatch(rows::contains);
  }

  /** Returns a statement that makes rows of something as a map. */
  private Optional<Screma> map(Builder b, Stm stm) {
    return switch (stm.exp()) {
      case Replicate(var shape, var x)
          when rows.contains(shape.getFirst())
              && isLarge(stm.var().type().dims().subList(1, stm.var().type().dims().size())) -> {
        var rest = shape.subList(1, shape.size());
        var row =
            b.lambda(
                List.of(Type.I64), (in, _) -> List.of(rest.isEmpty() ? x : in.replicate(rest, x)));
        var numbers = List.of(b.iota(shape.getFirst()));
        yield Optional.of(new Screma(shape.getFirst(), numbers, List.of(), List.of(), row));
      }
      case Screma s
          when rows.contains(s.width())
              && s.scans().isEmpty()
              && s.reduces().isEmpty()
              && s.inputs().stream().noneMatch(v -> v.type() instanceof Type.Acc) ->
          Optional.of(s);
      default -> Optional.empty();
    };
  }

  private static boolean overwritten(Body body, Screma s) {
    var aliases = Aliases.of(body);
    return FreeVars.of(s).stream().anyMatch(v -> v.type().isArray() && aliases.isConsumed(v));
  }

  /** Returns the statement without one of its results. */
  private static Optional<Stm> others(Stm stm, Screma s, int without) {
    if (stm.pattern().size() == 1) {
      return Optional.empty();
    }
    var results = Lists.without(s.map().body().results(), without);
    var stms = BackwardSlice.withEffects(s.map().body().stms(), results).stms();
    var map =
        new Lambda(
            s.map().params(), new Body(stms, results), Lists.without(s.map().returns(), without));
    return Optional.of(
        stm.with(
            Lists.without(stm.pattern(), without),
            new Screma(s.width(), s.inputs(), s.scans(), s.reduces(), map)));
  }

  /** Replaces the uses of a matrix by code that computes what is used. */
  private static final class Uses implements Rewriter {
    private final PairMatrix matrix;
    private final Set<Var> names = new HashSet<>();

    /** For arrays with the same elements in one dimension: those with two. */
    private final Map<Var, Var> flat = new HashMap<>();

    private final Set<Var> ownFlat = new HashSet<>();
    private int depth = -1;
    private boolean computed;

    Uses(PairMatrix matrix, Var name) {
      this.matrix = matrix;
      names.add(name);
    }

    /** Returns the rest of the scope of the matrix. */
    Body outside(Body body) {
      var rest = body(body);
      if (matrix.isObservable() && !computed) {
        throw new PairMatrix.Unknown();
      }
      return rest;
    }

    @Override
    public Body body(Body body) {
      depth++;
      var inner = Rewriter.super.body(body);
      depth--;
      return inner;
    }

    @Override
    public Atom atom(Atom atom) {
      if (atom instanceof Var v && (names.contains(v) || ownFlat.contains(v))) {
        throw new PairMatrix.Unknown();
      }
      return atom;
    }

    @Override
    public List<Stm> stm(Stm stm) {
      var b = new Builder(stm.span());
      switch (stm.exp()) {
        case Alias(var x) when names.contains(x) -> names.add(stm.var());
        case Rearrange(var perm, var x) when names.contains(x) -> {
          if (perm.get(0) != 1 || perm.get(1) != 0) {
            throw new PairMatrix.Unknown();
          }
          for (int i = 2; i < perm.size(); i++) {
            if (perm.get(i) != i) {
              throw new PairMatrix.Unknown();
            }
          }
          matrix.transposed(b, stm);
        }
        case Reshape(var shape, var x)
            when shape.size() == x.type().dims().size() - 1 && shape.size() == 1 -> {
          flat.put(stm.var(), x);
          if (!names.contains(x)) {
            return List.of(stm);
          }
          ownFlat.add(stm.var());
        }
        case Screma s when s.inputs().stream().anyMatch(ownFlat::contains) -> elements(b, stm, s);
        case Screma s
            when s.width().equals(matrix.width())
                && s.inputs().stream().anyMatch(names::contains) -> {
          computed |= depth == 0;
          again(matrix.into(s, names), stm, b);
        }
        case Index(var x, var is, var checked) when names.contains(x) -> {
          if (checked) {
            OwnRow.check(b, is, matrix.dims());
          }
          matrix.read(b, stm, is);
        }
        default -> {
          return Rewriter.super.stm(stm);
        }
      }
      return b.stms();
    }

    /** The function may use the matrix, too. */
    private void again(Screma s, Stm stm, Builder b) {
      Rewriter.super.stm(stm.with(s)).forEach(b::add);
    }

    private void elements(Builder b, Stm stm, Screma s) {
      var dims = matrix.dims();
      var others = new ArrayList<Var>();
      for (var v : s.inputs()) {
        var of = flat.get(v);
        if (of == null || !of.type().dims().equals(dims)) {
          throw new PairMatrix.Unknown();
        }
        others.add(of);
      }
      if (!s.scans().isEmpty() || s.reduceWidth() % stm.pattern().size() != 0) {
        throw new PairMatrix.Unknown();
      }
      computed |= depth == 0;
      if (s.reduces().isEmpty() && s.map().returns().size() == stm.pattern().size()) {
        matrix.mapped(b, stm, s, others, names);
      } else {
        matrix.reduced(b, stm, s, others, names);
      }
    }
  }
}
