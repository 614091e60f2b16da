package dev.kenaz.ad;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds which variables may change when the differentiated function's arguments do, by a forward
 * data-flow analysis that goes to a fixed point around loops and operators. What isn't active has
 * derivative zero and gets no code. Code that is copied with fresh names is analysed anew by
 * another call of {@link #body}.
 *
 * <p>Integers and truth values may have tangents too, which a conversion converts. They are active
 * only where that can matter, for a result or for a float: most functions compute subscripts and
 * conditions with them and nothing else.
 */
final class Activity {
  private final Set<Var> active = new HashSet<>();
  private final Set<Kind> kinds;

  /** The kinds of active values that are converted to another kind. */
  private final Set<Kind> become = EnumSet.noneOf(Kind.class);

  private enum Kind {
    FLOAT,
    INTEGER,
    TRUTH;

    static Kind of(Type type) {
      var prim = type.elemPrim();
      return prim.isFloat() ? FLOAT : prim == Prim.BOOL ? TRUTH : INTEGER;
    }
  }

  /** Tells the activity of floats only. */
  Activity() {
    this(EnumSet.of(Kind.FLOAT));
  }

  private Activity(Set<Kind> kinds) {
    this.kinds = kinds;
  }

  /** Tells the activity of those kinds of values that matter in the function. */
  static Activity of(Lambda f) {
    var all = new Activity(EnumSet.allOf(Kind.class));
    f.params().forEach(all::mark);
    all.body(f.body());
    var matter = EnumSet.of(Kind.FLOAT);
    matter.addAll(all.become);
    f.body().results().stream().filter(all::active).forEach(x -> matter.add(Kind.of(x.type())));
    return new Activity(matter);
  }

  /** Whether some active value is converted to another kind. */
  boolean converts() {
    return !become.isEmpty();
  }

  /** Returns an analysis of the same kinds of values in which nothing is active yet. */
  Activity fresh() {
    return new Activity(kinds);
  }

  boolean differentiable(Type type) {
    return type instanceof Type.Acc a
        ? a.elems().stream().anyMatch(this::differentiable)
        : kinds.contains(Kind.of(type));
  }

  boolean active(Atom atom) {
    return atom instanceof Var v && active.contains(v);
  }

  boolean anyActive(Iterable<? extends Atom> atoms) {
    for (var a : atoms) {
      if (active(a)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the active ones among the free variables, in order of first use. */
  List<Var> among(Set<Var> vars) {
    return vars.stream().filter(this::active).toList();
  }

  void mark(Var v) {
    if (differentiable(v.type())) {
      active.add(v);
    }
  }

  private void markIf(boolean condition, Var v) {
    if (condition) {
      mark(v);
    }
  }

  private void markLike(List<Var> vars, List<? extends Atom> sources) {
    for (int i = 0; i < vars.size(); i++) {
      markIf(active(sources.get(i)), vars.get(i));
    }
  }

  void body(Body body) {
    body.stms().forEach(this::stm);
  }

  private void stm(Stm stm) {
    var pattern = stm.pattern();
    switch (stm.exp()) {
      case Unary(var op, var x) -> {
        boolean linear = active(x) && !ScalarDerivatives.unary(op, x, x).isZero();
        markIf(linear, pattern.getFirst());
        if (linear) {
          becomes(x, pattern.getFirst());
        }
      }
      case Binary(var op, var x, var y) ->
          markIf(
              active(x) && !ScalarDerivatives.left(op, x, y, x).isZero()
                  || active(y) && !ScalarDerivatives.right(op, x, y, x).isZero(),
              pattern.getFirst());
      case If(_, var then, var otherwise) -> {
        body(then);
        body(otherwise);
        markLike(pattern, then.results());
        markLike(pattern, otherwise.results());
      }
      case Loop loop -> {
        loop(loop);
        markLike(pattern, loop.params().stream().map(LoopParam::var).toList());
      }
      case Screma s -> screma(pattern, s);
      case Hist h -> hist(pattern, h);
      case Scatter s -> {
        inputs(s.map(), s.inputs());
        body(s.map().body());
        int values = s.map().returns().size() - s.dests().size();
        for (int i = 0; i < s.dests().size(); i++) {
          markIf(
              active(s.dests().get(i).dest()) || active(s.map().body().results().get(values + i)),
              pattern.get(i));
        }
      }
      case Filter f -> {
        inputs(f.map(), f.inputs());
        body(f.map().body());
        markLike(pattern, f.map().body().results());
      }
      case WithAcc w -> withAcc(pattern, w);
      case Iota(var n, var start, var step) ->
          markIf(anyActive(List.of(n, start, step)), pattern.getFirst());
      case Convert(var to, var x) -> {
        markIf(active(x), pattern.getFirst());
        becomes(x, pattern.getFirst());
      }
      case Compare _, Assert _, Scratch _ -> {}
      case Alias(var x) -> any(pattern, List.of(x));
      case Trace(_, var x) -> any(pattern, List.of(x));
      case Fma(var x, var y, var z) -> any(pattern, List.of(x, y, z));
      case Index(var a, _, _) -> any(pattern, List.of(a));
      case Slice(var a, _, _) -> any(pattern, List.of(a));
      case Rearrange(_, var a) -> any(pattern, List.of(a));
      case Reshape(_, var a) -> any(pattern, List.of(a));
      case Copy(var a) -> any(pattern, List.of(a));
      case Update(var a, _, var x, _) -> any(pattern, List.of(a, x));
      case Replicate(_, var x) -> any(pattern, List.of(x));
      case ArrayLit(var xs, _) -> any(pattern, xs);
      case Concat(_, var xs, _) -> any(pattern, xs);
      case UpdateAcc(var acc, _, var xs) -> {
        any(pattern, xs);
        any(pattern, List.of(acc));
      }
      case Apply _, Jvp _, Vjp _, WithVjp _ -> {
        var xs = FreeVars.of(stm.exp());
        any(pattern, xs);
        pattern.forEach(y -> xs.forEach(x -> becomes(x, y)));
      }
    }
  }

  private void becomes(Atom x, Var y) {
    if (active(x) && Kind.of(x.type()) != Kind.of(y.type())) {
      become.add(Kind.of(x.type()));
    }
  }

  private void any(List<Var> pattern, Iterable<? extends Atom> operands) {
    if (anyActive(operands)) {
      pattern.forEach(this::mark);
    }
  }

  private void inputs(Lambda map, List<Var> inputs) {
    markLike(map.params(), inputs);
  }

  private void loop(Loop loop) {
    var params = loop.params().stream().map(LoopParam::var).toList();
    markLike(params, loop.params().stream().map(LoopParam::init).toList());
    int before;
    do {
      before = active.size();
      body(loop.body());
      markLike(params, loop.body().results());
    } while (active.size() > before);
  }

  private void screma(List<Var> pattern, Screma s) {
    inputs(s.map(), s.inputs());
    body(s.map().body());
    var results = s.map().body().results();
    markLike(pattern, results);
    int at = 0;
    for (var scan : s.scans()) {
      at = operator(pattern, scan.op(), scan.neutral(), at);
    }
    for (var reduce : s.reduces()) {
      at = operator(pattern, reduce.op(), reduce.neutral(), at);
    }
  }

  /**
   * Treats the results of a reduction or scan that start at {@code at}; returns where the next ones
   * start.
   */
  private int operator(List<Var> pattern, Lambda op, List<Atom> neutral, int at) {
    int k = neutral.size();
    var results = pattern.subList(at, at + k);
    markLike(results, neutral);
    operator(op, results);
    return at + k;
  }

  /** Goes to a fixed point: an operand and a result of an operator are active together. */
  private void operator(Lambda op, List<Var> results) {
    int k = results.size();
    int before;
    do {
      before = active.size();
      for (int i = 0; i < k; i++) {
        markIf(active(results.get(i)), op.params().get(i));
        markIf(active(results.get(i)), op.params().get(k + i));
      }
      body(op.body());
      markLike(results, op.body().results());
    } while (active.size() > before);
  }

  private void hist(List<Var> pattern, Hist h) {
    inputs(h.map(), h.inputs());
    body(h.map().body());
    int values = h.ops().stream().mapToInt(o -> o.shape().size()).sum();
    int at = 0;
    for (var op : h.ops()) {
      int k = op.dests().size();
      var results = pattern.subList(at, at + k);
      markLike(results, op.dests());
      markLike(results, op.neutral());
      markLike(results, h.map().body().results().subList(values + at, values + at + k));
      operator(op.op(), results);
      at += k;
    }
  }

  private void withAcc(List<Var> pattern, WithAcc w) {
    int n = w.inputs().size();
    var accs = w.body().params();
    for (int i = 0; i < n; i++) {
      var in = w.inputs().get(i);
      markIf(anyActive(in.arrays()), accs.get(i));
      markIf(in.combine().filter(c -> anyActive(FreeVars.of(c.op()))).isPresent(), accs.get(i));
    }
    // an accumulator that anything active is added to is active from the start: its tangent must
    // be there to be added to
    int before;
    do {
      before = active.size();
      body(w.body().body());
      markLike(accs, w.body().body().results().subList(0, n));
    } while (active.size() > before);
    var sources = new ArrayList<Atom>();
    int at = 0;
    for (int i = 0; i < n; i++) {
      var in = w.inputs().get(i);
      int end = at + in.arrays().size();
      if (active(accs.get(i)) && in.combine().isPresent()) {
        pattern.subList(at, end).forEach(this::mark);
        operator(in.combine().get().op(), pattern.subList(at, end));
      }
      at = end;
      int i0 = i;
      w.inputs().get(i).arrays().forEach(_ -> sources.add(accs.get(i0)));
    }
    var results = w.body().body().results();
    sources.addAll(results.subList(n, results.size()));
    markLike(pattern, sources);
  }
}
