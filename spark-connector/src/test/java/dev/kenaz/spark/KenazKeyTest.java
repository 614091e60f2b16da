package dev.kenaz.spark;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class KenazKeyTest {
  private static final Path PAGE = Path.of("../docs/operations.md");

  private static SparkConf conf(String key, String value) {
    return new SparkConf(false).set("spark.master", "local[2]").set(key, value);
  }

  private static UserError refused(SparkConf conf) {
    var fault = assertThrows(UserError.class, () -> KenazKey.check(conf));
    assertEquals(ErrorCode.K8207, fault.diagnostics().getFirst().code());
    return fault;
  }

  /** The table of the page is what the keys say of themselves. */
  @Test
  void thePageHasAllKeys() throws IOException {
    var rows = Files.readAllLines(PAGE).stream().filter(l -> l.startsWith("| `spark.kenaz."));
    var keys = Stream.of(KenazKey.values()).map(KenazKey::documentation);
    assertEquals(keys.toList(), rows.toList());
  }

  @Test
  void unknownKeysAreRefused() {
    var fault = refused(conf("spark.kenaz.cahce", "1g"));
    var said = fault.diagnostics().getFirst();
    assertTrue(said.message().contains("spark.kenaz.cahce"), said.message());
    assertEquals("did you mean \"spark.kenaz.cache\"?", said.hints().getFirst());
    assertEquals(
        2, refused(conf("spark.kenaz.", "").set("spark.kenaz.Cache", "1")).diagnostics().size());
    assertDoesNotThrow(() -> KenazKey.check(conf("spark.kenazz", "1")));
  }

  @ParameterizedTest
  @CsvSource({
    "cache, 2q",
    "cache, -1g",
    "cache, ''",
    "memory, 80%",
    "gpu.tasks, 0",
    "gpu.tasks, 1.5",
    "gpu.amount, 0",
    "gpu.amount, 1.5",
    "gpu.amount, NaN",
    "gpu.amount, Infinity",
    "gpu.amount, -1",
    "ui, yes",
    "kernels, ' '",
    "gpu.tasks, 99999999999"
  })
  void valuesThatMakeNoSenseAreRefused(String key, String value) {
    refused(conf("spark.kenaz." + key, value));
  }

  @Test
  void valuesAreRead() {
    var conf =
        conf("spark.kenaz.cache", "2g")
            .set("spark.kenaz.gpu.tasks", "3")
            .set("spark.kenaz.gpu.amount", "0.25")
            .set("spark.kenaz.ui", "false");
    KenazKey.check(conf);
    assertEquals(Optional.of(2L << 30), KenazKey.CACHE.bytes(conf));
    assertEquals(3, KenazKey.GPU_TASKS.count(conf));
    assertEquals(Optional.of("0.25"), KenazKey.GPU_AMOUNT.text(conf));
    assertEquals(false, KenazKey.UI.flag(conf));
    var none = new SparkConf(false);
    assertEquals(Optional.empty(), KenazKey.CACHE.bytes(none));
    assertEquals(2, KenazKey.GPU_TASKS.count(none));
    assertEquals(true, KenazKey.UI.flag(none));
  }

  /** A manager kills executors that take more than they have. */
  @Test
  void memoryMustBeThere() {
    var conf = conf("spark.kenaz.memory", "2g");
    KenazKey.check(conf);
    conf.set("spark.master", "yarn").set("spark.executor.memory", "4g");
    var said = refused(conf).diagnostics().getFirst();
    assertTrue(said.message().contains("409 MiB"), said.message());
    assertTrue(
        said.hints().getFirst().contains("spark.executor.memoryOverhead=2241m"),
        said.hints().toString());
    KenazKey.check(conf.set("spark.executor.memoryOverhead", "2241m"));
    conf.remove("spark.kenaz.memory").set("spark.kenaz.cache", "3g");
    assertTrue(refused(conf).getMessage().contains("spark.kenaz.cache=3g"));
    KenazKey.check(conf.set("spark.executor.memoryOverhead", "3265m"));
  }
}
