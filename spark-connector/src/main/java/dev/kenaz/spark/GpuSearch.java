package dev.kenaz.spark;

import dev.kenaz.cuda.runtime.NvidiaDevice;
import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.UserError;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.Function;

/**
 * Looks whether the executors of a cluster have GPUs, by a short job before all others. Without it,
 * each executor would end at its first task, and Spark would start others that end, too.
 */
final class GpuSearch {
  private GpuSearch() {}

  /**
   * @throws UserError what is wrong with an executor's GPU (K7601, K7602), if no task has one that
   *     it can use, or if Spark doesn't manage GPUs, some tasks have none, and nobody says that
   *     processors may compute in their place
   */
  static void require(JavaSparkContext spark) {
    var cluster = new Cluster(spark);
    var profile = cluster.gpus();
    int tasks = cluster.slots(profile);
    List<ArrayList<Outcome.Fault>> faults;
    try {
      faults =
          JobTitle.during(
              spark.sc(),
              "kenaz: looks for GPUs",
              () -> {
                var looks = spark.parallelize(Collections.nCopies(tasks, 0), tasks);
                var found = looks.map(new Look());
                return profile.map(found::withResources).orElse(found).collect();
              });
    } catch (Exception e) { // Spark throws checked exceptions that it does not declare.
      throw SparkFaults.explain(e, spark.sc());
    }
    var missing =
        faults.stream()
            .filter(f -> !f.isEmpty())
            .map(f -> Outcome.Fault.error(f).diagnostics().getFirst())
            .toList();
    if (missing.size() == faults.size()) {
      throw none(missing.getFirst());
    }
    boolean managed = profile.isPresent() || GpuStages.isManaged(spark.getConf());
    if (!missing.isEmpty() && !managed && !KenazKey.GPU_FALLBACK.flag(spark.getConf())) {
      throw some(missing, faults.size());
    }
  }

  private static UserError some(List<Diagnostic> missing, int all) {
    var first = missing.getFirst();
    var message =
        "%d of %d tasks find no GPU that they can use: %s"
            .formatted(missing.size(), all, first.message());
    return new UserError(
        List.of(new Diagnostic(first.code(), first.span(), message, GpuFault.MIXED)));
  }

  private static UserError none(Diagnostic first) {
    var hints = new ArrayList<String>();
    hints.add("start executors where GPUs are, and let Spark tell tasks which one they have:");
    hints.add(
        "--conf spark.executor.resource.gpu.amount=1 (docs/operations.md#gpus);"
            + " or set \"backend\": \"jvm\"");
    hints.addAll(first.hints());
    return new UserError(
        List.of(
            new Diagnostic(first.code(), first.span(), "of executors: " + first.message(), hints)));
  }

  /** Returns why a task can't use a GPU; nothing if it can. */
  private static final class Look implements Function<Integer, ArrayList<Outcome.Fault>> {
    private static final long serialVersionUID = 1L;

    @Override
    public ArrayList<Outcome.Fault> call(Integer task) {
      ShardTask.beginInProcess();
      try {
        NvidiaDevice.require(Gpus.ofTask());
        return new ArrayList<>();
      } catch (UserError e) {
        var d = e.diagnostics().getFirst();
        var env = SparkEnv.get();
        var where = "executor %s on %s: ".formatted(env.executorId(), host(env));
        var said = new Diagnostic(d.code(), d.span(), where + d.message(), d.hints());
        return new ArrayList<>(Outcome.Fault.of(new UserError(List.of(said))));
      }
    }

    private static String host(SparkEnv env) {
      return env.blockManager().blockManagerId().host();
    }
  }
}
