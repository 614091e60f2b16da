package dev.kenaz.loops;

import static dev.kenaz.error.ErrorCode.K5001;
import static dev.kenaz.error.ErrorCode.K5005;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Fault;
import dev.kenaz.loopir.LoopFun;
import dev.kenaz.loopir.LoopProgram;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loops.ArrayVal.Counting;
import dev.kenaz.loops.ArrayVal.Owner;
import dev.kenaz.loops.ArrayVal.View;
import dev.kenaz.pass.Pass;
import dev.kenaz.segir.SegBody;
import dev.kenaz.segir.SegExp;
import dev.kenaz.segir.SegProgram;
import dev.kenaz.segir.SegProgram.Callee;
import dev.kenaz.segir.SegProgram.SegFun;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Translates seg IR to loop IR. Array results are built where they are wanted: the rows of a map's
 * result in place, the branches of an if in one buffer.
 */
public final class Lowering {
  final Scope scope;
  final Arrays arrays;
  final Scalars scalars;
  final WantedParts wantedParts = new WantedParts();
  private final Control control;
  private final Soacs soacs;
  private final Calls calls;
  private final Constants constants;
  private final Placements placements;
  private final Target target;

  private Lowering(
      MemoryClasses sharing,
      Map<String, Callee> callees,
      Constants constants,
      Map<Code, Span> places,
      Function<Lowering, Target> target) {
    scope = new Scope(sharing, places);
    arrays = new Arrays(scope);
    scalars = new Scalars(scope);
    control = new Control(this);
    soacs = new Soacs(this);
    calls = new Calls(this, callees);
    this.constants = constants;
    placements = new Placements(scope, arrays);
    this.target = target.apply(this);
    arrays.setTarget(this.target);
  }

  /**
   * Returns the pass for the JVM, whose loop IR has calls and products of matrices.
   *
   * @param inVectors whether a loop will run in vectors
   */
  public static Pass<SegProgram, LoopProgram> pass(Predicate<Code.For> inVectors) {
    return Pass.of(
        "loops", "Translates seg IR to loops over memory.", p -> ofThreads(p, inVectors));
  }

  private static LoopProgram ofThreads(SegProgram program, Predicate<Code.For> inVectors) {
    Function<Lowering, Target> target = l -> new Parallelism(l, l.soacs, true, inVectors);
    var callees = new HashMap<String, Callee>();
    program.callees().forEach(c -> callees.put(c.function().name(), c));
    var called = new ArrayList<LoopProgram.Callee>();
    var constants = Constants.here();
    var places = new IdentityHashMap<Code, Span>();
    for (var c : program.callees()) {
      called.add(callee(c, true, callees, constants, places, target));
      called.add(callee(c, false, callees, constants, places, target));
    }
    return new LoopProgram(
        program.functions().stream()
            .map(f -> function(f, callees, constants, places, target))
            .toList(),
        called,
        constants.memory(),
        places);
  }

  /** Translates a program for another kind of parallel machine, which knows no calls. */
  public static LoopProgram program(SegProgram program, Function<Lowering, Target> target) {
    return new LoopProgram(
        program.functions().stream()
            .map(f -> function(f, Map.of(), Constants.nowhere(), new IdentityHashMap<>(), target))
            .toList(),
        List.of(),
        List.of(),
        Map.of());
  }

  Target target() {
    return target;
  }

  public Scope scope() {
    return scope;
  }

  public Arrays arrays() {
    return arrays;
  }

  public Soacs soacs() {
    return soacs;
  }

  /** Runs seg-ops in chunks, each by one thread: this works for every operator. */
  public Target chunks() {
    return new Parallelism(this, soacs, false, _ -> false);
  }

  private static LoopFun function(
      SegFun f,
      Map<String, Callee> callees,
      Constants constants,
      Map<Code, Span> places,
      Function<Lowering, Target> target) {
    var params = new ArrayList<LoopFun.Param>();
    var results = new ArrayList<LoopFun.Result>();
    var lowering = new Lowering(MemoryClasses.of(f.body()), callees, constants, places, target);
    var code = lowering.code(f.params(), f.body(), params, results);
    return new LoopFun(f.entry(), params, code, results);
  }

