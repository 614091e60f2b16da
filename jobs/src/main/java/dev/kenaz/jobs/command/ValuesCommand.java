package dev.kenaz.jobs.command;

import dev.kenaz.jobs.tools.DatasetValues;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Unmatched;

/**
 * {@code kenaz dataset} without a subcommand makes values for test inputs, as Futhark's tool does.
 */
@Command(
    name = "dataset",
    description =
        "Makes random values, and converts values between Futhark's text and binary formats.")
public final class ValuesCommand implements Callable<Integer> {
  @Unmatched private List<String> options = new ArrayList<>();

  @Override
  public Integer call() throws IOException {
    var out = new BufferedOutputStream(System.out, 1 << 16);
    new DatasetValues(System.in, out).run(options);
    return 0;
  }
}
