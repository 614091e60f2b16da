package dev.kenaz.ad;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Forward mode (001 §2.0.1 equation 2, §3): after every statement {@code y = f(x, …)} come the
 * statements that compute {@code y' = ∂f/∂x · x' + …}, and scopes take and return tangents beside
 * values.
 *
 * <p>Where we differ: a variable without an entry has tangent zero, and zeros are only made real
 * where a scope's interface wants one; what {@link Activity} finds inactive never gets a tangent.
 */
final class Forward {
  final Activity activity;
  private final Map<Var, Atom> tangents = new HashMap<>();

  /** This maps the tokens of the program's accumulators to those of the tangents' accumulators. */
  private final Map<Integer, Integer> tokens = new HashMap<>();

  /** The tokens of accumulators whose tangents' accumulators hold values too. */
  private final Set<Integer> duals = new HashSet<>();

  /**
   * The tokens of accumulators that overwrite: there an inactive value must overwrite a tangent
   * with zero.
   */
  private final Set<Integer> replacing = new HashSet<>();

  /** Whether there are many threads, which update histograms in any order. */
  private final boolean manyThreads;

  Forward(Activity activity) {
    this(activity, false);
  }

  Forward(Activity activity, boolean manyThreads) {
    this.activity = activity;
    this.manyThreads = manyThreads;
  }

  void set(Var v, Atom tangent) {
    tangents.put(v, tangent);
  }

  /** Whether the variable has a tangent other than zero. */
  boolean has(Atom x) {
    return x instanceof Var v && tangents.containsKey(v);
  }

  /** The tangent; a zero is made real here. */
  Atom tangent(Builder b, Atom x) {
    return has(x) ? tangents.get((Var) x) : b.zero(x.type());
  }

  Var tangentVar(Builder b, Var x) {
    return (Var) tangent(b, x);
  }

  /** Binds tangents for those of a statement's variables that are active; returns them in order. */
  List<Var> tangentPattern(List<Var> pattern) {
    return pattern.stream().filter(v -> activity.active(v)).map(v -> tangentParam(v)).toList();
  }

  /** Returns a fresh variable that is this variable's tangent from now on. */
  Var tangentParam(Var v) {
    var t = Names.fresh(v.name() + "_tan", tangentType(v.type()));
    set(v, t);
    return t;
  }

  /** An accumulator's tangent is another accumulator; everything else's has the same type. */
  private Type tangentType(Type type) {
    if (!(type instanceof Type.Acc a)) {
      return type;
    }
    var elems = new ArrayList<>(a.elems());
    if (duals.contains(a.token())) {
      a.elems().stream().filter(activity::differentiable).forEach(elems::add);
    }
    return new Type.Acc(tokens.get(a.token()), a.space(), elems);
  }

  /**
   * Returns a fresh accumulator for the tangents of one that is made here.
   *
   * @param dual whether it holds values too, because tangents of results depend on them
   * @param replaces whether updates overwrite
   */
  Var tangentAcc(Var acc, boolean dual, boolean replaces) {
    int token = ((Type.Acc) acc.type()).token();
    tokens.put(token, Names.freshTag());
    if (dual) {
      duals.add(token);
    }
    if (replaces) {
      replacing.add(token);
    }
    return tangentParam(acc);
  }

  /** Returns the tangents of those atoms whose pattern variables are active. */
  List<Atom> tangentsWhere(Builder b, List<? extends Atom> atoms, List<Var> pattern) {
    return IntStream.range(0, atoms.size())
        .filter(i -> activity.active(pattern.get(i)))
        .mapToObj(i -> tangent(b, atoms.get(i)))
        .toList();
  }

  /**
   * Returns the body with its results followed by the tangents of those whose pattern variable is
   * active.
   */
  Body body(Builder b, Body body, List<Var> pattern) {
    stms(b, body.stms());
    var results = new ArrayList<>(body.results());
    results.addAll(tangentsWhere(b, body.results(), pattern));
    return b.body(results);
  }

  void stms(Builder b, List<Stm> stms) {
    stms.forEach(s -> stm(b, s));
  }

  private void stm(Builder b, Stm stm) {
    b.at(stm.span());
    if (stm.pattern().stream().noneMatch(activity::active)) {
      b.add(stm);
      return;
    }
    switch (stm.exp()) {
      case If e -> branches(b, stm, e);
      case Loop e -> loop(b, stm, e);
      case Screma e -> ForwardSoacs.screma(this, b, stm, e);
      case Hist e when manyThreads && ForwardHistExtremum.suits(this, stm, e) ->
          ForwardHistExtremum.emit(this, b, stm, e);
      case Hist e -> ForwardSoacs.hist(this, b, stm, e);
      case Scatter e -> ForwardSoacs.scatter(this, b, stm, e);
      case WithAcc e -> ForwardSoacs.withAcc(this, b, stm, e);
      case Apply(var f, _) -> throw Differentiate.recursive(f, stm.span());
      case Filter _, Jvp _, Vjp _, WithVjp _ ->
          throw new CompilerBug("ad", "not expanded: " + stm.exp());
      case Simple _ -> {
        var exp = CheckedIndices.of(b, stm.exp());
        b.add(stm.with(exp));
        simple(b, stm.var(), exp);
      }
    }
  }

