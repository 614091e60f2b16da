package dev.kenaz.distribute;

import dev.kenaz.analysis.Affine;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Finds which rows a loop reads and writes of the arrays of rows that it carries: those of numbers
 * near that of the iteration, such as {@code t} and {@code t - 1}, or {@code n - 1 - t} and {@code
 * n - t}.
 */
final class NearRows implements Rewriter {
  private static final int MOST = 32;

  /**
   * The rows that an iteration reads or writes. They are counted in the order in which iterations
   * are over with them: the first one is needed by no later iteration.
   *
   * @param first the number of the first one, in the first iteration
   * @param slope by how much the numbers grow in each iteration: 1 or -1
   * @param count how many there are
   */
  record Near(Affine first, int slope, int count) {
    /** Returns which of them a row is, whose number in the first iteration is given. */
    int place(Affine number) {
      return (int) (slope * (number.constant() - first.constant()));
    }
  }

  private final Labeller labeller;
  private final For form;
  private final Map<Var, Exp> definitions = new HashMap<>();
  private final Set<Var> inside = new HashSet<>();

  /** What the loop carries, for each variable that is bound to a version of it. */
  private final Map<Atom, Var> carried = new HashMap<>();

  private final Map<Var, Set<Affine>> numbers = new LinkedHashMap<>();

  /** What is used in another way. */
  private final Set<Var> otherwise = new HashSet<>();

  /** How many functions and loops there are around what is visited. */
  private int depth;

  /**
   * @param rows the arrays of rows that the loop carries
   */
  NearRows(Labeller labeller, Loop loop, List<Var> rows) {
    this.labeller = labeller;
    this.form = (For) loop.form();
    inside.add(form.i());
    loop.params().forEach(p -> inside.add(p.var()));
    for (var v : rows) {
      carried.put(v, v);
      numbers.put(v, new HashSet<>());
    }
    loop.body().stms().forEach(this::stm);
    var results = loop.body().results();
    for (int i = 0; i < results.size(); i++) {
      var v = loop.params().get(i).var();
      if (!rows.contains(v)) {
        atom(results.get(i));
      } else if (!v.equals(carried.get(results.get(i)))) {
        otherwise.add(v);
      }
    }
  }

  /** Returns what the loop reads and writes of an array that it carries, if it does so this way. */
  Optional<Near> of(Var rows) {
    var all = numbers.get(rows);
    if (otherwise.contains(rows) || all.isEmpty()) {
      return Optional.empty();
    }
    var some = all.iterator().next();
    long slope = some.factor(form.i());
    var low = all.stream().mapToLong(Affine::constant).min().getAsLong();
    var high = all.stream().mapToLong(Affine::constant).max().getAsLong();
    boolean near =
        Math.abs(slope) == 1
            && high - low >= 0
            && high - low < MOST
            && all.stream().allMatch(f -> f.terms().equals(some.terms()))
            && some.terms().keySet().stream()
                .allMatch(v -> v.equals(form.i()) || !inside.contains(v));
    if (!near) {
      return Optional.empty();
    }
    var start = some.with(form.i(), Affine.ZERO).plus((slope > 0 ? low : high) - some.constant());
    return Optional.of(new Near(start, (int) slope, (int) (high - low) + 1));
  }

  /** Returns the array that the loop carries, of which this is a version; null if it is none. */
  Var carried(Atom version) {
    return carried.get(version);
  }

  /** Returns the number of a row as a form of what doesn't change, for the first iteration. */
  Affine atFirst(Atom number) {
    return form(number).with(form.i(), Affine.ZERO);
  }

  private Affine form(Atom x) {
    if (x instanceof Const(var c)) {
      return Affine.of(c.asLong());
    }
    var v = (Var) x;
    try {
      return switch (definitions.containsKey(v) ? definitions.get(v) : labeller.definition(v)) {
        case Alias(var y) -> form(y);
        case Binary(var op, var y, var z) when op == BinaryOp.ADD -> form(y).plus(form(z));
        case Binary(var op, var y, var z) when op == BinaryOp.SUB -> form(y).minus(form(z));
        case null, default -> Affine.of(v);
      };
    } catch (ArithmeticException _) {
      return Affine.of(v);
    }
  }

  @Override
  public List<Stm> stm(Stm stm) {
    if (stm.pattern().size() == 1 && stm.var().type().equals(Type.I64)) {
      definitions.put(stm.var(), stm.exp());
    }
    stm.pattern().forEach(this::binder);
    switch (stm.exp()) {
      case Index(var array, var is, _) when carried.containsKey(array) -> {
        row(array, is.getFirst());
        is.forEach(this::atom);
      }
      case Slice(var array, var dims, _)
          when carried.containsKey(array) && dims.getFirst() instanceof DimSlice.Fix(var i) -> {
        row(array, i);
        dims.forEach(this::dim);
      }
      case Update(var array, var dims, var value, _)
          when carried.containsKey(array)
              && depth == 0
              && dims.getFirst() instanceof DimSlice.Fix(var i) -> {
        row(array, i);
        dims.forEach(this::dim);
        atom(value);
        carried.put(stm.var(), carried.get(array));
      }
      case If branch when depth == 0 -> branch(stm, branch);
      default -> exp(stm.exp());
    }
    return List.of(stm);
  }

  private void branch(Stm stm, If branch) {
    atom(branch.condition());
    branch.then().stms().forEach(this::stm);
    branch.otherwise().stms().forEach(this::stm);
    for (int k = 0; k < stm.pattern().size(); k++) {
      var then = branch.then().results().get(k);
      var not = branch.otherwise().results().get(k);
      if (carried.containsKey(then) && carried.get(then).equals(carried.get(not))) {
        carried.put(stm.pattern().get(k), carried.get(then));
      } else {
        atom(then);
        atom(not);
      }
    }
  }

  private void row(Var array, Atom number) {
    numbers.get(carried.get(array)).add(form(number));
  }

  @Override
  public Var binder(Var v) {
    inside.add(v);
    return v;
  }

  @Override
  public Lambda lambda(Lambda lambda) {
    depth++;
    Rewriter.super.lambda(lambda);
    depth--;
    return lambda;
  }

  @Override
  public Exp loop(Loop loop) {
    depth++;
    Rewriter.super.loop(loop);
    depth--;
    return loop;
  }

  @Override
  public Body body(Body body) {
    body.stms().forEach(this::stm);
    body.results().forEach(this::atom);
    return body;
  }

  @Override
  public Atom atom(Atom x) {
    if (carried.containsKey(x)) {
      otherwise.add(carried.get(x));
    }
    return x;
  }
}