  private static LoopProgram.Callee callee(
      Callee c,
      boolean parallel,
      Map<String, Callee> callees,
      Constants constants,
      Map<Code, Span> places,
      Function<Lowering, Target> target) {
    var params = new ArrayList<LoopFun.Param>();
    var results = new ArrayList<LoopFun.Result>();
    var f = c.function();
    var body = parallel ? c.body() : c.sequential();
    var lowering = new Lowering(MemoryClasses.of(body), callees, constants, places, target);
    var code = new ArrayList<Code>();
    Runnable action = () -> code.addAll(lowering.code(f.params(), body, params, results));
    if (parallel) {
      action.run();
    } else {
      lowering.scope.task(action);
    }
    return new LoopProgram.Callee(Calls.name(f.name(), parallel), params, code, results);
  }

  private List<Code> code(
      List<Var> variables, SegBody body, List<LoopFun.Param> params, List<LoopFun.Result> results) {
    return scope.block(
        () -> {
          variables.forEach(p -> params.add(param(p)));
          var vals = body(body);
          results.addAll(new Returns(this).results(vals));
        });
  }

  private LoopFun.Param param(Var p) {
    return switch (p.type()) {
      case Type.Scalar(var prim) -> {
        var reg = Reg.fresh(p.name(), prim);
        scope.bind(p, new Val.Scalar(Expr.use(reg)));
        yield new LoopFun.Param(p, reg, List.of());
      }
      case Type.Array a -> {
        var reg = Reg.index(p.name());
        var dims = scope.dims(a);
        scope.bind(p, ArrayVal.contiguous(a.elem(), Expr.use(reg), dims, -1, Owner.NONE));
        yield new LoopFun.Param(p, reg, dims);
      }
      case Type.Acc _ -> throw new CompilerBug("loops", "an entry takes an accumulator");
    };
  }

  /** Adds the statements' code; returns what the results stand for. */
  public List<Val> body(SegBody body) {
    made(body);
    stms(body);
    return body.results().stream().map(scope::val).toList();
  }

  /**
   * The variables that the body binds; a body may be translated more than once, to different
   * places, so what an earlier translation has made of them is no longer there.
   */
  private Set<Var> made(SegBody body) {
    var made = new HashSet<Var>();
    body.stms().forEach(stm -> made.addAll(stm.pattern()));
    made.forEach(scope::unwant);
    body.all().forEach(stm -> stm.pattern().forEach(scope::unbind));
    return made;
  }

  /**
   * Does the same as {@link #body}, with array results at the given places where these aren't null.
   */
  public List<Val> bodyInto(SegBody body, List<View> places) {
    var made = made(body);
    for (int k = 0; k < places.size(); k++) {
      if (places.get(k) != null
          && MemoryClasses.inPlaceRoot(body, body.results().get(k)) instanceof Var root
          && made.contains(root)) {
        scope.want(root, places.get(k));
      }
    }
    stms(body);
    var vals = new ArrayList<Val>();
    for (int k = 0; k < places.size(); k++) {
      var val = scope.val(body.results().get(k));
      if (places.get(k) != null && val instanceof ArrayVal a) {
        arrays.copy(places.get(k), a);
        val = places.get(k);
      }
      vals.add(val);
    }
    return vals;
  }

  /** Applies the lambda in the present scope. */
  public List<Val> call(Lambda lambda, List<? extends Val> arguments) {
    for (int i = 0; i < arguments.size(); i++) {
      scope.bind(lambda.params().get(i), arguments.get(i));
    }
    return body(SegBody.sequential(lambda.body()));
  }

  private void stms(SegBody body) {
    var plan = placements.plan(body);
    for (int k = 0; k < body.stms().size(); k++) {
      plan.getOrDefault(k, List.of()).forEach(placements::prepare);
      stm(body, k);
    }
  }

  private void stm(SegBody body, int k) {
    var stm = body.stms().get(k);
    scope.at(stm.span());
    wantedParts.note(body, k);
    switch (stm.exp()) {
      case SegExp.Plain(var e) -> plain(stm.pattern(), e);
      case SegExp.Branch b -> control.branch(stm.pattern(), b);
      case SegExp.Iterate l -> control.loop(stm.pattern(), l);
      case SegExp.Accumulate a ->
          soacs.accumulate(stm.pattern(), a, v -> ElementsRead.of(body, k, v, scope::counts));
      case SegExp.Par(var op) -> target.segOp(stm.pattern(), op);
      case SegExp.Versions v -> control.versions(stm.pattern(), v);
    }
  }

