package dev.kenaz.jobs.command;

import dev.kenaz.error.Span;
import dev.kenaz.jobs.tools.doc.Documentation;
import dev.kenaz.jobs.tools.suite.ProgramFiles;
import dev.kenaz.typing.Library;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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
      paramLabel = "DIR",
      description =
          "Write the pages into this folder. Without this option the texts themselves are printed.")
  private Path folder;

  @Parameters(
      arity = "1..*",
      paramLabel = "FILE",
      description =
          "Files, folders of files, or modules that come with Kenaz, such as kenaz/vector.")
  private List<Path> places;

  @Override
  public Integer call() throws IOException {
    var sources = new ArrayList<Documentation.Source>();
    for (var place : places) {
      if (Library.has(place.toString()) && !Files.exists(place)) {
        var module = Library.module(place.toString(), Span.NONE);
        sources.add(new Documentation.Source(place, Library.text(module.name()).orElseThrow()));
        continue;
      }
      for (var file : ProgramFiles.find(List.of(place))) {
        sources.add(new Documentation.Source(file, Files.readString(file)));
      }
    }
    if (folder == null) {
      sources.forEach(s -> System.out.print(s.text()));
    } else {
      Documentation.write(sources, folder);
    }
    return 0;
  }
}
