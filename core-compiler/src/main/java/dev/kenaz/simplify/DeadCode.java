package dev.kenaz.simplify;

import dev.kenaz.analysis.Effects;
import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Removes statements that nothing uses, and unused results, inputs, loop parameters and
 * accumulators of those that stay, in one backward walk.
 */
public final class DeadCode {
  private final Set<Var> live = new HashSet<>();
  private boolean changed;

  /** Returns the program itself if everything in it is used. */
  static CoreProgram run(CoreProgram program) {
    var walk = new DeadCode();
    var result = walk.program(program);
    return walk.changed ? result : program;
  }

  /** Returns the statement without what only its other results need. */
  public static Stm only(List<Var> results, Stm stm) {
    var walk = new DeadCode();
    walk.useAll(results);
    return walk.stm(stm);
  }

  /** Returns the function without what none of its results needs. */
  public static Lambda used(Lambda lambda) {
    return new DeadCode().lambda(lambda);
  }

  private CoreProgram program(CoreProgram p) {
    return new CoreProgram(p.functions().stream().map(this::function).toList(), p.entries());
  }

  private FunDef function(FunDef f) {
    f.returns().forEach(this::use);
    return new FunDef(f.name(), f.params(), f.returns(), f.returnSizes(), body(f.body()));
  }

  // Uses

  private void use(Atom atom) {
    if (atom instanceof Var v && live.add(v)) {
      use(v.type());
    }
  }

  private void use(Type type) {
    switch (type) {
      case Type.Scalar _ -> {}
      case Type.Array a -> a.shape().forEach(this::use);
      case Type.Acc a -> {
        a.space().forEach(this::use);
        a.elems().forEach(this::use);
      }
    }
  }

  private void useAll(List<? extends Atom> atoms) {
    atoms.forEach(this::use);
  }

  private boolean isLive(Var v) {
    return live.contains(v);
  }

  /** Marks the operands of an expression without scopes. */
  private final class Operands implements Rewriter {
    @Override
    public Atom atom(Atom atom) {
      use(atom);
      return atom;
    }

    @Override
    public Type type(Type type) {
      use(type);
      return type;
    }
  }

  // Bodies

  Body body(Body body) {
    useAll(body.results());
    var stms = new ArrayList<Stm>();
    for (var stm : body.stms().reversed()) {
      // a type may mention an earlier variable of the same pattern
      stm.pattern().stream().filter(this::isLive).toList().forEach(v -> use(v.type()));
      if (stm.pattern().stream().anyMatch(this::isLive) || Effects.observable(stm.exp())) {
        stms.add(stm(stm));
      } else {
        changed = true;
      }
    }
    Collections.reverse(stms);
    return new Body(stms, body.results());
  }

  private Lambda lambda(Lambda lambda) {
    var body = body(lambda.body());
    lambda.returns().forEach(this::use);
    lambda.params().forEach(p -> use(p.type()));
    return new Lambda(lambda.params(), body, lambda.returns());
  }

  private Stm stm(Stm stm) {
    var reduced =
        switch (stm.exp()) {
          case If i -> branches(i, stm);
          case Loop l -> loop(l, stm);
          case Screma s -> screma(s, stm);
          case Hist h -> hist(h, stm);
          case Scatter s -> scatter(s, stm);
          case Filter f -> filter(f, stm);
          case WithAcc w -> withAcc(w, stm);
          case Jvp(var f, var xs, var ts, var width) -> {
            useAll(xs);
            useAll(ts);
            width.ifPresent(this::use);
            yield with(stm, stm.pattern(), new Jvp(lambda(f), xs, ts, width));
          }
          case Vjp(var f, var xs, var as, var width) -> {
            useAll(xs);
            useAll(as);
            width.ifPresent(this::use);
            yield with(stm, stm.pattern(), new Vjp(lambda(f), xs, as, width));
          }
          case WithVjp(var f, var tape, var rule, var xs) -> {
            useAll(xs);
            yield with(stm, stm.pattern(), new WithVjp(lambda(f), tape, lambda(rule), xs));
          }
          case Simple _ -> {
            new Operands().exp(stm.exp());
            yield stm;
          }
        };
    reduced.pattern().forEach(v -> use(v.type()));
    return reduced;
  }

  private Stm with(Stm stm, List<Var> pattern, Exp exp) {
    changed |= pattern.size() != stm.pattern().size();
    return stm.with(pattern, exp);
  }

  private List<Integer> livePositions(List<Var> pattern) {
    return IntStream.range(0, pattern.size()).filter(k -> isLive(pattern.get(k))).boxed().toList();
  }

  private Stm branches(If i, Stm stm) {
    var kept = livePositions(stm.pattern());
    use(i.condition());
    var then = body(i.then().pick(kept));
    var otherwise = body(i.otherwise().pick(kept));
    return with(stm, Lists.pick(stm.pattern(), kept), new If(i.condition(), then, otherwise));
  }

  // Loops

