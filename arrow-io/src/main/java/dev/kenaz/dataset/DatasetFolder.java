package dev.kenaz.dataset;

import dev.kenaz.arrow.Faults;
import dev.kenaz.error.UserPath;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;

/**
 * A folder that has a manifest, on this machine or in a file system of Hadoop.
 *
 * @param name what messages call it
 * @param manifest the file that describes the others
 * @param files all other files but hidden ones, and folders, by name
 */
public record DatasetFolder(String name, DataFile manifest, SortedMap<String, DataFile> files) {
  public DatasetFolder {
    files = new TreeMap<>(files);
  }

  /**
   * Returns the folder that a path or an address names; empty if it has no manifest.
   *
   * @throws dev.kenaz.error.UserError K6101 if it can't be read
   */
  public static Optional<DatasetFolder> find(String name) {
    if (RemoteFiles.isAddress(name)) {
      return new RemoteFiles(new Configuration()).folder(name);
    }
    var path = SourceFiles.local(name);
    return Files.exists(path.resolve(Manifest.NAME)) ? Optional.of(of(path)) : Optional.empty();
  }

  /** Returns a folder of this machine that has a manifest. */
  static DatasetFolder of(Path folder) {
    var files = new TreeMap<String, DataFile>();
    try (var all = Files.list(folder)) {
      all.filter(p -> isVisible(UserPath.name(p)))
          .forEach(p -> files.put(UserPath.name(p), DataFile.of(p)));
    } catch (IOException e) {
      throw Faults.cannotRead(folder, e);
    }
    return new DatasetFolder(folder.toString(), DataFile.of(folder.resolve(Manifest.NAME)), files);
  }

  /** Whether a file or folder of that name is a part of the dataset. */
  static boolean isVisible(String name) {
    return !name.startsWith(".") && !name.equals(Manifest.NAME);
  }
}
