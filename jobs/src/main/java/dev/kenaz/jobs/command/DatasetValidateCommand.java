package dev.kenaz.jobs.command;

import dev.kenaz.dataset.DatasetFolder;
import dev.kenaz.dataset.SourceFiles;
import dev.kenaz.dataset.Validation;
import dev.kenaz.jobs.Screen;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Checks datasets. */
@Command(
    name = "validate",
    description =
        "Reads a dataset, and compares a folder with its manifest: files, sizes, checksums,"
            + " columns, rows and ranges.")
final class DatasetValidateCommand implements Callable<Integer> {
  @Parameters(
      index = "0",
      paramLabel = "DATA",
      description = "A file, a folder, a glob, or an address that Hadoop knows.")
  private String data;

  @Option(names = "--quiet", description = "Show no progress.")
  private boolean quiet;

  @Override
  public Integer call() {
    var folder = DatasetFolder.find(data);
    try (var console = new DatasetConsole(Screen.error(), quiet)) {
      var found =
          folder.isPresent()
              ? Validation.folder(folder.get(), DatasetFormats::open, console)
              : Validation.files(SourceFiles.resolve(List.of(data)), DatasetFormats::open, console);
      console.clear();
      System.out.printf(
          Locale.ROOT,
          "%,d rows in %d file%s: %s%n",
          found.rows(),
          found.files(),
          found.files() == 1 ? "" : "s",
          found.manifest()
              ? "as the manifest says"
              : "readable; there is no manifest to compare with");
    }
    return 0;
  }
}
