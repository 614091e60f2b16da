package dev.kenaz.arrow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * This is a process that owns something on a disk, in a form that can be part of a file's name. A
 * process number alone doesn't identify a process: it is soon used again, and other machines and
 * containers use it too.
 *
 * @param place where its number is valid: a machine and, on Linux, a name space
 * @param pid the number of the process there
 * @param start the time at which it was started, in seconds since 1970
 */
public record ProcessOwner(String place, long pid, long start) {
  /** Matches {@link #text} as a part of a larger pattern; it has three groups. */
  public static final String PATTERN = "([0-9a-f]{8})-(\\d{1,18})-(\\d{1,18})";

  private static final Pattern WHOLE = Pattern.compile(PATTERN);
  private static final ProcessOwner SELF = of(ProcessHandle.current());

  /** Returns this process. */
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

  /** Returns a text such as {@code 1f00a2b3-4711-1700000000}. */
  public String text() {
    return place + "-" + pid + "-" + start;
  }

  /** Returns the process whose {@link #text} this is; nothing if it is no such text. */
  public static Optional<ProcessOwner> parse(String text) {
    var found = WHOLE.matcher(text);
    return found.matches()
        ? Optional.of(
            new ProcessOwner(
                found.group(1), Long.parseLong(found.group(2)), Long.parseLong(found.group(3))))
        : Optional.empty();
  }

  /**
   * Whether the process has certainly ended. Nothing is known about processes on other machines, so
   * for these it is false.
   */
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
