package dev.kenaz.jobs.command;

import dev.kenaz.jobs.tools.doc.Documentation;
import dev.kenaz.jobs.tools.suite.ProgramFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes pages from documentation comments. */
@Command(
    name = "doc",
    description = "Makes HTML pages from the documentation comments of programs and libraries.")
public final class DocCommand implements Callable<Integer> {
  @Option(
      names = {"-o", "--output"},
      required = true,
      paramLabel = "DIR",
      description = "Write the pages into this folder.")
  private Path folder;

  @Parameters(arity = "1..*", paramLabel = "FILE", description = "Files, or folders of files.")
  private List<Path> places;

  @Override
  public Integer call() throws IOException {
    Documentation.write(ProgramFiles.find(places), folder);
    return 0;
  }
}