  private void plain(List<Var> pattern, Exp exp) {
    switch (exp) {
      case Unary _, Binary _, Compare _, Fma _, Convert _ ->
          scope.bindScalar(pattern.getFirst(), scalars.lower(exp));
      case Alias(var x) -> scope.bind(pattern.getFirst(), scope.val(x));
      case Assert(var c, var code, var message, var arguments) ->
          scope.add(
              new Code.Check(
                  scope.scalar(c),
                  new Fault(code, scope.span(), message),
                  arguments.stream().filter(a -> a.type().isScalar()).map(scope::scalar).toList()));
      case Trace(var label, var x) -> {
        trace(label, x);
        scope.bind(pattern.getFirst(), scope.val(x));
      }
      case Index(var a, var is, var checked) -> {
        var array = scope.array(a);
        var indices = scope.scalars(is);
        if (checked) {
          checkIndices(array, indices);
        }
        scope.bind(pattern.getFirst(), arrays.index(array, indices));
      }
      case Screma s -> soacs.screma(pattern, s);
      case Hist h -> soacs.hist(pattern, h);
      case Scatter s -> soacs.scatter(pattern, s);
      case UpdateAcc(var acc, var is, var xs) -> {
        var target = scope.acc(acc);
        var vals = xs.stream().map(scope::val).toList();
        soacs.accs().guarded(target, scope.scalars(is), vals);
        scope.bind(pattern.getFirst(), target);
      }
      case Exp.View _, NewArray _, Update _ -> {
        scope.noteElements(pattern.getFirst(), exp);
        scope.bind(pattern.getFirst(), array(pattern.getFirst(), exp));
      }
      case If _, Loop _, WithAcc _ ->
          throw new CompilerBug("loops", "control flow is not in seg form");
      case Apply(var f, var xs) -> calls.apply(pattern, f, xs);
      case Filter _ -> throw new CompilerBug("loops", "a filter inside an operator is left");
      case Jvp _, Vjp _, WithVjp _ -> throw new CompilerBug("loops", "a derivative is left");
    }
  }

  private Val array(Var v, Exp exp) {
    return switch (exp) {
      case Slice(var a, var slice, var checked) -> {
        var array = scope.array(a);
        if (checked) {
          checkSlice(array, slice);
        }
        yield arrays.slice(array, slice);
      }
      case Update(var a, var slice, var x, var checked) -> update(v, a, slice, x, checked);
      case Iota(var n, var start, var step) -> {
        checkSizes(List.of(scope.scalar(n)));
        yield new Counting(scope.scalar(n), scope.scalar(start), scope.scalar(step));
      }
      case Replicate(var shape, var x) -> replicate(v, scope.scalars(shape), x);
      case Scratch(_, var shape) -> {
        checkSizes(scope.scalars(shape));
        yield arrays.destination(v);
      }
      case ArrayLit l when constants.holds(l) -> constants.of(l);
      case ArrayLit(var xs, _) -> {
        var to = arrays.destination(v);
        for (int i = 0; i < xs.size(); i++) {
          arrays.write(to, List.of(Expr.i64(i)), scope.val(xs.get(i)));
        }
        yield to;
      }
      case Concat(var dim, var xs, _) -> concat(v, dim, xs);
      case Rearrange(var perm, var a) -> arrays.rearrange(perm, scope.array(a));
      case Reshape(var shape, var a) -> arrays.reshape(scope.scalars(shape), scope.array(a));
      case Copy(var a) -> fresh(v, scope.array(a));
      default -> throw new CompilerBug("loops", "not an array expression: " + exp);
    };
  }

  private ArrayVal fresh(Var v, ArrayVal a) {
    return a instanceof View ? arrays.materialise(v.name(), a, scope.wanted(v)) : a;
  }

  private Val replicate(Var v, List<Expr> shape, Atom x) {
    checkSizes(shape);
    if (x instanceof Var source && source.type().isArray() && scope.sharing().consumed(source)) {
      // an update that comes later must not be seen through the replicate
      var all = arrays.replicated(shape, scope.val(x));
      return arrays.materialise(v.name(), (ArrayVal) all, scope.wanted(v));
    }
    return arrays.replicated(shape, scope.val(x));
  }

