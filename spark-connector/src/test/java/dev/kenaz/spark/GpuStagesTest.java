package dev.kenaz.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskKilledException;
import org.apache.spark.resource.ResourceProfile;
import org.apache.spark.resource.TaskResourceProfile;
import org.junit.jupiter.api.Test;

/** What stages on GPUs ask Spark for, and how many tasks share a GPU. */
final class GpuStagesTest {
  private static SparkConf conf(String master) {
    return new SparkConf(false).set("spark.master", master);
  }

  private static double gpus(ResourceProfile p) {
    return p.taskResources().get("gpu").get().amount();
  }

  @Test
  void executorsThatHaveGpusGiveThemToStagesThatAsk() {
    var conf = conf("spark://host:7077").set("spark.executor.resource.gpu.amount", "1");
    var profile = GpuStages.profile(conf).orElseThrow();
    assertInstanceOf(TaskResourceProfile.class, profile);
    assertEquals(0.5, gpus(profile));
    assertEquals(1 / 3d, gpus(GpuStages.profile(conf.set("spark.kenaz.gpu.tasks", "3")).get()));
    assertEquals(1, gpus(GpuStages.profile(conf.set("spark.kenaz.gpu.amount", "1")).get()));
  }

  @Test
  void dynamicAllocationBringsExecutorsWithGpus() {
    var conf =
        conf("k8s://host")
            .set("spark.dynamicAllocation.enabled", "true")
            .set("spark.executor.cores", "4")
            .set("spark.executor.memory", "3g")
            .set("spark.executor.memoryOverhead", "2g")
            .set("spark.kenaz.gpu.discoveryScript", "/opt/gpus.sh");
    var profile = GpuStages.profile(conf).orElseThrow();
    var executor = profile.executorResources();
    assertEquals(1, executor.get("gpu").get().amount());
    assertEquals("/opt/gpus.sh", executor.get("gpu").get().discoveryScript());
    assertEquals(4, executor.get("cores").get().amount());
    assertEquals(3072, executor.get("memory").get().amount());
    assertEquals(2048, executor.get("memoryOverhead").get().amount());
  }

  /** Where all tasks have GPUs, or Spark can't choose, or knows of none. */
  @Test
  void otherwiseStagesAskForNothingMore() {
    assertTrue(GpuStages.profile(conf("spark://host:7077")).isEmpty());
    var all = conf("yarn").set("spark.executor.resource.gpu.amount", "1");
    assertTrue(GpuStages.profile(all).isPresent());
    assertTrue(GpuStages.profile(all.set("spark.task.resource.gpu.amount", "1")).isEmpty());
    var local = conf("local[4]").set("spark.dynamicAllocation.enabled", "true");
    assertTrue(GpuStages.profile(local).isEmpty());
  }

  /** Executors of all kinds are welcome, but Spark's own GPUs are given to tasks as ever. */
  @Test
  void withTheFallbackStagesAskForNoExecutorsWithGpus() {
    var conf =
        conf("k8s://host")
            .set("spark.dynamicAllocation.enabled", "true")
            .set("spark.kenaz.gpu.fallback", "true");
    assertTrue(GpuStages.profile(conf).isEmpty());
    conf.set("spark.executor.resource.gpu.amount", "1");
    assertEquals(0.5, gpus(GpuStages.profile(conf).orElseThrow()));
  }

  @Test
  void noMoreTasksThanThereIsRoomForComputeAtOnce() throws Exception {
    var room = new Semaphore(2, true);
    var two = new CountDownLatch(2);
    var now = new AtomicInteger();
    var most = new AtomicInteger();
    try (var threads = Executors.newFixedThreadPool(8)) {
      var all = new ArrayList<Future<Gpus.Computed<Integer>>>();
      for (int i = 0; i < 8; i++) {
        int task = i;
        all.add(
            threads.submit(
                () ->
                    Gpus.computing(
                        room,
                        () -> {
                          most.accumulateAndGet(now.incrementAndGet(), Math::max);
                          two.countDown();
                          await(two);
                          now.decrementAndGet();
                          return task;
                        })));
      }
      for (int i = 0; i < 8; i++) {
        assertEquals(i, all.get(i).get().value());
      }
    }
    assertEquals(2, most.get());
  }

  /** Two tasks are there at once, or this waits for ever. */
  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void afterAFaultThereIsRoomAgain() {
    var room = new Semaphore(1, true);
    assertThrows(
        IllegalStateException.class,
        () ->
            Gpus.computing(
                room,
                () -> {
                  throw new IllegalStateException("a fault of the device");
                }));
    assertEquals(1, room.availablePermits());
  }

  @Test
  void aTaskThatIsKilledDoesntWait() {
    var none = new Semaphore(0, true);
    Thread.currentThread().interrupt();
    assertThrows(TaskKilledException.class, () -> Gpus.computing(none, () -> 1));
    assertTrue(Thread.interrupted());
  }
}
