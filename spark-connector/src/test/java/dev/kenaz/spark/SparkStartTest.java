package dev.kenaz.spark;

import static dev.kenaz.error.ErrorCode.K8204;
import static dev.kenaz.error.ErrorCode.K8209;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is found before Spark starts. */
final class SparkStartTest {
  private static UserError refused(ErrorCode code, String master) {
    var e = assertThrows(UserError.class, () -> SparkStart.open("test", Optional.of(master)));
    assertEquals(code, e.diagnostics().getFirst().code());
    return e;
  }

  @Test
  void aMasterThatIsNoHostIsToldAtOnce() {
    var e = refused(K8204, "spark://nobody.invalid:7077");
    assertTrue(e.getMessage().contains("there is no host nobody.invalid"), e.getMessage());
  }

  @Test
  void oneOfSeveralMastersIsEnough() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      MasterSearch.require("spark://nobody.invalid:7077,127.0.0.1:" + socket.getLocalPort());
    }
  }

  @Test
  void anAddressThatIsNoneIsLeftToSpark() {
    MasterSearch.require("spark:/here");
    MasterSearch.require("spark://here");
    MasterSearch.require("local[2]");
    var failure = new IllegalArgumentException("Could not parse Master URL: 'spark:/here'");
    var e = (UserError) SparkFaults.explainStart(failure, false, "spark:/here");
    assertTrue(e.diagnostics().getFirst().hints().getFirst().contains("spark://HOST:PORT"));
  }

  @Test
  void aFolderThatCantBeWrittenDoesntEndTheProcess(@TempDir Path folder) throws IOException {
    var file = Files.writeString(folder.resolve("file"), "");
    System.setProperty("spark.local.dir", file.resolve("below").toString());
    try {
      var e = refused(K8209, "local[1]");
      assertTrue(e.getMessage().contains(file.toString()), e.getMessage());
    } finally {
      System.clearProperty("spark.local.dir");
    }
  }

  @Test
  void smallExecutorsTakeLittleMemoryUnlessTheUserHasChosen() {
    var key = "spark.executor.defaultJavaOptions";
    var small = new SparkConf(false).set("spark.executor.memory", "1g");
    SparkStart.leanExecutors(small);
    assertTrue(small.get(key).contains("UseSerialGC"), small.get(key));
    var large = new SparkConf(false).set("spark.executor.memory", "2g");
    SparkStart.leanExecutors(large);
    assertFalse(large.contains(key));
    var chosen = new SparkConf(false).set("spark.executor.extraJavaOptions", "-XX:+UseZGC");
    SparkStart.leanExecutors(chosen);
    assertFalse(chosen.contains(key));
  }
}
