package dev.kenaz.arrow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A process that owns something on a disk, in a form that can be part of a file's name. A process
 * number alone is soon used again, and means another process on another machine or in another
 * container.
 *
 * @param place where its number means something: a machine and, on Linux, a name space
 * @param pid its number there
 * @param start when it was started, in seconds
 */
public record ProcessOwner(String place, long pid, long start) {
  /** How {@link #text} looks, to be part of a larger pattern; three groups. */
  public static final String PATTERN = "([0-9a-f]{8})-(\\d{1,18})-(\\d{1,18})";

  private static final Pattern WHOLE = Pattern.compile(PATTERN);
  private static final ProcessOwner SELF = of(ProcessHandle.current());

  /** This process. */
  public static ProcessOwner self() {
    return SELF;
  }

  private static ProcessOwner of(ProcessHandle process) {
    return new ProcessOwner(here(), process.pid(), start(process));
  }

  private static long start(ProcessHandle process) {
    return process.info().startInstant().map(Instant::getEpochSecond).orElse(0L);
  }

  private static String here() {
    var place = new StringBuilder();
    try {
      place.append(Files.readString(Path.of("/proc/sys/kernel/hostname")));
      place.append(Files.readSymbolicLink(Path.of("/proc/self/ns/pid")));
    } catch (IOException _) {
      place.append(System.getenv("COMPUTERNAME")).append(System.getProperty("os.name"));
    }
    return String.format("%08x", place.toString().hashCode());
  }

  /** Such as {@code 1f00a2b3-4711-1700000000}. */
  public String text() {
    return place + "-" + pid + "-" + start;
  }

  /** What {@link #text} gave, if this is such a text. */
  public static Optional<ProcessOwner> parse(String text) {
    var found = WHOLE.matcher(text);
    return found.matches()
        ? Optional.of(
            new ProcessOwner(
                found.group(1), Long.parseLong(found.group(2)), Long.parseLong(found.group(3))))
        : Optional.empty();
  }

  /** Whether it has certainly ended; false for processes elsewhere, of which nothing is known. */
  public boolean hasEnded() {
    if (!place.equals(SELF.place)) {
      return false;
    }
    // Linux tells the start of a process with an error of some milliseconds.
    return ProcessHandle.of(pid)
        .map(p -> start > 0 && start(p) > 0 && Math.abs(start(p) - start) > 2)
        .orElse(true);
  }
}
