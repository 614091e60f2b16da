package dev.kenaz.dataset;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6101;
import static dev.kenaz.error.ErrorCode.K6125;

import dev.kenaz.arrow.DatasetFiles;
import dev.kenaz.arrow.Faults;
import dev.kenaz.error.UserPath;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;

/** Turns what the user names into files of one format: files, folders of files, and globs. */
public final class SourceFiles {
  private SourceFiles() {}

  /**
   * Returns the files, on this machine or in file systems of Hadoop, in the order in which they are
   * named; those of a folder or a glob in the order of their names.
   *
   * @throws dev.kenaz.error.UserError K6101 if there is no such file
   */
  public static List<DataFile> resolve(List<String> names) {
    var files = new ArrayList<DataFile>();
    for (var name : names) {
      if (RemoteFiles.isAddress(name)) {
        files.addAll(new RemoteFiles(new Configuration()).resolve(name));
        continue;
      }
      var path = local(name);
      var found =
          Files.isDirectory(path) ? folder(path) : DatasetFiles.resolve(List.of(path.toString()));
      found.forEach(f -> files.add(DataFile.of(f)));
    }
    return List.copyOf(files);
  }

  /**
   * Returns a path of this machine, which may be written as {@code file:///data/x.csv}.
   *
   * @throws dev.kenaz.error.UserError K6101 if it can't be one
   */
  public static Path local(String name) {
    return UserPath.of(name.replaceFirst("^file:(//)?(?=/)", ""), K6101);
  }

  private static List<Path> folder(Path folder) {
    try (var all = Files.list(folder)) {
      var files =
          all.filter(Files::isRegularFile)
              .filter(f -> !UserPath.name(f).startsWith("."))
              // These are no data for Spark and Hadoop, too: _SUCCESS and Kenaz's manifest are
              // some.
              .filter(f -> !UserPath.name(f).startsWith("_"))
              .sorted()
              .toList();
      if (files.isEmpty()) {
        throw fault(
            K6101,
            "no file is in the folder " + folder,
            "name a folder that has files, or a pattern such as '"
                + folder.resolve("*/*.arrow")
                + "'");
      }
      return files;
    } catch (IOException e) {
      throw Faults.cannotRead(folder, e);
    }
  }

  /**
   * Returns the format that all files have.
   *
   * @throws dev.kenaz.error.UserError K6125 if they have none or several
   */
  public static DataFormat format(List<DataFile> files) {
    var first = DataFormat.of(files.getFirst());
    for (var file : files) {
      var format = DataFormat.of(file);
      if (format != first) {
        throw fault(
            K6125,
            "%s is %s, and %s is %s".formatted(files.getFirst().name(), first, file.name(), format),
            "import files of different formats one after the other");
      }
    }
    return first;
  }
}