  private Stm loop(Loop loop, Stm stm) {
    var kept = livePositions(stm.pattern());
    if (kept.size() < stm.pattern().size()) {
      kept = needed(loop, kept);
    }
    var params = Lists.pick(loop.params(), kept);
    if (loop.form() instanceof For(_, var bound)) {
      use(bound);
    }
    var body = body(loop.body().pick(kept));
    params.forEach(
        p -> {
          use(p.init());
          use(p.var().type());
        });
    return with(stm, Lists.pick(stm.pattern(), kept), new Loop(params, loop.form(), body));
  }

  /** Returns the parameters that the given results, the condition or an effect depend on. */
  private static List<Integer> needed(Loop loop, List<Integer> results) {
    var params = loop.params().stream().map(LoopParam::var).toList();
    var next = new HashMap<Var, Atom>();
    for (int k = 0; k < params.size(); k++) {
      next.put(params.get(k), loop.body().results().get(k));
    }
    var roots = new ArrayList<Var>(Lists.pick(params, results));
    if (loop.form() instanceof While(var c)) {
      roots.add(c);
    }
    var reached = Reach.of(loop.body(), next, roots);
    return IntStream.range(0, params.size())
        .filter(k -> reached.contains(params.get(k)))
        .boxed()
        .toList();
  }

  // Parallel operators

  private Stm screma(Screma s, Stm stm) {
    var kept = new ArrayList<Integer>();
    var scans = new ArrayList<Scan>();
    var reduces = new ArrayList<Reduce>();
    int at = 0;
    for (var scan : s.scans()) {
      var parts = parts(scan.op(), stm.pattern(), at);
      if (!parts.isEmpty()) {
        int from = at;
        parts.forEach(k -> kept.add(from + k));
        scans.add(new Scan(lambda(part(scan.op(), parts)), part(scan.neutral(), parts)));
      }
      at += scan.neutral().size();
    }
    for (var reduce : s.reduces()) {
      var parts = parts(reduce.op(), stm.pattern(), at);
      if (!parts.isEmpty()) {
        int from = at;
        parts.forEach(k -> kept.add(from + k));
        reduces.add(
            new Reduce(
                lambda(part(reduce.op(), parts)),
                part(reduce.neutral(), parts),
                reduce.commutative()));
      }
      at += reduce.neutral().size();
    }
    for (; at < stm.pattern().size(); at++) {
      if (isLive(stm.pattern().get(at))) {
        kept.add(at);
      }
    }
    use(s.width());
    var map = lambda(s.map().pick(kept));
    var inputs = liveInputs(s.inputs(), map.params());
    return with(
        stm,
        Lists.pick(stm.pattern(), kept),
        new Screma(
            s.width(), Lists.pick(s.inputs(), inputs), scans, reduces, withParams(map, inputs)));
  }

  /** What is kept and not used isn't kept; if nothing is, the rows are counted. */
  private Stm filter(Filter f, Stm stm) {
    var kept = new ArrayList<>(List.of(0));
    for (int k = 1; k < stm.pattern().size(); k++) {
      if (isLive(stm.pattern().get(k))) {
        kept.add(k);
      }
    }
    if (kept.size() == 1) {
      changed = true;
      var count = count(f);
      return screma(count, stm.with(List.of(stm.pattern().getFirst()), count));
    }
    use(f.width());
    var map = lambda(f.map().pick(kept));
    var inputs = liveInputs(f.inputs(), map.params());
    return with(
        stm,
        Lists.pick(stm.pattern(), kept),
        new Filter(f.width(), Lists.pick(f.inputs(), inputs), withParams(map, inputs)));
  }

  private static Screma count(Filter f) {
    var b = new Builder(Span.NONE);
    b.addAll(f.map().body().stms());
    var one = b.convert(Prim.I64, f.map().body().results().getFirst());
    var map = new Lambda(f.map().params(), b.body(List.of(one)), List.of(Type.I64));
    var sum = new Reduce(b.operator(BinaryOp.ADD, Prim.I64), List.of(Atom.i64(0)), true);
    return new Screma(f.width(), f.inputs(), List.of(), List.of(sum), map);
  }

  /** Returns the components of an operator that its live results depend on. */
  private List<Integer> parts(Lambda op, List<Var> pattern, int from) {
    int n = op.returns().size();
    var results = livePositions(pattern.subList(from, from + n));
    if (results.isEmpty() || results.size() == n) {
      return results;
    }
    var next = new HashMap<Var, Atom>();
    for (int k = 0; k < n; k++) {
      next.put(op.params().get(k), op.body().results().get(k));
      next.put(op.params().get(n + k), op.body().results().get(k));
    }
    var roots = Lists.pick(op.body().results(), results);
    var reached = Reach.of(op.body(), next, roots);
    return IntStream.range(0, n)
        .filter(
            k ->
                results.contains(k)
                    || reached.contains(op.params().get(k))
                    || reached.contains(op.params().get(n + k)))
        .boxed()
        .toList();
  }

