package dev.kenaz.jobs.tools.suite;

import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Says which cases of the test blocks are run, and how.
 *
 * @param device the number of the GPU for the CUDA backend, or any
 * @param entry the only entry point that is run, if there is one
 * @param compare whether results are also compared with the interpreter's
 * @param excluded the tags of programs and cases that are left out
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
