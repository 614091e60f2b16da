package dev.kenaz.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;

final class ExecutorMemoryTest {
  private static final long MEGABYTE = 1L << 20;
  private static final long USUAL = 16_000 * MEGABYTE;

  @Test
  void whatManagersKillForIsRespected() {
    for (var master : new String[] {"yarn", "k8s://https://host:443"}) {
      var conf = conf(master).set("spark.executor.memory", "8g");
      assertEquals((819 - 192), executor(conf) / MEGABYTE);
      assertEquals(192, executor(conf(master).set("spark.executor.memory", "1g")) / MEGABYTE);
      conf.set("spark.executor.memoryOverheadFactor", "0.5");
      assertEquals(4096 - 192, executor(conf) / MEGABYTE);
      conf.set("spark.executor.memoryOverhead", "3g");
      assertEquals(3072 - 192, executor(conf) / MEGABYTE);
      conf.set("spark.executor.memoryOverhead", "200");
      assertEquals(100, executor(conf) / MEGABYTE);
    }
  }

  @Test
  void executorsOfOneMachineShareIt() {
    assertEquals(0, executor(conf("spark://host:7077")));
    var two = conf("spark://host:7077").set("spark.executor.cores", "2");
    assertEquals(USUAL / 4, executor(two));
    assertEquals(0, executor(conf("spark://host:7077").set("spark.executor.cores", "8")));
    var said = conf("spark://host:7077").set("spark.executor.memoryOverhead", "2g");
    assertEquals(2048 - 192, executor(said) / MEGABYTE);
  }

  @Test
  void driversAreTheUsersUnlessTheManagerRunsThem() {
    assertEquals(0, ExecutorMemory.allowed(conf("local[4]"), true, USUAL, 8));
    assertEquals(0, ExecutorMemory.allowed(conf("yarn"), true, USUAL, 8));
    var cluster = conf("yarn").set("spark.submit.deployMode", "cluster");
    assertEquals(192, ExecutorMemory.allowed(cluster, true, USUAL, 8) / MEGABYTE);
  }

  private static SparkConf conf(String master) {
    return new SparkConf(false).set("spark.master", master);
  }

  private static long executor(SparkConf conf) {
    return ExecutorMemory.allowed(conf, false, USUAL, 8);
  }
}
