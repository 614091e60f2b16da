package dev.kenaz.dataset;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6101;
import static dev.kenaz.error.ErrorCode.K6110;
import static dev.kenaz.error.ErrorCode.K6111;

import dev.kenaz.error.UserError;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.parquet.io.InputFile;

/**
 * Files in file systems of Hadoop, such as {@code hdfs://host/data} and {@code s3a://bucket/data}.
 * The configuration of Hadoop on the class path ({@code core-site.xml}) says how they are reached.
 */
public final class RemoteFiles {
  private static final Pattern ADDRESS = Pattern.compile("(?!file:)[a-zA-Z][a-zA-Z0-9+.-]*://.*");

  private final Configuration configuration;

  public RemoteFiles(Configuration configuration) {
    this.configuration = configuration;
  }

  /** Whether a name is an address in such a file system, rather than a path of this machine. */
  public static boolean isAddress(String name) {
    return ADDRESS.matcher(name).matches();
  }

  /** An action on a file system. */
  private interface Action<T> {
    T run() throws IOException;
  }

  private static <T> T reading(String name, Action<T> action) {
    try {
      return action.run();
    } catch (IOException | IllegalArgumentException e) {
      throw fault(K6101, "can't read " + name + ": " + reason(e), "check the address");
    }
  }

  /** Hadoop's messages may have many lines, of which the first one says what happened. */
  private static String reason(Exception e) {
    var text = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    return text.lines().findFirst().orElse(text);
  }

  private FileSystem system(String name) throws IOException {
    return FileSystem.get(URI.create(name), configuration);
  }

  /**
   * Returns the files that an address names: one, or those of a folder or a glob in the order of
   * their names.
   *
   * @throws UserError K6101 if there is none, or the file system can't be reached
   */
  public List<DataFile> resolve(String name) {
    return reading(
        name,
        () -> {
          var fs = system(name);
          var path = new Path(name);
          var found = fs.exists(path) ? list(fs, path) : fs.globStatus(path);
          var files =
              found == null
                  ? List.<FileStatus>of()
                  : Arrays.stream(found)
                      .filter(FileStatus::isFile)
                      .filter(f -> DatasetFolder.isVisible(f.getPath().getName()))
                      .sorted(Comparator.comparing(f -> f.getPath().toString()))
                      .toList();
          if (files.isEmpty()) {
            throw fault(K6101, "no file is at " + name, "check the address");
          }
          return files.stream().<DataFile>map(f -> new Remote(fs, f)).toList();
        });
  }

  /**
   * Returns the folder at an address; empty if it has no manifest.
   *
   * @throws UserError K6101 if the file system can't be reached
   */
  Optional<DatasetFolder> folder(String name) {
    return reading(
        name,
        () -> {
          var fs = system(name);
          var manifest = new Path(name, Manifest.NAME);
          if (!fs.exists(manifest)) {
            return Optional.empty();
          }
          var files = new TreeMap<String, DataFile>();
          for (var f : fs.listStatus(new Path(name))) {
            if (DatasetFolder.isVisible(f.getPath().getName())) {
              files.put(f.getPath().getName(), new Remote(fs, f));
            }
          }
          var described = new Remote(fs, fs.getFileStatus(manifest));
          return Optional.of(new DatasetFolder(name, described, files));
        });
  }

  private static FileStatus[] list(FileSystem fs, Path path) throws IOException {
    var status = fs.getFileStatus(path);
    return status.isFile() ? new FileStatus[] {status} : fs.listStatus(path);
  }

  /** A file of such a file system. */
  private record Remote(FileSystem system, FileStatus status) implements DataFile {
    @Override
    public String name() {
      return status.getPath().toString();
    }

    @Override
    public long size() {
      return status.getLen();
    }

    @Override
    public InputStream open() throws IOException {
      return system.open(status.getPath());
    }

    @Override
    public Optional<java.nio.file.Path> path() {
      return Optional.empty();
    }

