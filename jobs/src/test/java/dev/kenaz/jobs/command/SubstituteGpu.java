package dev.kenaz.jobs.command;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** A driver and an NVRTC that run kernels on this processor, from the compiler's test resources. */
public record SubstituteGpu(Path folder) {
  private static final Path RESOURCES = Path.of("../core-compiler/src/test/resources");

  /** Whether there is a C++ compiler. */
  public static boolean available() {
    var path = System.getenv().getOrDefault("PATH", "").split(":");
    return Stream.of(path).anyMatch(d -> Files.isExecutable(Path.of(d, "g++")));
  }

  /** Skips the test where there is none. */
  public static void assumeCompiler() {
    Assumptions.assumeTrue(available(), "no g++ here: nothing runs on a substitute of a GPU");
  }

  public static SubstituteGpu in(Path folder) throws IOException, InterruptedException {
    var gpu = new SubstituteGpu(Files.createDirectories(folder));
    library("driver.c", folder.resolve("libcuda.so.1"));
    library("nvrtc.c", folder.resolve("libnvrtc.so.13"));
    Files.copy(RESOURCES.resolve("cuda/cpu.h"), folder.resolve("cpu.h"));
    return gpu;
  }

  private static void library(String source, Path out) throws IOException, InterruptedException {
    var command = new ArrayList<>(List.of("gcc", "-shared", "-fPIC", "-o", out.toString()));
    command.add("-Wl,-soname," + out.getFileName());
    command.add(RESOURCES.resolve("dev/kenaz/cuda/runtime").resolve(source).toString());
    command.add("-ldl");
    assertEquals(0, new ProcessBuilder(command).inheritIO().start().waitFor());
  }

  /** Options of Java that make it the GPU. */
  public List<String> options() {
    return List.of(
        "-Dkenaz.cuda.driver=" + folder.resolve("libcuda.so.1"), "-Dkenaz.cuda.nvrtc=" + folder);
  }

  /** What its compiler wants to find in the environment. */
  public Map<String, String> environment() {
    return Map.of("KENAZ_TEST_SHIM", folder.resolve("cpu.h").toString());
  }
}
