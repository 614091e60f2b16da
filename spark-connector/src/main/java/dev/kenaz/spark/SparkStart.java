package dev.kenaz.spark;

import static dev.kenaz.error.ErrorCode.K8209;

import dev.kenaz.cuda.runtime.NvidiaDevice;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Optional;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.util.Utils;

/** Opens Spark: the one that spark-submit or a configuration names, else one in this process. */
public final class SparkStart {
  private SparkStart() {}

  /**
   * Opens a context for computations on processors.
   *
   * @param master the Spark master; if it is empty, spark-submit chooses or, without spark-submit,
   *     Spark runs in this process on all cores
   * @throws UserError K8204 if Spark can't be reached
   */
  public static JavaSparkContext open(String application, Optional<String> master) {
    return open(application, master, Backend.JVM);
  }

  /**
   * Opens a context, which the caller closes.
   *
   * @param backend what tasks compute with; if that is a GPU, this process or the executors must
   *     have one
   * @throws UserError K8204 if Spark can't be reached, K7601 if there is no GPU, K8207 if a key of
   *     Kenaz in Spark's configuration makes no sense, K8209 if it can't write temporary files
   */
  public static JavaSparkContext open(
      String application, Optional<String> master, Backend backend) {
    return open(application, master, backend, false);
  }

  /**
   * Does the same.
   *
   * @param fallback whether executors without a GPU compute on their processors what is meant for
   *     GPUs; Spark's configuration may say so, too
   */
  public static JavaSparkContext open(
      String application, Optional<String> master, Backend backend, boolean fallback) {
    var conf = new SparkConf().setAppName(application);
    if (fallback) {
      conf.set(KenazKey.GPU_FALLBACK.key(), "true");
    }
    master.ifPresent(conf::setMaster);
    conf.setIfMissing("spark.master", "local[*]");
    KenazKey.check(conf);
    boolean local = conf.get("spark.master").startsWith("local");
    if (local && backend == Backend.CUDA) {
      NvidiaDevice.require(CompileOptions.ANY_DEVICE);
    }
    if (local) {
      // So a task without memory is reported as such; otherwise Spark would end the process without
      // a message.
      conf.setIfMissing("spark.executor.killOnFatalError.depth", "0");
      conf.setIfMissing("spark.ui.enabled", "false");
      conf.setIfMissing("spark.driver.bindAddress", "127.0.0.1");
      conf.setIfMissing("spark.driver.host", "127.0.0.1");
      // What passes between driver and tasks stays in this process: results need no way around by
      // Spark's store of blocks, and compressing takes longer than it saves.
      conf.setIfMissing("spark.task.maxDirectResultSize", "64m");
      conf.setIfMissing("spark.broadcast.compress", "false");
      // Spark clears a block for each broadcast, and so for each stage. The usual 4 MB are a
      // humongous object, for some of which the garbage collector begins a cycle.
      conf.setIfMissing("spark.broadcast.blockSize", "128k");
    }
    conf.setIfMissing("spark.ui.showConsoleProgress", "false");
    // The plan says what comes to the driver; there is no other bound than memory.
    conf.setIfMissing("spark.driver.maxResultSize", "0");
    // A task waits this long for the executor that has its shard in memory, before it goes to
    // another one.
    conf.setIfMissing("spark.locality.wait", "1s");
    MasterSearch.require(conf.get("spark.master"));
    requireLocalFolder(conf);
    var spark = started(conf, local);
    if (!local) {
      ExecutorsAwaited.watch(spark.sc());
    }
    if (!local && backend == Backend.CUDA) {
      try {
        GpuSearch.require(spark);
      } catch (RuntimeException e) {
        spark.close();
        throw e;
      }
    }
    return spark;
  }

  /**
   * Gives executors with a small heap the collector of Java that takes the least memory. Kenaz has
   * rows and arrays outside of the heap, where only short-lived objects of Spark are left; Java's
   * usual collector lets hundreds of megabytes of them gather. Options that the user has chosen
   * remain as they are, since Java refuses two collectors.
   */
  static void leanExecutors(SparkConf conf) {
    boolean chosen =
        conf.contains("spark.executor.extraJavaOptions")
            || conf.contains("spark.executor.defaultJavaOptions");
    boolean small = conf.getSizeAsBytes("spark.executor.memory", "1g") <= 1L << 30;
    if (small && !chosen) {
      conf.set("spark.executor.defaultJavaOptions", "-XX:+UseSerialGC -XX:MaxNewSize=32m");
    }
  }

  /** Finds a folder for Spark's temporary files: without one, Spark would end this process. */
  private static void requireLocalFolder(SparkConf conf) {
    var reasons = new ArrayList<String>();
    for (var name : Utils.getConfiguredLocalDirs(conf)) {
      try {
        var folder = Files.createDirectories(Path.of(name));
        Files.delete(Files.createTempDirectory(folder, "kenaz"));
        return;
      } catch (IOException | InvalidPathException e) {
        reasons.add(name + " (" + reason(e) + ")");
      }
    }
    throw new UserError(
        K8209,
        Span.NONE,
        "Spark can't write temporary files: " + String.join(", ", reasons),
        "make room there, or name another folder: spark.local.dir or SPARK_LOCAL_DIRS");
  }

  private static String reason(Exception e) {
    return e instanceof IOException io ? UserPath.reason(Path.of(""), io) : e.getMessage();
  }

  private static JavaSparkContext started(SparkConf conf, boolean local) {
    try {
      if (!local) {
        leanExecutors(conf);
      }
      var spark = new JavaSparkContext(conf);
      KenazPlugin.prepare(spark.sc());
      return spark;
    } catch (Exception e) { // Spark throws checked exceptions that it does not declare.
      throw SparkFaults.explainStart(e, local, conf.get("spark.master"));
    }
  }

  /**
   * Returns how many bytes of loaded data an executor of this context may keep: half of its memory,
   * unless Spark's configuration says otherwise.
   *
   * @throws UserError K8207 if a key of Kenaz there makes no sense
   */
  public static long cacheBytes(JavaSparkContext spark) {
    var conf = spark.getConf();
    KenazKey.check(conf);
    long memory =
        spark.isLocal()
            ? Runtime.getRuntime().maxMemory()
            : conf.getSizeAsBytes("spark.executor.memory", "1g");
    return KenazKey.CACHE.bytes(conf).orElse(memory / 2);
  }
}
