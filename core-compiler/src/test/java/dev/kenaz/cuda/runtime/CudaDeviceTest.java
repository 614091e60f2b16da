package dev.kenaz.cuda.runtime;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * All that a device does, through JCuda, against a driver that is not one. In a process of its own:
 * a JVM keeps the first driver that it meets.
 */
final class CudaDeviceTest {
  @TempDir private Path folder;

  @Test
  void deviceOnASubstituteDriver() throws IOException {
    FakeCuda.assumeCompiler();
    var driver = FakeCuda.driver(folder, "libcuda.so.1");
    FakeCuda.nvrtc(folder);
    var said =
        FakeCuda.run(
            List.of(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-D" + DriverProbe.LIBRARY + "=" + driver,
                "-D" + CompilerSearch.NVRTC + "=" + folder,
                "-Dkenaz.cache=" + folder.resolve("cache"),
                "-cp",
                System.getProperty("java.class.path") + File.pathSeparator + classes(),
                DeviceExercise.class.getName(),
                driver.toString()));
    assertTrue(said.contains("all is well"), said);
  }

  /** Where the tests are, if the class path is a manifest's. */
  private static String classes() {
    return Path.of("target/test-classes").toAbsolutePath()
        + File.pathSeparator
        + location(DeviceExercise.class)
        + File.pathSeparator
        + location(CudaDevice.class)
        + File.pathSeparator
        + location(jcuda.Pointer.class)
        + File.pathSeparator
        + location(org.slf4j.Logger.class)
        + File.pathSeparator
        + nativesJar();
  }

  private static String location(Class<?> c) {
    return Path.of(
            java.net.URI.create(c.getProtectionDomain().getCodeSource().getLocation().toString()))
        .toString();
  }

  private static String nativesJar() {
    var url = CudaDevice.class.getResource("/lib/libJCudaDriver-12.6.0-linux-x86_64.so").toString();
    return Path.of(java.net.URI.create(url.substring("jar:".length(), url.indexOf('!'))))
        .toString();
  }
}
