package dev.kenaz.spark;

import dev.kenaz.distribute.Plan;
import dev.kenaz.distribute.PlanRunner.Caller;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.pipeline.StepCaller;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.TaskContext;

/**
 * An entry point of a program in source text.
 *
 * @param dataset the positions of the parameters that are the dataset
 * @param backend what runs the plan's functions
 */
public record SourceText(ProgramSource source, String entry, Set<Integer> dataset, Backend backend)
    implements ProgramText {
  /** The plans of this process, which compiles a text once. */
  private static final ConcurrentHashMap<String, Plan> PLANS = new ConcurrentHashMap<>();

  private static final ConcurrentHashMap<String, StepCaller> CALLERS = new ConcurrentHashMap<>();

  public SourceText {
    dataset = Set.copyOf(dataset);
  }

  @Override
  public String key() {
    return entry + " " + dataset + " " + backend + " " + new TreeMap<>(source.files());
  }

  @Override
  public Plan plan() {
    return PLANS.computeIfAbsent(
        key(),
        k -> {
          // The plan's functions are compiled one by one; see caller.
          var options = CompileOptions.of(backend);
          return Compiler.run(source, Pipelines.plan(options, entry, dataset, false), options)
              .program();
        });
  }

  @Override
  public Caller caller(int cores) {
    // GPUs are for tasks: the driver may have no GPU, and has little to compute.
    boolean driver = backend == Backend.CUDA && TaskContext.get() == null;
    var options =
        CompileOptions.of(driver ? Backend.JVM : backend).onCores(cores).onDevice(Gpus.ofTask());
    return CALLERS.computeIfAbsent(options.toString(), _ -> new StepCaller(options));
  }
}
