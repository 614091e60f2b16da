package dev.kenaz.value;

import static dev.kenaz.error.ErrorCode.K5006;
import static dev.kenaz.error.ErrorCode.K7501;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.OperatingSystemMXBean;
import dev.kenaz.error.UserError;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

/**
 * Limits how much native memory all arrays of this process may take together: a share of the memory
 * of the machine or its container, less what the Java heap has taken; or what {@code
 * -Dkenaz.memory} says. Without a limit a program that asks for more and more would end when the
 * system kills the process. Mapped files don't count: the system takes their pages back when it
 * needs them.
 */
public final class NativeLimit {
  /**
   * Names the property with the limit: a size, such as {@code 20g}, or a share of the machine's
   * memory, such as {@code 60%}.
   */
  public static final String PROPERTY = "kenaz.memory";

  private static final int SHARE = 80;

  /** The limit is at least this many bytes, whatever the heap has taken. */
  private static final long LEAST = 64L << 20;

  private static final Pattern SIZE = Pattern.compile("(\\d{1,15})\\s*(?:([kmgt])i?b?|b)?");
  private static final Pattern PERCENT = Pattern.compile("(\\d{1,3})\\s*%");

  private static final AtomicLong USED = new AtomicLong();
  private static final List<Runnable> SPARING = new CopyOnWriteArrayList<>();
  private static final long MACHINE = machine();
  private static final long DIRECT = direct();

  /** The limit in bytes that {@link #atMost} has set; 0 for none. */
  private static volatile long given;

  private NativeLimit() {}

  /**
   * Counts bytes that are about to be allocated. If there is no room, memory that is kept only to
   * save time is given back first, and the garbage collector is called: it doesn't know how much
   * native memory small objects hold.
   *
   * @throws UserError (K5006) if there is no room
   */
  public static void reserve(long bytes) {
    if (tryReserve(bytes)) {
      return;
    }
    if (bytes <= limit()) {
      SPARING.forEach(Runnable::run);
      for (long wait = 1; wait <= 512; wait *= 2) {
        if (tryReserve(bytes)) {
          return;
        }
        System.gc();
        if (!slept(wait)) {
          break;
        }
      }
      if (tryReserve(bytes)) {
        return;
      }
    }
    throw outOfMemory(bytes);
  }

  private static boolean slept(long millis) {
    try {
      Thread.sleep(millis);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static boolean tryReserve(long bytes) {
    long most = limit();
    while (true) {
      long now = USED.get();
      if (bytes > most - now) {
        return false;
      }
      if (USED.compareAndSet(now, now + bytes)) {
        return true;
      }
    }
  }

  /** Notes that memory that was reserved has been given back to the system. */
  public static void release(long bytes) {
    USED.addAndGet(-bytes);
  }

  /** Returns how many bytes are in use, or kept for reuse. */
  public static long used() {
    return USED.get();
  }

  /**
   * Registers an action that gives memory back that is kept only to save time. It is run when there
   * is no room.
   */
  public static void whenScarce(Runnable spare) {
    SPARING.add(spare);
  }

  /** Returns the error which says that there is no room for so many bytes. */
  public static UserError outOfMemory(long bytes) {
    return Sizes.outOfMemory(
        bytes,
        () ->
            new UserError(
                K5006,
                "out of memory: "
                    + text(bytes)
                    + " for an array, where arrays have "
                    + text(USED.get())
                    + " of the "
                    + text(limit())
                    + " that they may take",
                "use smaller inputs, or fewer and smaller intermediate arrays;",
                "if there is more memory, allow it: KENAZ_JAVA_OPTS=-D"
                    + PROPERTY
                    + "=90% or =20g;",
                "on Spark: spark.kenaz.memory or spark.executor.memoryOverhead, or more"
                    + " partitions"));
  }

  // The limit

  /** Returns the present limit in bytes. */
  public static long limit() {
    var said = System.getProperty(PROPERTY);
    if (said != null) {
      return parse(said);
    }
    if (given > 0) {
      return given;
    }
    long most = MACHINE / 100 * SHARE - Runtime.getRuntime().totalMemory();
    return Math.max(LEAST, Math.min(most, DIRECT));
  }

  /**
   * Sets a limit for this process, unless its user has set one.
   *
   * @param bytes the limit in bytes; 0 for the usual limit
   * @return the limit that was set before
   */
  public static long atMost(long bytes) {
    long before = given;
    given = bytes;
    return before;
  }

  /** Returns how many bytes of memory the machine or its container has. */
  public static long ofMachine() {
    return MACHINE;
  }

  static long parse(String text) {
    var percent = PERCENT.matcher(text.strip());
    if (percent.matches() && Integer.parseInt(percent.group(1)) > 0) {
      return MACHINE / 100 * Integer.parseInt(percent.group(1));
    }
    var size = SIZE.matcher(text.strip().toLowerCase(Locale.ROOT));
    if (size.matches()) {
      var unit = size.group(2);
      long factor = 1L << (unit == null ? 0 : 10 * (1 + "kmgt".indexOf(unit)));
      return Sizes.times(Long.parseLong(size.group(1)), factor);
    }
    throw new UserError(
        K7501,
        "-D" + PROPERTY + "=" + text + " is no size",
        "write bytes as 800m or 20g, or a share of the machine's memory as 60%");
  }

  private static long machine() {
    var bean = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    return bean == null ? 4 * Runtime.getRuntime().maxMemory() : bean.getTotalMemorySize();
  }

  /** Returns Java's own limit for memory outside of its heap, which holds here too. */
  private static long direct() {
    var bean = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    long set =
        bean == null ? 0 : Long.parseLong(bean.getVMOption("MaxDirectMemorySize").getValue());
    return set > 0 ? set : Long.MAX_VALUE;
  }

  private static String text(long bytes) {
    double b = bytes;
    int unit = 0;
    while (b >= 10_000 && unit < 4) {
      b /= 1024;
      unit++;
    }
    var name = List.of("bytes", "KiB", "MiB", "GiB", "TiB").get(unit);
    return String.format(Locale.ROOT, b < 100 && unit > 0 ? "%.1f %s" : "%.0f %s", b, name);
  }
}
