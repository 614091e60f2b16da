package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K7102;
import static dev.kenaz.error.ErrorCode.K7104;

import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The right to write into an output folder, which only one training or sweep has at a time. It is a
 * file in the folder, which is locked as long as its process lives; the lock of a dead process is
 * taken over. Its release removes the folders that were made for it, if nothing was put into them.
 */
public final class OutputLock implements AutoCloseable {
  static final String NAME = ".kenaz-lock";

  /**
   * The folders that this process has locked. A second file on a lock must not even be opened: when
   * it is closed, the system takes all locks of this process from it.
   */
  private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

  private final Path folder;
  private final Path file;
  private final FileChannel channel;
  private final List<Path> made;
  private final Thread atExit = new Thread(this::release, "kenaz-unlock");
  private boolean released;

  private OutputLock(Path folder, FileChannel channel, List<Path> made) {
    this.folder = folder;
    this.file = folder.resolve(NAME);
    this.channel = channel;
    this.made = made;
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  /**
   * Locks a folder, and makes it if it doesn't exist.
   *
   * @throws UserError K7104 if somebody else writes into it, K7102 if it can't be made or locked
   */
  public static OutputLock take(Path folder) {
    var made = missing(folder);
    try {
      var real = Files.createDirectories(folder).toRealPath();
      if (!HELD.add(real)) {
        throw taken(folder, "this process");
      }
      FileChannel channel = null;
      try {
        while (channel == null) {
          channel = tryLock(real.resolve(NAME));
        }
        return new OutputLock(real, channel, made);
      } finally {
        if (channel == null) {
          HELD.remove(real);
        }
      }
    } catch (IOException e) {
      made.forEach(OutputLock::deleteIfEmpty);
      throw new UserError(
          K7102,
          Span.NONE,
          "can't use " + folder + " as output folder: " + UserPath.reason(folder, e),
          "name another output folder");
    }
  }

  /** Returns the folders that don't exist yet, the innermost first. */
  private static List<Path> missing(Path folder) {
    var missing = new ArrayList<Path>();
    for (var p = folder; p != null && !Files.exists(p); p = p.getParent()) {
      missing.add(p);
    }
    return missing;
  }

  /**
   * Locks a file. Returns null if its owner removed it after it was opened, so that the lock is on
   * a file that no other process will find.
   */
  private static FileChannel tryLock(Path file) throws IOException {
    var channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    boolean locked = false;
    try {
      if (channel.tryLock() == null) {
        throw taken(file.getParent(), owner(channel));
      }
      channel.truncate(0);
      channel.write(ByteBuffer.wrap(mark().getBytes(StandardCharsets.UTF_8)));
      locked = Files.exists(file) && Files.size(file) == channel.size();
      return locked ? channel : null;
    } finally {
      if (!locked) {
        channel.close();
      }
    }
  }

  /**
   * Returns a mark of random length. The length tells it from the mark of another process, as the
   * file can't be opened once more.
   */
  private static String mark() {
    var blanks = " ".repeat(ThreadLocalRandom.current().nextInt(4096));
    return "process " + ProcessHandle.current().pid() + " on " + host() + "\n" + blanks + "\n";
  }

  private static String owner(FileChannel channel) throws IOException {
    var bytes = ByteBuffer.allocate(200);
    channel.read(bytes, 0);
    var text = new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
    return text.startsWith("process ") ? text.lines().findFirst().orElse("") : "another process";
  }

  private static String host() {
    try {
      return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
    } catch (IOException _) {
      return "this machine";
    }
  }

  private static UserError taken(Path folder, String owner) {
    return new UserError(
        K7104,
        Span.NONE,
        "another run, training or sweep is writing into " + folder + ": " + owner,
        "wait for its end, or name another output folder");
  }

  @Override
  public void close() {
    release();
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException _) {
      return; // The process is ending, and the hook has found the lock released.
    }
  }

  private synchronized void release() {
    if (released) {
      return;
    }
    released = true;
    try (channel) {
      Files.deleteIfExists(file); // The file is deleted while it is locked.
    } catch (IOException _) {
      return; // The next process takes it over.
    } finally {
      HELD.remove(folder);
    }
    made.forEach(OutputLock::deleteIfEmpty);
  }

  private static void deleteIfEmpty(Path folder) {
    try {
      Files.deleteIfExists(folder);
    } catch (IOException _) {
      return; // There is something in the folder.
    }
  }
}
