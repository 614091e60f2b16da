package dev.kenaz.cuda.runtime;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** A driver and an NVRTC that run kernels on this processor, from C in the test resources. */
public final class FakeCuda {
  private static final String RESOURCES = "/dev/kenaz/cuda/runtime/";

  private FakeCuda() {}

  /** Skips the test where there is no C compiler. */
  public static void assumeCompiler() {
    boolean there;
    try {
      there = run(List.of("g++", "--version")).contains("Free Software");
    } catch (IOException e) {
      there = false;
    }
    Assumptions.assumeTrue(there, "no g++ here: what it would compile is not tested");
  }

  /**
   * The driver.
   *
   * @param soname what the loader takes it for
   * @param definitions such as {@code -DINIT=100}
   */
  static Path driver(Path folder, String soname, String... definitions) throws IOException {
    var options = new ArrayList<>(List.of(definitions));
    options.add("-Wl,-soname," + soname);
    return shared(folder.resolve(soname), "driver.c", options);
  }

  static Path nvrtc(Path folder) throws IOException {
    return shared(folder.resolve("libnvrtc.so.13"), "nvrtc.c", List.of());
  }

  private static Path shared(Path out, String resource, List<String> options) throws IOException {
    var source = Files.createTempFile(out.getParent(), "source", ".c");
    try (var in = FakeCuda.class.getResourceAsStream(RESOURCES + resource)) {
      Files.write(source, in.readAllBytes());
    }
    var command = new ArrayList<>(List.of("gcc", "-shared", "-fPIC", "-o", out.toString()));
    command.addAll(options);
    command.add(source.toString());
    command.add("-ldl");
    var said = run(command);
    if (!Files.exists(out)) {
      throw new IOException(said);
    }
    return out;
  }

  /** What a command prints. */
  static String run(List<String> command) throws IOException {
    return run(command, Map.of());
  }

  static String run(List<String> command, Map<String, String> environment) throws IOException {
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    var process = builder.start();
    try {
      var said = new String(process.getInputStream().readAllBytes());
      if (!process.waitFor(2, TimeUnit.MINUTES)) {
        throw new IOException(command + " takes too long");
      }
      return said;
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }
}