  private ArrayVal concat(Var v, int dim, List<Var> xs) {
    var to = arrays.destination(v);
    Expr from = Expr.i64(0);
    for (var x : xs) {
      var part = scope.array(x);
      var n = part.dims().get(dim);
      var offset = scope.let("off", Expr.add(to.offset(), Expr.mul(from, to.strides().get(dim))));
      var dims = new ArrayList<>(to.dims());
      dims.set(dim, n);
      var window =
          new View(
              to.prim(),
              to.base(),
              offset,
              dims,
              to.strides(),
              to.contiguous() && dim == 0,
              to.level(),
              to.owner());
      arrays.copy(window, part);
      from = scope.let("from", Expr.add(from, n));
    }
    return to;
  }

  private ArrayVal update(Var v, Var a, List<DimSlice> slice, Atom x, boolean checked) {
    var old = scope.array(a);
    if (checked) {
      checkSlice(old, slice);
    }
    var to = arrays.owned(v.name(), old, scope.wanted(v));
    switch (scope.val(x)) {
      case Val.Scalar(var e) -> {
        var indices = slice.stream().map(d -> scope.scalar(((DimSlice.Fix) d).index())).toList();
        arrays.store(to, indices, e);
      }
      case ArrayVal value when placements.isThere((Var) x, value, to) -> {}
      case ArrayVal value -> {
        boolean overlaps = value instanceof View && scope.sharing().mayShare(a, x);
        var from = overlaps ? arrays.materialise("copy", value, null) : value;
        arrays.copy(arrays.sliceView(to, slice), from);
      }
      case Val.Acc _ -> throw new CompilerBug("loops", "an array of accumulators");
    }
    return to;
  }

  private void trace(String label, Atom x) {
    if (scope.val(x) instanceof Val.Scalar(var e)) {
      scope.add(new Code.Print(label, e));
    } else if (scope.val(x) instanceof ArrayVal a) {
      scope.forEach(
          "i",
          a.dims().getFirst(),
          i -> {
            if (arrays.index(a, List.of(i)) instanceof Val.Scalar(var e)) {
              scope.add(new Code.Print(label, e));
            }
          });
    }
  }

  private void checkIndices(ArrayVal array, List<Expr> indices) {
    Expr inside = null;
    for (int k = 0; k < indices.size(); k++) {
      inside = both(inside, Scope.inBounds(indices.get(k), array.dims().get(k)));
    }
    check(inside, "{}" + ", {}".repeat(indices.size() - 1), indices, array.dims());
  }

  private static Expr both(Expr a, Expr b) {
    return a == null ? b : Scope.and(a, b);
  }

  /** Checks the condition. The message tells as many dimensions as there are arguments. */
  private void check(Expr condition, String what, List<Expr> arguments, List<Expr> dims) {
    int told = Math.min(arguments.size(), dims.size());
    var shape = "[{}]".repeat(told);
    var message = "Index [" + what + "] out of bounds for array of shape " + shape + ".";
    scope.check(condition, K5001, message, Lists.concat(arguments, dims.subList(0, told)));
  }

  private void checkSlice(ArrayVal array, List<DimSlice> slice) {
    for (int k = 0; k < slice.size(); k++) {
      var n = array.dims().get(k);
      switch (slice.get(k)) {
        case DimSlice.Fix(var index) -> {
          var i = scope.scalar(index);
          check(Scope.inBounds(i, n), "{}", List.of(i), List.of(n));
        }
        case DimSlice.Range(var start, var count, var step) -> {
          var first = scope.scalar(start);
          var c = scope.scalar(count);
          var by = scope.scalar(step);
          var last = scope.let("last", Expr.add(first, Expr.mul(Expr.sub(c, Expr.i64(1)), by)));
          var within = Scope.and(Scope.inBounds(first, n), Scope.inBounds(last, n));
          var some = Scope.and(Scope.less(Expr.i64(0), c), within);
          var ok = new Expr.Bin(BinaryOp.OR, Scope.equal(c, Expr.i64(0)), some);
          var end = Expr.add(first, Expr.mul(c, by));
          check(ok, "{}:{}:{}", List.of(first, end, by), List.of(n));
        }
      }
    }
  }

  private void checkSizes(List<Expr> sizes) {
    for (var n : sizes) {
      if (!(n instanceof Expr.Lit l && l.value().bits() >= 0)) {
        var ok = new Expr.Cmp(CompareOp.LE, Expr.i64(0), n);
        scope.check(ok, K5005, "negative size {} of an array", List.of(n));
      }
    }
  }
}
