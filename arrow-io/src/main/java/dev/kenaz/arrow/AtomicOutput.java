package dev.kenaz.arrow;

import static dev.kenaz.arrow.Faults.fault;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.UUID;

/**
 * A file or folder that appears whole or not at all: it is written under a hidden name beside its
 * place and renamed when complete. Closing without {@link #commit} removes what was written.
 */
public final class AtomicOutput implements AutoCloseable {
  private final Path target;
  private final Path temporary;
  private final boolean overwrite;
  private boolean committed;

  private AtomicOutput(Path target, boolean overwrite) {
    this.target = target.toAbsolutePath();
    this.overwrite = overwrite;
    var name = "." + target.getFileName() + ".tmp-" + UUID.randomUUID();
    this.temporary = this.target.resolveSibling(name);
  }

  /**
   * Makes missing parent folders.
   *
   * @param overwrite whether a file, or a folder of Arrow files only, that is there already may be
   *     replaced
   * @throws dev.kenaz.error.UserError K6110 if something is there already, K6111 if its folder
   *     can't be made
   */
  public static AtomicOutput to(Path target, boolean overwrite) {
    var out = new AtomicOutput(target, overwrite);
    out.checkTarget();
    try {
      Files.createDirectories(out.target.getParent());
    } catch (IOException e) {
      throw Faults.cannotWrite(target, e);
    }
    return out;
  }

  private void checkTarget() {
    if (!Files.exists(target)) {
      return;
    }
    if (!overwrite) {
      throw fault(
          "K6110", target + " exists already", "remove it, or ask to overwrite it (--overwrite)");
    }
    if (Files.isDirectory(target) && !onlyArrowFiles(target)) {
      throw fault("K6110", target + " exists already and holds more than Arrow files");
    }
  }

  private static boolean onlyArrowFiles(Path folder) {
    try (var files = Files.list(folder)) {
      return files.allMatch(f -> Files.isRegularFile(f) && f.toString().endsWith(".arrow"));
    } catch (IOException e) {
      throw Faults.cannotRead(folder, e);
    }
  }

  /** Where to write: nothing is there yet. */
  public Path path() {
    return temporary;
  }

  public Path target() {
    return target;
  }

  /** Puts what was written in place, safely on disk. */
  public void commit() throws IOException {
    if (Files.isRegularFile(temporary)) {
      try (var file = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
        file.force(true);
      }
    }
    checkTarget();
    if (Files.isDirectory(target)) {
      var old = target.resolveSibling("." + target.getFileName() + ".old-" + UUID.randomUUID());
      Files.move(target, old, StandardCopyOption.ATOMIC_MOVE);
      Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
      delete(old);
    } else {
      Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
    }
    committed = true;
  }

  @Override
  public void close() {
    if (!committed && Files.exists(temporary)) {
      try {
        delete(temporary);
      } catch (IOException e) {
        throw fault("K6111", "can't remove the unfinished " + temporary + ": " + e.getMessage());
      }
    }
  }

  private static void delete(Path path) throws IOException {
    try (var all = Files.walk(path)) {
      for (var p : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(p);
      }
    }
  }
}
