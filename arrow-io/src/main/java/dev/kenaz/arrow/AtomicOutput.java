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
      Pattern.compile("\\.(.+)\\.(tmp|old|kept)-(" + ProcessOwner.PATTERN + ")-[0-9a-f]{8}");

  /** The names of the files that a dataset in parts has, and of what describes them. */
  private static final Pattern PART =
      Pattern.compile("part-\\d{5,}(-\\d{5,})?\\..+|_manifest\\.json");

  private final Path target;
  private final Path temporary;
  private final boolean overwrite;
  private boolean committed;
  private boolean kept;

  private AtomicOutput(Path target, boolean overwrite, String kind) {
    this.target = target.toAbsolutePath().normalize();
    this.overwrite = overwrite;
    this.temporary = hidden(kind);
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
    var out = new AtomicOutput(target, overwrite, "tmp");
    out.start();
    return out;
  }

  /**
   * Starts a folder whose finished files are worth keeping when the process ends before the folder
   * is complete. Other writers leave them alone; the next one of the same folder takes them over,
   * or removes them.
   *
   * @param resume whether to take over the files that an ended process has left
   * @throws dev.kenaz.error.UserError K6110, K6111
   */
  public static AtomicOutput resumable(Path target, boolean overwrite, boolean resume) {
    var out = new AtomicOutput(target, overwrite, "kept");
    try {
      if (resume) {
        out.checkTarget();
        Files.createDirectories(out.target.getParent());
        out.takeOver();
      }
      out.start();
      Files.createDirectories(out.temporary);
    } catch (IOException e) {
      throw Faults.cannotWrite(target, e);
    }
    return out;
  }

  private void start() {
    checkTarget();
    try {
      Files.createDirectories(target.getParent());
      sweep();
    } catch (IOException e) {
      throw Faults.cannotWrite(target, e);
    }
    checkTarget(); // The sweep may have brought an old folder back.
  }

  /** Gives what an ended process has left for this target to this process. */
  private void takeOver() throws IOException {
    try (var siblings = Files.list(target.getParent())) {
      for (var p : siblings.sorted().toList()) {
        var name = LEFT.matcher(UserPath.name(p));
        if (name.matches()
            && name.group(2).equals("kept")
            && name.group(1).equals(UserPath.name(target))
            && ProcessOwner.parse(name.group(3)).orElseThrow().hasEnded()) {
          Files.move(p, temporary, StandardCopyOption.ATOMIC_MOVE);
          return;
        }
      }
    }
  }

  /**
   * Removes what processes have left in this folder that ended while they wrote. If that can't be
   * done, as with files of another user, it is no fault.
   */
  private void sweep() {
    try (var siblings = Files.list(target.getParent())) {
      for (var p : siblings.toList()) {
        var name = LEFT.matcher(UserPath.name(p));
        // What may be taken over is removed only by those who write the same.
        boolean others =
            name.matches()
                && name.group(2).equals("kept")
                && !name.group(1).equals(UserPath.name(target));
        if (name.matches()
            && !others
            && ProcessOwner.parse(name.group(3)).orElseThrow().hasEnded()) {
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
    if (!Files.isDirectory(target) && !Files.isRegularFile(target)) {
      throw fault(
          K6110,
          target + " is neither a file nor a folder, and isn't replaced",
          "name a file; - is the standard output where it may be a target");
    }
    if (Files.isDirectory(target) && !onlyArrowFiles(target)) {
      throw fault(K6110, target + " exists already and holds more than files of a dataset");
    }
  }

  private static boolean onlyArrowFiles(Path folder) {
    try (var files = Files.walk(folder)) {
      return files.allMatch(
          f ->
              Files.isDirectory(f, NOFOLLOW_LINKS)
                  || Files.isRegularFile(f)
                      && (f.toString().endsWith(".arrow")
                          || PART.matcher(UserPath.name(f)).matches()));
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

  /** Leaves what was written where it is, for a later process that resumes. */
  public void keep() {
    kept = true;
  }

  @Override
  public void close() {
    if (!committed && !kept && Files.exists(temporary)) {
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