    @Override
    public InputFile seekable() throws IOException {
      return HadoopInputFile.fromStatus(status, system.getConf());
    }
  }

  /**
   * Puts a file or a folder of this machine in its place, whole or not at all: it is copied under a
   * hidden name beside the place, and renamed then. An object store has no such renaming; there the
   * files appear one after the other.
   *
   * <p>A folder with a manifest stays under its hidden name when an upload of it fails or is
   * killed.
   *
   * @param overwrite whether something that is there may be replaced; a folder only if it has a
   *     manifest, so that it is a dataset
   * @param resume whether to go on with an earlier upload of the same folder
   * @throws UserError K6110, K6111
   */
  public void put(java.nio.file.Path local, String target, boolean overwrite, boolean resume) {
    try {
      var fs = system(target);
      var to = new Path(target);
      requireFree(fs, to, overwrite);
      var manifest = local.resolve(Manifest.NAME);
      boolean known = Files.exists(manifest);
      // Folders with the same manifest have the same files.
      var mark =
          known
              ? Manifest.checksum(DataFile.of(manifest))
              : "%08x".formatted(ThreadLocalRandom.current().nextInt());
      var hidden = new Path(to.getParent(), "." + to.getName() + ".tmp-" + mark);
      boolean complete = false;
      try {
        fs.mkdirs(to.getParent());
        if (!resume) {
          fs.delete(hidden, true);
        }
        copy(fs, local, hidden);
        replace(fs, hidden, to, overwrite);
        complete = true;
      } finally {
        if (complete || !known) {
          fs.delete(hidden, true);
        }
      }
    } catch (IOException | IllegalArgumentException e) {
      throw fault(
          K6111,
          "can't write " + target + ": " + reason(e),
          "check the address, and whether you may write there");
    }
  }

  /**
   * Refuses a place that is taken, before work is done for it.
   *
   * @throws UserError K6110, K6111
   */
  public void requireFree(String target, boolean overwrite) {
    try {
      requireFree(system(target), new Path(target), overwrite);
    } catch (IOException | IllegalArgumentException e) {
      throw fault(
          K6111,
          "can't write " + target + ": " + reason(e),
          "check the address, and whether you may write there");
    }
  }

  private static void requireFree(FileSystem fs, Path to, boolean overwrite) throws IOException {
    if (!fs.exists(to)) {
      return;
    }
    if (!overwrite) {
      throw fault(K6110, to + " exists already", "remove it, or ask to overwrite it (--overwrite)");
    }
    if (fs.getFileStatus(to).isDirectory() && !fs.exists(new Path(to, Manifest.NAME))) {
      throw fault(
          K6110, to + " exists already and isn't a dataset with a manifest", "remove it yourself");
    }
  }

  private static void copy(FileSystem fs, java.nio.file.Path local, Path to) throws IOException {
    if (Files.isDirectory(local)) {
      fs.mkdirs(to);
      try (var children = Files.list(local)) {
        for (var child : children.sorted().toList()) {
          copy(fs, child, new Path(to, child.getFileName().toString()));
        }
      }
      return;
    }
    if (fs.exists(to) && fs.getFileStatus(to).getLen() == Files.size(local)) {
      return; // An earlier upload has got here.
    }
    try (var out = fs.create(to, true)) {
      Files.copy(local, out);
      out.hsync();
    }
  }

  private static void replace(FileSystem fs, Path hidden, Path to, boolean overwrite)
      throws IOException {
    requireFree(fs, to, overwrite);
    var old = new Path(hidden.getParent(), hidden.getName().replace(".tmp-", ".old-"));
    boolean replaced = fs.exists(to);
    if (replaced && !fs.rename(to, old)) {
      throw new IOException("what is there can't be renamed");
    }
    if (!fs.rename(hidden, to)) {
      if (replaced) {
        fs.rename(old, to);
      }
      throw new IOException("it can't be renamed");
    }
    fs.delete(old, true);
  }
}
