package dev.kenaz.distribute;

import dev.kenaz.error.Limitation;
import dev.kenaz.error.UserError;
import dev.kenaz.interpret.Counter;
import dev.kenaz.interpret.Interpreter;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.ir.Verifier;
import dev.kenaz.jvm.JvmOptions;
import dev.kenaz.jvm.JvmProgram;
import dev.kenaz.pass.Pipeline;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueComparison;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * Plans a program and compares what the plan gives over many ways of cutting the dataset with what
 * the interpreter gives over the whole. Parameters whose outer size is {@code n} are the dataset.
 */
final class WholeAndPieces {
  /** What the plan of a program came to. */
  sealed interface Outcome {}

  /** All cuts gave what the whole does. */
  record Same(Plan plan) implements Outcome {}

  /** There is no plan. */
  record Refused(Limitation why) implements Outcome {}

  /**
   * The program itself fails on these arguments, so there is nothing to compare with.
   *
   * @param inPieces what pieces tell, if that is something else: another fault may come first
   */
  record Failing(String why, Set<String> inPieces) implements Outcome {}

  record Different(String what) implements Outcome {}

  /** Which of the cuts runs go on over that are kept: four pieces, the last one empty. */
  private static final int RESUMED = 4;

  private final CoreProgram core;
  private final FunDef function;
  private final Map<String, Long> sizes;
  private final SplittableRandom random;
  private final double tolerance;
  private final Set<String> datasets;
  private final PlanRunner.Caller backend;

  private WholeAndPieces(
      CoreProgram core,
      Map<String, Long> sizes,
      long seed,
      PlanRunner.Caller backend,
      Set<String> datasets) {
    this.datasets = datasets;
    this.backend = backend;
    this.core = core;
    var point = core.entries().getFirst();
    this.function = core.function(point.function());
    this.sizes = sizes;
    this.random = new SplittableRandom(seed);
    this.tolerance = function.toString().contains("f32") ? 1e-3 : 1e-8;
  }

  static CoreProgram compiled(String text) {
    return Optimised.differentiated(text);
  }

  /** Of the first entry point of the text, with values from the seed; steps are interpreted. */
  static Outcome compare(String text, Map<String, Long> sizes, long seed) {
    return compare(text, sizes, seed, Set.of("n"));
  }

  /** The same, with several datasets: the names of their numbers of rows. */
  static Outcome compare(String text, Map<String, Long> sizes, long seed, Set<String> datasets) {
    return new WholeAndPieces(compiled(text), sizes, seed, new Interpreted()::call, datasets)
        .compare();
  }

  /** The same, with the plan's steps compiled for the JVM. */
  static Outcome compareCompiled(
      String text, Map<String, Long> sizes, long seed, Set<String> datasets) {
    try (var onJvm = new OnJvm()) {
      return new WholeAndPieces(compiled(text), sizes, seed, onJvm::call, datasets).compare();
    }
  }

  /** How much work a program's plan is over four pieces, compared with the whole program. */
  static double workOfPieces(String text, Map<String, Long> sizes, Set<String> datasets) {
    var pieces = new Counter();
    var it =
        new WholeAndPieces(
            compiled(text), sizes, 3, (f, arguments) -> counted(f, arguments, pieces), datasets);
    var whole = new Counter();
    var values = it.values();
    Interpreter.call(
        Pipelines.FUSED.apply(it.core), it.entry().name(), it.arguments(values), whole);
    long n = sizes.get("n");
    it.run(it.plan(), values, new long[] {0, n / 4, n / 2, n - n / 4, n});
    return (double) pieces.total() / whole.total();
  }

  private static List<Value> counted(FunDef f, List<Value> arguments, Counter counter) {
    var program = Pipelines.FUSED.apply(StepProgram.of(f));
    return Interpreter.call(program, f.name(), arguments, counter);
  }

  private EntryPoint entry() {
    return core.entries().getFirst();
  }

  private Plan plan() {
    var entry = entry();
    var dataset = new TreeSet<Integer>();
    int at = entry.sizeParams();
    for (int i = 0; i < entry.params().size(); i++) {
      if (isColumn(function.params().get(at))) {
        dataset.add(i);
      }
      at += entry.params().get(i).type().flat().size();
    }
    var plan = Planner.passes(entry.name(), dataset, true).apply(core);
    PlanVerifier.verify(plan, "plan");
    return plan;
  }

  private Map<Var, Value> values() {
    var values = new HashMap<Var, Value>();
    function.params().forEach(p -> values.put(p, argument(p)));
    return values;
  }

  private List<Value> arguments(Map<Var, Value> values) {
    var params = function.params();
    return params.subList(entry().sizeParams(), params.size()).stream().map(values::get).toList();
  }

  private Outcome compare() {
    var entry = entry();
    Plan plan;
    try {
      plan = plan();
    } catch (Limitation e) {
      return new Refused(e);
    }
    var values = values();
    var arguments = arguments(values);
    List<Value> expected;
    try {
      expected = Interpreter.call(core, entry.name(), arguments);
    } catch (RuntimeException e) {
      return failing(plan, values, e);
    }
    for (long[] cuts : cuts(sizes.get("n"))) {
      var difference = difference(plan, values, cuts, expected);
      if (difference.isPresent()) {
        return new Different(difference.get() + " over " + Arrays.toString(cuts));
      }
    }
    var difference = resumed(plan, values, cuts(sizes.get("n")).get(RESUMED));
    return difference.isPresent() ? new Different(difference.get()) : new Same(plan);
  }

