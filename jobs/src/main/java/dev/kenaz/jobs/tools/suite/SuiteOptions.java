package dev.kenaz.jobs.tools.suite;

import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What of the test blocks is run, and how.
 *
 * @param device number of the GPU for the CUDA backend, or any
 * @param entry only this entry point, if there
 * @param compare whether results are compared with the interpreter's, too
 * @param excluded tags of programs and cases to leave out
 */
public record SuiteOptions(
    List<Backend> backends,
    int device,
    boolean checkOnly,
    boolean compileOnly,
    Optional<String> entry,
    boolean compare,
    Set<String> excluded,
    int concurrency,
    long seed) {
  private static final Set<String> NEVER = Set.of("disable", "notest");

  public SuiteOptions {
    backends = List.copyOf(backends);
    excluded = Set.copyOf(excluded);
  }

  CompileOptions on(Backend backend) {
    return CompileOptions.of(backend).onDevice(device);
  }

  boolean leavesOut(List<String> tags, Backend backend) {
    return tags.stream()
        .anyMatch(
            t ->
                NEVER.contains(t)
                    || excluded.contains(t)
                    || t.equals("no_" + backend.text())
                    || t.equals("compiled") && backend == Backend.INTERPRET);
  }
}
