package dev.kenaz.cuda.runtime;

import dev.kenaz.error.UserError;
import dev.kenaz.ir.Lists;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** This is the compiler of the CUDA toolkit, which itself needs a host compiler. */
final class Nvcc implements KernelCompiler {
  private static final long MINUTES = 10;

  private static final Pattern RELEASE = Pattern.compile("release ([0-9.]+)");

  private final Path program;
  private final String version;

  /** The compute capabilities that the compiler knows; empty if it can't list them. */
  private final List<Integer> known;

  private Nvcc(Path program, String version) {
    this.program = program;
    this.version = version;
    this.known = architectures(program);
  }

  /**
   * Returns the compiler in that file, once it has compiled something: its host compiler may be
   * missing.
   *
   * @throws CompilationFailure if it doesn't work
   */
  static Nvcc at(Path program) {
    var said = RELEASE.matcher(run(List.of(program.toString(), "--version")));
    var found = new Nvcc(program, said.find() ? said.group(1) : "of unknown version");
    int newest = found.known.isEmpty() ? DeviceInfo.OLDEST : found.known.getLast();
    found.compile(TRIAL, newest, List.of());
    return found;
  }

  private static List<Integer> architectures(Path program) {
    try {
      return run(List.of(program.toString(), "--list-gpu-code"))
          .lines()
          .filter(l -> l.matches("sm_\\d+"))
          .map(l -> Integer.valueOf(l.substring(3)))
          .toList();
    } catch (CompilationFailure e) {
      return List.of(); // An old nvcc can't list them.
    }
  }

  @Override
  public String name() {
    return "nvcc " + version + " (" + program + ")";
  }

  @Override
  public byte[] compile(String source, int capability, List<String> options) {
    if (!known.isEmpty() && !known.contains(capability)) {
      throw new UnknownArchitecture(name(), capability);
    }
    try {
      var folder = Files.createTempDirectory("kenaz-nvcc");
      try {
        var text = Files.writeString(folder.resolve("kenaz.cu"), source);
        var cubin = folder.resolve("kenaz.cubin");
        var command =
            Lists.concat(
                List.of(program.toString(), "-cubin"),
                List.of("-arch=sm_" + capability, "-o", cubin.toString()),
                options,
                List.of(text.toString()));
        run(command);
        return Files.readAllBytes(cubin);
      } finally {
        try (var files = Files.list(folder)) {
          for (var f : files.toList()) {
            Files.delete(f);
          }
        }
        Files.delete(folder);
      }
    } catch (IOException e) {
      throw new CompilationFailure(name() + ": " + e);
    }
  }

  /**
   * Runs a command, and returns what it prints.
   *
   * @throws UserError (K8205) if the thread is interrupted
   */
  private static String run(List<String> command) {
    if (Thread.currentThread().isInterrupted()) {
      throw UserError.interrupted();
    }
    try {
      var process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getOutputStream().close();
      var killer = process.onExit().orTimeout(MINUTES, TimeUnit.MINUTES);
      killer.exceptionally(
          _ -> {
            process.destroyForcibly();
            return process;
          });
      var said = new String(process.getInputStream().readAllBytes());
      int status = process.waitFor();
      if (status != 0) {
        throw new CompilationFailure(command.getFirst() + " ended with " + status + ": " + said);
      }
      return said;
    } catch (IOException e) {
      throw new CompilationFailure(command.getFirst() + " can't be run: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw UserError.interrupted();
    }
  }
}
