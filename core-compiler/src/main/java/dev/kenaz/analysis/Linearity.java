package dev.kenaz.analysis;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Decides how values depend on a number t: not at all, or as a multiple of it. Constants and
 * multiples of t are closed under the rules here, which follow the derivative's own: {@code x(t)}
 * is a multiple if {@code x(t) = t x(1)}. What no rule accounts for is neither.
 */
public final class Linearity {
  /** How a value depends on t. Zero is both a constant and a multiple of t. */
  public enum Degree {
    ZERO,
    CONSTANT,
    LINEAR,
    OTHER;

    /** The degree of a sum, and of a value that is one or the other. */
    Degree or(Degree x) {
      return this == ZERO || this == x ? x : x == ZERO ? this : OTHER;
    }

    Degree times(Degree x) {
      if (this == OTHER || x == OTHER || this == LINEAR && x == LINEAR) {
        return OTHER;
      }
      return this == ZERO || x == ZERO ? ZERO : this == LINEAR || x == LINEAR ? LINEAR : CONSTANT;
    }

    boolean isConstant() {
      return this == ZERO || this == CONSTANT;
    }
  }

  /** What isn't here doesn't depend on t. */
  private final Map<Var, Degree> degrees = new HashMap<>();

  private Linearity() {}

  /** Returns the degrees of a function's results, given those of its parameters. */
  public static List<Degree> of(FunDef function, List<Degree> params) {
    var linearity = new Linearity();
    linearity.put(function.params(), params);
    return linearity.body(function.body());
  }

  private void put(List<Var> vars, List<Degree> all) {
    for (int i = 0; i < vars.size(); i++) {
      degrees.put(vars.get(i), all.get(i));
    }
  }

  private Degree of(Atom x) {
    return x instanceof Var v
        ? degrees.getOrDefault(v, Degree.CONSTANT)
        : x.isConst(0) ? Degree.ZERO : Degree.CONSTANT;
  }

  private List<Degree> of(List<? extends Atom> all) {
    return all.stream().map(this::of).toList();
  }

  private Degree any(List<? extends Atom> all) {
    return all.stream().map(this::of).reduce(Degree.ZERO, Degree::or);
  }

  private List<Degree> body(Body body) {
    body.stms().forEach(this::stm);
    return of(body.results());
  }

  private List<Degree> lambda(Lambda lambda, List<Degree> arguments) {
    put(lambda.params(), arguments);
    return body(lambda.body());
  }

  private void stm(Stm stm) {
    put(stm.pattern(), results(stm.exp(), stm.pattern().size()));
  }

  private List<Degree> results(Exp exp, int count) {
    return switch (exp) {
      case Screma e -> screma(e);
      case Hist e -> hist(e);
      case Scatter e -> scatter(e);
      case WithAcc e -> withAcc(e);
      case Loop e -> loop(e, count);
      case If(var condition, var then, var otherwise) -> {
        var first = body(then);
        var second = body(otherwise);
        yield of(condition).isConstant() ? or(first, second) : others(count);
      }
      default -> Collections.nCopies(count, simple(exp));
    };
  }

  private Degree simple(Exp exp) {
    return switch (exp) {
      case Alias(var x) -> of(x);
      case Trace(_, var x) -> of(x);
      case Unary(var op, var x) when op == UnaryOp.NEG -> of(x);
      case Binary(var op, var x, var y) when op == BinaryOp.ADD || op == BinaryOp.SUB ->
          of(x).or(of(y));
      case Binary(var op, var x, var y) when op == BinaryOp.MUL -> of(x).times(of(y));
      case Binary(var op, var x, var y)
          when op == BinaryOp.DIV && x.type().elemPrim().isFloat() && of(y).isConstant() ->
          of(x);
      case Fma(var x, var y, var z) -> of(x).times(of(y)).or(of(z));
      case Convert(var to, var x) when to.isFloat() && x.type().elemPrim().isFloat() -> of(x);
      case Index(var array, var indices, _) -> where(indices, of(array));
      case Slice(var array, _, _) -> where(free(exp, List.of(array)), of(array));
      case Update(var array, _, var value, _) ->
          where(free(exp, List.of(array, value)), of(array).or(of(value)));
      case Replicate(var shape, var value) -> where(shape, of(value));
      case Scratch(_, var shape) -> where(shape, Degree.ZERO);
      case ArrayLit(var elems, _) -> any(elems);
      case Concat(_, var arrays, var size) -> where(List.of(size), any(arrays));
      case Rearrange(_, var array) -> of(array);
      case Reshape(var shape, var array) -> where(shape, of(array));
      case Copy(var array) -> of(array);
      case UpdateAcc(var acc, var indices, var values) -> where(indices, of(acc).or(any(values)));
      default -> where(free(exp, List.of()), Degree.CONSTANT);
    };
  }