  /** Goes on from the first state of a run, and from the last one. */
  private Optional<String> resumed(Plan plan, Map<Var, Value> values, long[] cuts) {
    var observer = TakesStates.beginning();
    var results = run(plan, values, cuts, observer);
    var states = observer.states();
    for (int i = 0; i < states.size(); i += Math.max(1, states.size() - 1)) {
      var again = run(plan, values, cuts, TakesStates.goingOn(states.get(i)));
      var difference = ValueComparison.difference(results, again, 0);
      if (difference.isPresent()) {
        return Optional.of(difference.get() + " from " + states.get(i).position());
      }
    }
    return Optional.empty();
  }

  /** What fails over the whole fails over all pieces: no assertion is lost. */
  private Outcome failing(Plan plan, Map<Var, Value> values, RuntimeException whole) {
    var told = new TreeSet<String>();
    for (long[] cuts : cuts(sizes.get("n"))) {
      try {
        run(plan, values, cuts);
        return new Different(
            "the whole fails, but not its pieces over "
                + Arrays.toString(cuts)
                + ": "
                + whole.getMessage());
      } catch (UserError e) {
        told.add(text(e));
      }
    }
    told.remove(text(whole));
    return new Failing(text(whole), told);
  }

  private static String text(RuntimeException e) {
    return e instanceof UserError fault
        ? fault.diagnostics().getFirst().code() + " " + e.getMessage()
        : e.getMessage();
  }

  private boolean isColumn(Var v) {
    return v.type() instanceof Type.Array a
        && a.shape().getFirst() instanceof Var n
        && datasets.contains(n.name());
  }

  /** 1, 2, 3, 4 and 7 pieces, ragged and with empty ones. */
  private List<long[]> cuts(long n) {
    var all = new ArrayList<long[]>();
    all.add(new long[] {0, n});
    all.add(new long[] {0, n / 3, n});
    all.add(new long[] {0, 0, n});
    all.add(new long[] {0, n / 2, n / 2, n});
    all.add(new long[] {0, Math.min(n, 1), (n + 1) / 2, n, n});
    var seven = random.longs(6, 0, n + 1).sorted().toArray();
    var cuts = new long[8];
    System.arraycopy(seven, 0, cuts, 1, 6);
    cuts[7] = n;
    all.add(cuts);
    return all;
  }

  private Optional<String> difference(
      Plan plan, Map<Var, Value> values, long[] cuts, List<Value> expected) {
    try {
      var results = run(plan, values, cuts);
      return ValueComparison.difference(expected, results, tolerance);
    } catch (RuntimeException e) {
      return Optional.of("fails: " + e + " at " + e.getStackTrace()[0]);
    }
  }

  private List<Value> run(Plan plan, Map<Var, Value> values, long[] cuts) {
    return run(plan, values, cuts, PlanObserver.NONE);
  }

  private List<Value> run(Plan plan, Map<Var, Value> values, long[] cuts, PlanObserver observer) {
    var columns = plan.sharded().stream().map(values::get).toList();
    var replicated = plan.replicated().stream().map(values::get).toList();
    var spaces = new ArrayList<Cuts>();
    for (var space : plan.pieces().datasets()) {
      long rows = sizes.get(space.rows().name());
      long first = Math.max(1, sizes.get("n"));
      var of = Arrays.stream(cuts).map(c -> c * rows / first).toArray();
      of[cuts.length - 1] = rows;
      spaces.add(Cuts.between(of));
    }
    return new LocalPieces(LocalPieces.whole(plan, columns, spaces), spaces, backend)
        .results(plan, replicated, observer);
  }

  /** Interprets steps, each of which it verifies once. */
  private static final class Interpreted {
    private final Map<FunDef, CoreProgram> programs = new IdentityHashMap<>();

    List<Value> call(FunDef f, List<Value> arguments) {
      return Interpreter.call(
          programs.computeIfAbsent(f, WholeAndPieces::verified), f.name(), arguments);
    }
  }

  /** Compiles steps for the JVM, each of them once. */
  private static final class OnJvm implements AutoCloseable {
    private static final Pipeline<CoreProgram, JvmProgram> PASSES =
        Pipelines.FUSED.then(Pipelines.jvm(JvmOptions.defaults().withWorkers(2)));

    private final Map<FunDef, JvmProgram> programs = new IdentityHashMap<>();

    List<Value> call(FunDef f, List<Value> arguments) {
      return programs.computeIfAbsent(f, g -> PASSES.apply(verified(g))).call(f.name(), arguments);
    }

    @Override
    public void close() {
      programs.values().forEach(JvmProgram::close);
    }
  }

  private static CoreProgram verified(FunDef f) {
    var program = StepProgram.of(f);
    Verifier.verify(program, "distribute");
    return program;
  }

  private Value argument(Var p) {
    if (p.type().equals(Type.I64) && sizes.containsKey(p.name())) {
      return ScalarValue.i64(sizes.get(p.name()));
    }
    var shape = p.type().dims().stream().mapToLong(this::size).toArray();
    long count = Arrays.stream(shape).reduce(1, (a, b) -> a * b);
    var numbers = random.doubles(count, -2, 2).map(x -> Math.round(x * 64) / 64.0).toArray();
    var prim = p.type().elemPrim();
    if (!prim.isFloat()) {
      numbers = random.longs(count, prim == Prim.BOOL ? 0 : -1, 5).asDoubleStream().toArray();
      if (prim == Prim.BOOL) {
        numbers = Arrays.stream(numbers).map(x -> x > 1 ? 1 : 0).toArray();
      }
    }
    if (p.type().isScalar()) {
      return ScalarValue.ofDouble(prim, numbers[0]);
    }
    return ArrayValue.ofDoubles(prim, numbers, shape);
  }

  private long size(Atom dim) {
    return dim instanceof Const(var c) ? c.asLong() : sizes.get(((Var) dim).name());
  }
}