  private static Lambda part(Lambda op, List<Integer> parts) {
    int n = op.returns().size();
    var params = new ArrayList<>(parts);
    parts.forEach(k -> params.add(n + k));
    var part = op.pick(parts);
    return new Lambda(Lists.pick(op.params(), params), part.body(), part.returns());
  }

  private List<Atom> part(List<Atom> neutral, List<Integer> parts) {
    var part = Lists.pick(neutral, parts);
    useAll(part);
    return part;
  }

  /** Keeps a group of results if one of them is live. */
  private boolean keep(List<Var> pattern, int from, int count, List<Integer> kept) {
    if (pattern.subList(from, from + count).stream().noneMatch(this::isLive)) {
      return false;
    }
    for (int k = from; k < from + count; k++) {
      kept.add(k);
    }
    return true;
  }

  private List<Integer> liveInputs(List<Var> inputs, List<Var> params) {
    var kept = livePositions(params);
    kept.forEach(i -> use(inputs.get(i)));
    changed |= kept.size() < params.size();
    return kept;
  }

  private static Lambda withParams(Lambda lambda, List<Integer> kept) {
    return new Lambda(Lists.pick(lambda.params(), kept), lambda.body(), lambda.returns());
  }

  private Stm hist(Hist h, Stm stm) {
    var ops = new ArrayList<HistOp>();
    var pattern = new ArrayList<Integer>();
    var indices = new ArrayList<Integer>();
    var values = new ArrayList<Integer>();
    int index = 0;
    int value = h.ops().stream().mapToInt(o -> o.shape().size()).sum();
    int at = 0;
    for (var op : h.ops()) {
      int n = op.dests().size();
      if (keep(stm.pattern(), at, n, pattern)) {
        ops.add(new HistOp(op.shape(), op.dests(), op.neutral(), lambda(op.op())));
        useAll(op.shape());
        useAll(op.dests());
        useAll(op.neutral());
        addRange(indices, index, op.shape().size());
        addRange(values, value, n);
      }
      at += n;
      index += op.shape().size();
      value += n;
    }
    indices.addAll(values);
    use(h.width());
    var map = lambda(h.map().pick(indices));
    var inputs = liveInputs(h.inputs(), map.params());
    return with(
        stm,
        Lists.pick(stm.pattern(), pattern),
        new Hist(h.width(), Lists.pick(h.inputs(), inputs), ops, withParams(map, inputs)));
  }

  private static void addRange(List<Integer> list, int from, int count) {
    for (int i = from; i < from + count; i++) {
      list.add(i);
    }
  }

  private Stm scatter(Scatter s, Stm stm) {
    var dests = new ArrayList<ScatterDest>();
    var pattern = new ArrayList<Integer>();
    var indices = new ArrayList<Integer>();
    var values = new ArrayList<Integer>();
    int index = 0;
    int value = s.dests().stream().mapToInt(d -> d.shape().size()).sum();
    for (int k = 0; k < s.dests().size(); k++) {
      var d = s.dests().get(k);
      if (keep(stm.pattern(), k, 1, pattern)) {
        dests.add(d);
        useAll(d.shape());
        use(d.dest());
        addRange(indices, index, d.shape().size());
        values.add(value + k);
      }
      index += d.shape().size();
    }
    indices.addAll(values);
    use(s.width());
    var map = lambda(s.map().pick(indices));
    var inputs = liveInputs(s.inputs(), map.params());
    return with(
        stm,
        Lists.pick(stm.pattern(), pattern),
        new Scatter(s.width(), Lists.pick(s.inputs(), inputs), dests, withParams(map, inputs)));
  }

  private Stm withAcc(WithAcc w, Stm stm) {
    var inputs = new ArrayList<AccInput>();
    var pattern = new ArrayList<Integer>();
    var params = new ArrayList<Integer>();
    var results = new ArrayList<Integer>();
    var unused = new HashSet<Integer>();
    int at = 0;
    for (int i = 0; i < w.inputs().size(); i++) {
      var in = w.inputs().get(i);
      if (keep(stm.pattern(), at, in.arrays().size(), pattern)) {
        var combine = in.combine().map(c -> new Combine(lambda(c.op()), c.neutral()));
        combine.ifPresent(c -> useAll(c.neutral()));
        inputs.add(new AccInput(in.space(), in.arrays(), combine));
        useAll(in.space());
        useAll(in.arrays());
        params.add(i);
        results.add(i);
      } else {
        unused.add(((Type.Acc) w.body().params().get(i).type()).token());
      }
      at += in.arrays().size();
    }
    for (int k = w.inputs().size(); at < stm.pattern().size(); k++, at++) {
      if (isLive(stm.pattern().get(at))) {
        pattern.add(at);
        results.add(k);
      }
    }
    var body = withParams(w.body().pick(results), params);
    if (!unused.isEmpty()) {
      body = new WithoutAccumulators(unused).lambda(body);
    }
    return with(stm, Lists.pick(stm.pattern(), pattern), new WithAcc(inputs, lambda(body)));
  }
}
