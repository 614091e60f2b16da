package dev.kenaz.arrow;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6110;
import static dev.kenaz.error.ErrorCode.K6111;
import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import dev.kenaz.error.UserPath;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;

/**
 * This is a file or folder that appears whole or not at all: it is written under a hidden name
 * beside its place and renamed when it is complete. Closing without {@link #commit} removes what
 * was written. What a killed process has left is removed by the next process that writes the same
 * target.
 */
public final class AtomicOutput implements AutoCloseable {
  /** Names that {@link #hidden} makes. */
  private static final Pattern LEFT =
      Pattern.compile("\\.(.+)\\.(tmp|old)-(" + ProcessOwner.PATTERN + ")-[0-9a-f]{8}");

  private final Path target;
  private final Path temporary;
  private final boolean overwrite;
  private boolean committed;

  private AtomicOutput(Path target, boolean overwrite) {
    this.target = target.toAbsolutePath().normalize();
    this.overwrite = overwrite;
    this.temporary = hidden("tmp");
  }

  /** Returns a name beside the target that tells what it is for and which process made it. */
  private Path hidden(String kind) {
    var random = String.format("%08x", ThreadLocalRandom.current().nextInt());
    return target.resolveSibling(
        "." + UserPath.name(target) + "." + kind + "-" + ProcessOwner.self().text() + "-" + random);
  }

  /**
   * Starts an output, and makes missing parent folders.
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
      out.sweep();
    } catch (IOException e) {
      throw Faults.cannotWrite(target, e);
    }
    out.checkTarget(); // The sweep may have brought an old folder back.
    return out;
  }

  /**
   * Removes what processes have left in this folder that ended while they wrote. If that can't be
   * done, as with files of another user, it is no fault.
   */
  private void sweep() {
    try (var siblings = Files.list(target.getParent())) {
      for (var p : siblings.toList()) {
        var name = LEFT.matcher(UserPath.name(p));
        if (name.matches() && ProcessOwner.parse(name.group(3)).orElseThrow().hasEnded()) {
          sweep(p, target.resolveSibling(name.group(1)), name.group(2).equals("old"));
        }
      }
    } catch (IOException _) {
      return; // The folder can't be listed, but perhaps it can be written to.
    }
  }

  private static void sweep(Path left, Path itsTarget, boolean old) {
    try {
      if (old && !Files.exists(itsTarget)) {
        // The process ended between the two moves that replace a folder, so this is the only copy.
        Files.move(left, itsTarget, StandardCopyOption.ATOMIC_MOVE);
      } else {
        delete(left);
      }
    } catch (IOException _) {
      return; // This is no fault either.
    }
  }

  private void checkTarget() {
    if (target.getParent() == null) {
      throw fault(K6111, "can't write " + target + ": it is the root of all folders");
    }
    if (!Files.exists(target)) {
      return;
    }
    if (!overwrite) {
      throw fault(
          K6110, target + " exists already", "remove it, or ask to overwrite it (--overwrite)");
    }
    if (Files.isDirectory(target) && !onlyArrowFiles(target)) {
      throw fault(K6110, target + " exists already and holds more than Arrow files");
    }
  }

  private static boolean onlyArrowFiles(Path folder) {
    try (var files = Files.walk(folder)) {
      return files.allMatch(
          f ->
              Files.isDirectory(f, NOFOLLOW_LINKS)
                  || Files.isRegularFile(f) && f.toString().endsWith(".arrow"));
    } catch (IOException e) {
      throw Faults.cannotRead(folder, e);
    }
  }

  /** Returns where to write; there is nothing yet. */
  public Path path() {
    return temporary;
  }

  public Path target() {
    return target;
  }

  /** Flushes what was written to disk, and puts it in its place. */
  public void commit() throws IOException {
    if (Files.isRegularFile(temporary)) {
      try (var file = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
        file.force(true);
      }
    }
    checkTarget();
    if (Files.isDirectory(target)) {
      var old = hidden("old");
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
        throw fault(
            K6111,
            "can't remove the unfinished " + temporary + ": " + UserPath.reason(temporary, e),
            "remove it yourself; the output itself is as it was");
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