  /** Treats statements of one result and no scope, which are scalar arithmetic or linear. */
  private void simple(Builder b, Var y, Exp exp) {
    switch (exp) {
      case Alias(var x) -> copy(y, x);
      case Trace(_, var x) -> copy(y, x);
      case Unary(var op, var x) -> {
        if (has(x)) {
          set(y, ScalarDerivatives.unary(op, x, y).apply(b, tangent(b, x)));
        }
      }
      case Binary(var op, var x, var z) -> {
        addTerm(b, y, x, ScalarDerivatives.left(op, x, z, y));
        addTerm(b, y, z, ScalarDerivatives.right(op, x, z, y));
      }
      case Fma(var x, var z, var w) -> {
        addTerm(b, y, x, (c, v) -> c.mul(z, v));
        addTerm(b, y, z, (c, v) -> c.mul(x, v));
        addTerm(b, y, w, LinearMap.IDENTITY);
      }
      case Convert(var to, var x) -> {
        if (has(x)) {
          set(y, b.convert(to, tangent(b, x)));
        }
      }
      case Index(var a, var is, _) -> linear(b, y, a, t -> new Index(t, is, false));
      case Slice(var a, var dims, _) -> linear(b, y, a, t -> new Slice(t, dims, false));
      case Rearrange(var perm, var a) -> linear(b, y, a, t -> new Rearrange(perm, t));
      case Reshape(var shape, var a) -> linear(b, y, a, t -> new Reshape(shape, t));
      case Copy(var a) -> linear(b, y, a, Copy::new);
      case Replicate(var shape, var x) -> {
        if (has(x)) {
          set(y, b.replicate(shape, tangent(b, x)));
        }
      }
      case Update(var a, var dims, var x, _) -> {
        if (has(a) || has(x)) {
          var into = tangentVar(b, a);
          set(y, b.bind(into.name(), new Update(into, dims, tangent(b, x), false)));
        }
      }
      case ArrayLit(var xs, var row) -> {
        if (xs.stream().anyMatch(this::has)) {
          var ts = xs.stream().map(x -> tangent(b, x)).toList();
          set(y, b.bind("lit", new ArrayLit(ts, row)));
        }
      }
      case Concat(var dim, var xs, var size) -> {
        if (xs.stream().anyMatch(this::has)) {
          var ts = xs.stream().map(x -> tangentVar(b, x)).toList();
          set(y, b.bind("cat", new Concat(dim, ts, size)));
        }
      }
      case UpdateAcc(var acc, var is, var xs)
          when duals.contains(((Type.Acc) acc.type()).token()) -> {
        var values = new ArrayList<>(xs);
        xs.stream()
            .filter(x -> activity.differentiable(x.type()))
            .forEach(x -> values.add(tangent(b, x)));
        set(y, b.bind("acc", new UpdateAcc(tangentVar(b, acc), is, values)));
      }
      case UpdateAcc(var acc, var is, var xs) -> {
        boolean replaces = replacing.contains(((Type.Acc) acc.type()).token());
        if (xs.stream().anyMatch(this::has) || replaces && has(acc)) {
          var ts = xs.stream().map(x -> tangent(b, x)).toList();
          set(y, b.bind("acc", new UpdateAcc(tangentVar(b, acc), is, ts)));
        } else if (has(acc)) {
          set(y, tangents.get(acc));
        }
      }
      case Iota(var n, var start, var step) -> iota(b, y, n, start, step);
      case Compare _, Assert _, Scratch _ -> {}
      case Soac _, If _, Loop _, Apply _, WithAcc _, Jvp _, Vjp _, WithVjp _ ->
          throw new CompilerBug("ad", "not a simple statement: " + exp);
    }
  }

  /** Every element of {@code iota n} has the tangent of n, as if it were counted from there. */
  private void iota(Builder b, Var y, Atom n, Atom start, Atom step) {
    if (has(n) || has(start) || has(step)) {
      var first = b.add(b.convert(start.type().elemPrim(), tangent(b, n)), tangent(b, start));
      set(y, b.bind(y.name() + "_tan", new Iota(n, first, tangent(b, step))));
    }
  }

  private void copy(Var y, Atom x) {
    if (has(x)) {
      set(y, tangents.get((Var) x));
    }
  }

  private void linear(Builder b, Var y, Var a, Function<Var, Exp> f) {
    if (has(a)) {
      set(y, b.bind(y.name() + "_tan", y.type(), f.apply((Var) tangents.get(a))));
    }
  }

  private void addTerm(Builder b, Var y, Atom x, LinearMap derivative) {
    if (!has(x) || derivative.isZero()) {
      return;
    }
    var term = derivative.apply(b, tangents.get((Var) x));
    set(y, has(y) ? b.add(tangents.get(y), term) : term);
  }

  private void branches(Builder b, Stm stm, If e) {
    var then = body(b.inner(), e.then(), stm.pattern());
    var otherwise = body(b.inner(), e.otherwise(), stm.pattern());
    b.with(stm.attrs())
        .bindAll(withTangents(stm.pattern()), new If(e.condition(), then, otherwise));
  }

  private void loop(Builder b, Stm stm, Loop loop) {
    var params = new ArrayList<>(loop.params());
    var vars = loop.params().stream().map(LoopParam::var).toList();
    for (var p : loop.params()) {
      if (activity.active(p.var())) {
        // this comes before the parameter itself has a tangent: it is the initial value's
        var init = tangent(b, p.init());
        params.add(new LoopParam(tangentParam(p.var()), init));
      }
    }
    var body = body(b.inner(), loop.body(), vars);
    b.with(stm.attrs()).bindAll(withTangents(stm.pattern()), new Loop(params, loop.form(), body));
  }

  /** Returns the pattern, and after it the tangents of its active variables. */
  List<Var> withTangents(List<Var> pattern) {
    var result = new ArrayList<>(pattern);
    result.addAll(tangentPattern(pattern));
    return result;
  }
}
