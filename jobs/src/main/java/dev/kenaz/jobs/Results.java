package dev.kenaz.jobs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Consumer;

/**
 * Prints lines, and keeps them in a file at once, so that a run that ends early leaves its results
 * so far.
 */
public final class Results implements Consumer<String> {
  private final Path file;

  private Results(Path file) {
    this.file = file;
  }

  /**
   * Starts a file in that folder or, if that can't be written, in the folder for temporary files.
   *
   * @param folder the folder; null if no file is wanted
   */
  public static Results in(Path folder, String name) throws IOException {
    if (folder == null) {
      return new Results(null);
    }
    Path file;
    try {
      file = Files.createDirectories(folder).resolve(name);
      Files.writeString(file, "");
    } catch (IOException e) {
      file = Files.createTempDirectory("kenaz-results").resolve(name);
    }
    return new Results(file.toAbsolutePath());
  }

  /** Goes on with a file, after what it has already. */
  public static Results more(Path folder, String name) throws IOException {
    var file = folder.resolve(name);
    var before = Files.exists(file) ? Files.readString(file) : "";
    var more = in(folder, name);
    Files.writeString(more.file, before);
    return more;
  }

  @Override
  public synchronized void accept(String lines) {
    System.out.println(lines);
    System.out.flush();
    if (file != null) {
      try {
        Files.writeString(file, lines + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
      } catch (IOException e) {
        System.err.println("kenaz: " + file + " can't be written: " + e);
      }
    }
  }

  /** Prints where the file is. */
  public void end() {
    if (file != null) {
      System.out.println("\nkept in " + file);
    }
  }
}
