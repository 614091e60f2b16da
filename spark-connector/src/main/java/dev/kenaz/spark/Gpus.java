package dev.kenaz.spark;

import dev.kenaz.cache.CacheFolder;
import dev.kenaz.cuda.runtime.DriverProbe;
import dev.kenaz.cuda.runtime.NvidiaDevice;
import dev.kenaz.cuda.runtime.Transfers;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.options.CompileOptions;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskKilledException;

/** Finds which GPU a task may use: the one that Spark has assigned to it, and no other. */
final class Gpus {
  /** For each device of this process, how many more tasks may compute on it now. */
  private static final Map<Integer, Semaphore> ROOM = new ConcurrentHashMap<>();

  /** Whether this process has found a GPU; null before it has looked. */
  private static Boolean found;

  private Gpus() {}

  /**
   * Whether a task of a program for GPUs computes on one. It does, unless the process finds none
   * and Spark's configuration says that its processor may do it; that is decided once.
   *
   * @throws UserError if there is a GPU that can't be used
   */
  static synchronized boolean areHere() {
    if (!KenazKey.GPU_FALLBACK.flag(SparkEnv.get().conf())) {
      return true;
    }
    if (found == null) {
      try {
        NvidiaDevice.require(ofTask());
        found = true;
      } catch (UserError e) {
        if (e.diagnostics().getFirst().code() != ErrorCode.K7601) {
          throw e;
        }
        found = false;
      }
    }
    return found;
  }

  /**
   * Returns the number that the driver gives to the task's GPU; any GPU outside of a task, and
   * where Spark doesn't manage GPUs.
   */
  static int ofTask() {
    var task = TaskContext.get();
    var given = task == null ? null : task.resourcesJMap().get("gpu");
    return given == null || given.addresses().length == 0
        ? CompileOptions.ANY_DEVICE
        : DriverProbe.report(given.addresses()[0]).find(given.addresses()[0]);
  }

  /** Tells the GPU's runtime where compiled kernels are kept, if Spark's configuration says so. */
  static void keepKernels() {
    KenazKey.KERNELS
        .text(SparkEnv.get().conf())
        .filter(_ -> System.getProperty(CacheFolder.PROPERTY) == null)
        .ifPresent(folder -> System.setProperty(CacheFolder.PROPERTY, folder));
  }

  /**
   * What a task has computed on its GPU.
   *
   * @param nanos for how long it had the GPU, without the time that it waited for it
   * @param copied what it has copied to the GPU and back
   */
  record Computed<T>(T value, long nanos, Transfers copied) {}

  /**
   * Lets a task compute on its GPU once there is room: as many tasks as {@link KenazKey#GPU_TASKS}
   * says compute there at once, and the others wait in the order in which they came.
   */
  static <T> Computed<T> computing(Supplier<T> work) {
    int most = KenazKey.GPU_TASKS.count(SparkEnv.get().conf());
    return computing(ROOM.computeIfAbsent(ofTask(), _ -> new Semaphore(most, true)), work);
  }

  static <T> Computed<T> computing(Semaphore room, Supplier<T> work) {
    try {
      room.acquire();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TaskKilledException("interrupted while it waited for a GPU");
    }
    long start = System.nanoTime();
    var before = Transfers.ofThread();
    try {
      var value = work.get();
      var copied = Transfers.ofThread().since(before);
      return new Computed<>(value, System.nanoTime() - start, copied);
    } finally {
      room.release();
    }
  }
}
