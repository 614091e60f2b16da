package dev.kenaz.spark;

import dev.kenaz.ad.Derivation;
import dev.kenaz.distribute.Plan;
import dev.kenaz.distribute.PlanRunner.Caller;
import dev.kenaz.jvm.VectorChecks;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.PiecewiseEntry;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.pipeline.StepCaller;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.spark.TaskContext;

/**
 * An entry point of a program in source text.
 *
 * @param derivations the derivatives that lead from there to the program with the entry point
 * @param dataset the positions of the parameters that are the dataset
 * @param gathers whether what can't be computed piece by piece runs in one place
 * @param backend what runs the plan's functions
 * @param loopMemory how many bytes a loop may keep for its reverse derivative
 */
public record SourceText(
    ProgramSource source,
    List<Derivation> derivations,
    String entry,
    Set<Integer> dataset,
    boolean gathers,
    Backend backend,
    long loopMemory)
    implements ProgramText {
  static {
    VectorChecks.leaveOut();
  }

  /** The plans of this process, which compiles a text once as long as it is in use. */
  static final Recent<String, Plan> PLANS = new Recent<>(32);

  /** What calls the functions of plans, and keeps what they are compiled to. */
  static final Recent<CallerOf, StepCaller> CALLERS = new Recent<>(64);

  /** A text, and how its functions are compiled. */
  record CallerOf(SourceText text, String options) {}

  public SourceText {
    derivations = List.copyOf(derivations);
    dataset = Set.copyOf(dataset);
  }

  /** Makes the text of a program all of which must be divided. */
  public SourceText(ProgramSource source, String entry, Set<Integer> dataset, Backend backend) {
    this(source, List.of(), entry, dataset, false, backend, CompileOptions.UNLIMITED);
  }

  /** Makes the text of a program that this process has planned already. */
  public static SourceText of(
      ProgramSource source, PiecewiseEntry planned, List<String> rows, CompileOptions options) {
    return of(source, List.of(), planned, rows, options, true);
  }

  /**
   * Makes the text of a program that this process has planned already.
   *
   * @param derivations the derivatives that lead from there to the program with the entry point
   * @param gathers whether the plan may gather rows in one place
   */
  public static SourceText of(
      ProgramSource source,
      List<Derivation> derivations,
      PiecewiseEntry planned,
      List<String> rows,
      CompileOptions options,
      boolean gathers) {
    var dataset = new TreeSet<Integer>();
    for (int i = 0; i < planned.type().params().size(); i++) {
      if (rows.contains(planned.type().params().get(i).name())) {
        dataset.add(i);
      }
    }
    var text =
        new SourceText(
            source,
            derivations,
            planned.type().name(),
            dataset,
            gathers,
            options.backend(),
            options.loopMemory());
    PLANS.get(text.key(), planned::plan);
    return text;
  }

  @Override
  public boolean usesGpu() {
    return backend == Backend.CUDA;
  }

  private CompileOptions options() {
    return CompileOptions.of(backend).withLoopMemory(loopMemory);
  }

  @Override
  public String key() {
    return String.join(
        " ",
        derivations.toString(),
        entry,
        dataset.toString(),
        gathers ? "gathers" : "divides",
        backend.text(),
        Long.toString(loopMemory),
        new TreeMap<>(source.files()).toString());
  }

  @Override
  public Plan plan() {
    return PLANS.get(
        key(),
        () -> {
          // The plan's functions are compiled one by one; see caller.
          var options = options();
          var lowered = Compiler.run(source, Pipelines.lowered(), options).program();
          for (var derivation : derivations) {
            lowered = derivation.of(lowered);
          }
          var passes = Pipelines.planLowered(options, entry, dataset, gathers);
          return Compiler.run(lowered, passes, options).program();
        });
  }

  @Override
  public Caller caller(int cores) {
    // GPUs are for tasks: the driver may have no GPU, and has little to compute.
    boolean without = backend == Backend.CUDA && (TaskContext.get() == null || !Gpus.areHere());
    var options =
        CompileOptions.of(without ? Backend.JVM : backend).onCores(cores).onDevice(Gpus.ofTask());
    return CALLERS.get(new CallerOf(this, options.toString()), () -> new StepCaller(options));
  }
}
