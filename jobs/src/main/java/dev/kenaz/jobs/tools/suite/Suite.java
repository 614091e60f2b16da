package dev.kenaz.jobs.tools.suite;

import dev.kenaz.error.UserError;
import dev.kenaz.jobs.tools.server.FailureText;
import dev.kenaz.options.Backend;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/** Tests programs. */
public final class Suite {
  private final SuiteOptions options;

  public Suite(SuiteOptions options) {
    this.options = options;
  }

  /**
   * Runs the blocks of these files, and of the files in these folders that have any.
   *
   * @param finished takes the outcomes of each program when they are known, in order
   */
  public void run(List<Path> places, Consumer<List<Outcome>> finished) {
    var running = new ArrayList<Future<List<Outcome>>>();
    try (var pool = Executors.newFixedThreadPool(options.concurrency())) {
      for (var place : places) {
        for (var file : ProgramFiles.find(List.of(place))) {
          for (var backend : options.backends()) {
            boolean named = !Files.isDirectory(place);
            running.add(pool.submit(() -> program(file, backend, named)));
          }
        }
      }
      for (var r : running) {
        finished.accept(r.get());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  private List<Outcome> program(Path file, Backend backend, boolean evenWithoutBlocks) {
    try {
      var specs = ProgramFiles.specs(file);
      if (specs.isEmpty() && !evenWithoutBlocks
          || specs.stream().anyMatch(s -> options.leavesOut(s.tags(), backend))) {
        return List.of();
      }
      return new ProgramTest(file, specs, options, backend).run();
    } catch (UserError e) {
      var fault = Optional.of(FailureText.of(e));
      return List.of(new Outcome(file, backend, "test block", fault, Optional.empty()));
    }
  }
}
