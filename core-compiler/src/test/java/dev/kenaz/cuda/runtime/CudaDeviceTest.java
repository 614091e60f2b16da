package dev.kenaz.cuda.runtime;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
    var driver = FakeCuda.driver(folder, "libcuda.so.1", "-DCOUNT=3");
    FakeCuda.nvrtc(folder);
    var said = forked(driver, DeviceExercise.class, driver.toString());
    assertTrue(said.contains("all is well"), said);
  }

  /** The whole way of {@code --backend cuda}, from source text to launches and back. */
  @Test
  void programsOnASubstituteDriver() throws IOException {
    FakeCuda.assumeCompiler();
    var driver = FakeCuda.driver(folder, "libcuda.so.1");
    FakeCuda.nvrtc(folder);
    shim();
    var said = forked(driver, ProgramsExercise.class);
    assertTrue(said.contains("all is well"), said);
  }

  /** A few of the program tests; all of them with {@code -Dkenaz.substitute=all}. */
  @Test
  void programTestsOnASubstituteDriver() throws IOException {
    FakeCuda.assumeCompiler();
    var driver = FakeCuda.driver(folder, "libcuda.so.1");
    FakeCuda.nvrtc(folder);
    shim();
    var wanted = System.getProperty("kenaz.substitute", SAMPLE);
    var root = Path.of("src/test/resources/programs").toAbsolutePath();
    String[] files;
    try (var all = Files.walk(root)) {
      files =
          all.map(Path::toString)
              .filter(f -> f.endsWith(".fut"))
              .filter(f -> wanted.equals("all") || f.matches(".*/(" + wanted + ")\\.fut"))
              .sorted()
              .toArray(String[]::new);
    }
    var said = forked(driver, SuiteExercise.class, files);
    System.out.println(said.lines().filter(l -> l.contains("calls of sessions")).findFirst());
    assertTrue(said.contains("all is well"), said);
  }

  private static final String SAMPLE = "scatter_hist|run_time_errors|reduced|records";

  private void shim() throws IOException {
    try (var header = CudaDeviceTest.class.getResourceAsStream("/cuda/cpu.h")) {
      Files.write(folder.resolve("cpu.h"), header.readAllBytes());
    }
  }

  private String forked(Path driver, Class<?> main, String... arguments) throws IOException {
    var command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "--add-modules=jdk.incubator.vector",
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-D" + DriverProbe.LIBRARY + "=" + driver,
                "-D" + CompilerSearch.NVRTC + "=" + folder,
                "-Dkenaz.cache=" + folder.resolve("cache"),
                "-cp",
                System.getProperty("java.class.path") + File.pathSeparator + classes(),
                main.getName()));
    command.addAll(List.of(arguments));
    var header = folder.resolve("cpu.h");
    return FakeCuda.run(
        command, Files.exists(header) ? Map.of("KENAZ_TEST_SHIM", header.toString()) : Map.of());
  }

  /** Where all that is needed lies, if the class path doesn't say: it may be a manifest's. */
  private static String classes() {
    return Stream.of(
            place(DeviceExercise.class, DeviceExercise.class.getSimpleName() + ".class"),
            place(CudaDevice.class, "CudaDevice.class"),
            place(CudaDevice.class, "/dev/kenaz/cuda/prelude.cu"),
            place(CudaDevice.class, "/lib/libJCudaDriver-12.6.0-linux-x86_64.so"),
            place(jcuda.Pointer.class, "Pointer.class"),
            place(org.slf4j.Logger.class, "Logger.class"))
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** The folder or jar that has the resource. */
  private static String place(Class<?> beside, String resource) {
    var url = beside.getResource(resource).toString();
    var name =
        resource.startsWith("/")
            ? resource
            : "/" + beside.getPackageName().replace('.', '/') + "/" + resource;
    var file = url.startsWith("jar:") ? url.substring(4, url.indexOf('!')) : url.replace(name, "");
    return Path.of(URI.create(file)).toString();
  }
}