  private static List<Var> free(Exp exp, List<? extends Atom> but) {
    return FreeVars.of(exp).stream().filter(v -> !but.contains(v)).toList();
  }

  /** Returns the degree if the others are constants. */
  private Degree where(List<? extends Atom> others, Degree degree) {
    return others.stream().allMatch(x -> of(x).isConstant()) ? degree : Degree.OTHER;
  }

  private static List<Degree> others(int count) {
    return Collections.nCopies(count, Degree.OTHER);
  }

  private static List<Degree> or(List<Degree> x, List<Degree> y) {
    var all = new ArrayList<Degree>();
    for (int i = 0; i < x.size(); i++) {
      all.add(x.get(i).or(y.get(i)));
    }
    return all;
  }

  private List<Degree> screma(Screma e) {
    var rows = lambda(e.map(), of(e.inputs()));
    if (!of(e.width()).isConstant()) {
      return others(rows.size());
    }
    var all = new ArrayList<Degree>();
    int at = 0;
    for (var s : e.scans()) {
      all.addAll(combined(s.op(), s.neutral(), rows.subList(at, at + s.neutral().size())));
      at = all.size();
    }
    for (var r : e.reduces()) {
      all.addAll(combined(r.op(), r.neutral(), rows.subList(at, at + r.neutral().size())));
      at = all.size();
    }
    all.addAll(rows.subList(at, rows.size()));
    return all;
  }

  /** Returns the degrees of any number of values that an operator combines. */
  private List<Degree> combined(Lambda op, List<? extends Atom> neutral, List<Degree> values) {
    var all = or(of(neutral), values);
    for (var before = List.<Degree>of(); !all.equals(before); ) {
      before = all;
      all = or(all, lambda(op, Lists.concat(all, all)));
    }
    return all;
  }

  private List<Degree> hist(Hist e) {
    var values = lambda(e.map(), of(e.inputs()));
    int indices = e.ops().stream().mapToInt(o -> o.shape().size()).sum();
    boolean known = values.subList(0, indices).stream().allMatch(Degree::isConstant);
    var all = new ArrayList<Degree>();
    for (var o : e.ops()) {
      int at = indices + all.size();
      var own = or(of(o.dests()), values.subList(at, at + o.dests().size()));
      all.addAll(known ? combined(o.op(), o.neutral(), own) : others(own.size()));
    }
    return all;
  }

  private List<Degree> scatter(Scatter e) {
    var values = lambda(e.map(), of(e.inputs()));
    int indices = e.dests().stream().mapToInt(d -> d.shape().size()).sum();
    boolean known = values.subList(0, indices).stream().allMatch(Degree::isConstant);
    var dests = of(e.dests().stream().map(ScatterDest::dest).toList());
    return known ? or(dests, values.subList(indices, values.size())) : others(dests.size());
  }

  private List<Degree> withAcc(WithAcc e) {
    var accs = e.inputs().stream().map(a -> any(a.arrays())).toList();
    var results = lambda(e.body(), accs);
    var all = new ArrayList<Degree>();
    for (int i = 0; i < accs.size(); i++) {
      var input = e.inputs().get(i);
      var own = Collections.nCopies(input.arrays().size(), results.get(i));
      all.addAll(input.combine().map(c -> combined(c.op(), c.neutral(), own)).orElse(own));
    }
    all.addAll(results.subList(accs.size(), results.size()));
    return all;
  }

  private List<Degree> loop(Loop e, int count) {
    var vars = e.params().stream().map(LoopParam::var).toList();
    var all = of(e.params().stream().map(LoopParam::init).toList());
    for (var before = List.<Degree>of(); !all.equals(before); ) {
      before = all;
      put(vars, all);
      all = or(all, body(e.body()));
    }
    put(vars, all);
    boolean known =
        switch (e.form()) {
          case For f -> of(f.bound()).isConstant();
          case While w -> of(w.condition()).isConstant();
        };
    return known ? all : others(count);
  }
}
