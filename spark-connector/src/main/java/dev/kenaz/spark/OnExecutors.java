package dev.kenaz.spark;

import dev.kenaz.options.CompileOptions;
import java.io.IOException;
import java.io.Serializable;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.Function;
import org.apache.spark.resource.ResourceProfile;
import scala.Tuple2;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;

/**
 * Runs pieces of work on the executors of a cluster, one at a time on each machine, as measurements
 * need it; of work on GPUs, one at a time on each GPU, and nothing else on its machine. An executor
 * takes the next piece as soon as it has ended one. If it is lost, Spark repeats the piece
 * elsewhere.
 */
public final class OnExecutors {
  private static final ReentrantLock THIS_PROCESS = new ReentrantLock();

  private OnExecutors() {}

  /** What is done with a piece. */
  public interface Work<T, R> extends Serializable {
    /**
     * Returns whether this is work on a GPU, for which Spark is asked for one if it manages GPUs.
     */
    boolean isOnGpu(T piece);

    /**
     * Does the work in an executor.
     *
     * @param device the number of the GPU that Spark has assigned, or {@link
     *     CompileOptions#ANY_DEVICE}
     */
    R on(T piece, int device) throws Exception;
  }

  /** Takes what has become of a piece of work. Calls come from one thread at a time. */
  public interface Outcomes<T, R> {
    void done(T piece, R result);

    void failed(T piece, RuntimeException failure);
  }

  /**
   * Does all pieces of work.
   *
   * @param title what Spark's pages call the jobs
   */
  public static <T extends Serializable, R> void run(
      JavaSparkContext spark,
      String title,
      List<T> pieces,
      Work<T, R> work,
      Outcomes<T, R> outcomes) {
    var places = places(spark);
    var left = new ConcurrentLinkedQueue<>(pieces);
    try (var threads = Executors.newThreadPerTaskExecutor(Thread.ofPlatform().daemon().factory())) {
      var running = new ArrayList<java.util.concurrent.Future<?>>();
      for (var place : places) {
        running.add(
            threads.submit(
                () -> {
                  for (var p = left.poll(); p != null; p = left.poll()) {
                    one(spark, title, p, place, work, outcomes);
                  }
                }));
      }
      for (var r : running) {
        r.get();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    } catch (java.util.concurrent.ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  /** Returns the executors as Spark's scheduler names places; one without a name if none is. */
  private static List<List<String>> places(JavaSparkContext spark) {
    if (spark.isLocal()) {
      return List.of(List.of());
    }
    var status = spark.sc().env().blockManager().master().getMemoryStatus();
    var executors =
        CollectionConverters.asJava(status).keySet().stream()
            .filter(e -> !e.isDriver())
            .map(e -> List.of("executor_" + e.host() + "_" + e.executorId()))
            .toList();
    return executors.isEmpty() ? List.of(List.of()) : executors;
  }

  private static <T extends Serializable, R> void one(
      JavaSparkContext spark,
      String title,
      T piece,
      List<String> place,
      Work<T, R> work,
      Outcomes<T, R> outcomes) {
    try {
      var pieces = List.of(new Tuple2<>(new Carried<>(piece), scala(place)));
      var tag = ClassTag$.MODULE$.<Carried<T>>apply(Carried.class);
      boolean gpu = work.isOnGpu(piece);
      var plain = spark.sc().makeRDD(scala(pieces), tag).toJavaRDD();
      var asked = gpu ? new Cluster(spark).gpus() : Optional.<ResourceProfile>empty();
      var data = asked.map(plain::withResources).orElse(plain);
      var alone = new Alone<>(work, gpu);
      var results = JobTitle.during(spark.sc(), title, () -> data.map(alone).collect());
      synchronized (outcomes) {
        outcomes.done(piece, results.getFirst().it());
      }
    } catch (RuntimeException e) {
      synchronized (outcomes) {
        outcomes.failed(piece, e);
      }
    }
  }

  private static <E> Seq<E> scala(List<E> list) {
    return CollectionConverters.asScala(list).toSeq();
  }

  /**
   * Does work while nothing else of the kind is done on the machine, but for work on its other
   * GPUs.
   */
  private record Alone<T, R>(Work<T, R> work, boolean gpu)
      implements Function<Carried<T>, Carried<R>> {
    @Override
    public Carried<R> call(Carried<T> piece) throws Exception {
      int device = gpu ? Gpus.ofTask() : CompileOptions.ANY_DEVICE;
      boolean assigned = device != CompileOptions.ANY_DEVICE;
      THIS_PROCESS.lockInterruptibly();
      try (var _ = locked("kenaz-measuring.lock", assigned);
          var _ = assigned ? locked("kenaz-measuring-gpu" + device + ".lock", false) : null) {
        return new Carried<>(work.on(piece.it(), device));
      } finally {
        THIS_PROCESS.unlock();
      }
    }

    /** Waits for a lock of the machine; the system frees it if this process is killed. */
    private static FileChannel locked(String name, boolean shared) {
      var file = Path.of(System.getProperty("java.io.tmpdir"), name);
      try {
        var channel =
            FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        channel.lock(0, Long.MAX_VALUE, shared);
        return channel;
      } catch (IOException e) {
        throw new IllegalStateException("can't lock " + file + ": " + e, e);
      }
    }
  }
}
