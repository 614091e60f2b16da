package dev.kenaz.jobs.measure;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * Counts events of the processor by perf_event_open(2) of Linux: those of the thread that makes
 * this object, and of all threads that are begun by it afterwards, outside of the kernel. Many
 * virtual machines have no such counters, and systems may forbid them; then there is nothing to
 * read.
 */
final class EventCounters {
  private static final int ATTRIBUTE_BYTES = 64;
  private static final int HARDWARE = 0;
  private static final int SOFTWARE = 1;

  /** Threads that are begun later are counted too. */
  private static final long INHERIT = 1 << 1;

  private static final long EXCLUDE_KERNEL = 1 << 5;
  private static final long EXCLUDE_HYPERVISOR = 1 << 6;

  /** With a count come the times for which it was wanted, and for which it could be counted. */
  private static final long TIMES = 3;

  /** What is counted, with its type and number in perf_event_open(2). */
  enum Event {
    CYCLES(HARDWARE, 0),
    INSTRUCTIONS(HARDWARE, 1),
    CACHE_MISSES(HARDWARE, 3),
    BRANCH_MISSES(HARDWARE, 5),
    PAGE_FAULTS(SOFTWARE, 2);

    private final int type;
    private final long number;

    Event(int type, long number) {
      this.type = type;
      this.number = number;
    }

    /** Returns its name in results, such as {@code cache-misses}. */
    String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  private final Map<Event, Integer> files = new EnumMap<>(Event.class);
  private MethodHandle read;

  EventCounters() {
    var number = openNumber();
    if (number.isEmpty()) {
      return;
    }
    var linker = Linker.nativeLinker();
    var lookup = linker.defaultLookup();
    var size = ValueLayout.JAVA_LONG;
    var word = ValueLayout.JAVA_INT;
    var address = ValueLayout.ADDRESS;
    var open =
        linker.downcallHandle(
            lookup.findOrThrow("syscall"),
            FunctionDescriptor.of(size, size, address, word, word, word, size),
            Linker.Option.firstVariadicArg(1));
    read =
        linker.downcallHandle(
            lookup.findOrThrow("read"), FunctionDescriptor.of(size, word, address, size));
    for (var event : Event.values()) {
      long file = open(open, number.get(), event);
      if (file >= 0) {
        files.put(event, (int) file);
      }
    }
  }

  /** Returns the number of perf_event_open among the calls of this system. */
  private static Optional<Long> openNumber() {
    boolean linux = System.getProperty("os.name").equals("Linux");
    return !linux
        ? Optional.empty()
        : switch (System.getProperty("os.arch")) {
          case "amd64" -> Optional.of(298L);
          case "aarch64" -> Optional.of(241L);
          default -> Optional.empty();
        };
  }

  private static long open(MethodHandle open, long number, Event event) {
    try (var arena = Arena.ofConfined()) {
      var attribute = arena.allocate(ATTRIBUTE_BYTES, 8);
      attribute.set(ValueLayout.JAVA_INT, 0, event.type);
      attribute.set(ValueLayout.JAVA_INT, 4, ATTRIBUTE_BYTES);
      attribute.set(ValueLayout.JAVA_LONG, 8, event.number);
      attribute.set(ValueLayout.JAVA_LONG, 32, TIMES);
      attribute.set(ValueLayout.JAVA_LONG, 40, INHERIT | EXCLUDE_KERNEL | EXCLUDE_HYPERVISOR);
      return (long) open.invokeExact(number, attribute, 0, -1, -1, 0L);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns what was counted so far. Events that this machine doesn't count are absent. */
  SequencedMap<String, Long> now() {
    var counts = new LinkedHashMap<String, Long>();
    try (var arena = Arena.ofConfined()) {
      var answer = arena.allocate(3 * Long.BYTES, 8);
      files.forEach(
          (event, file) -> count(file, answer).ifPresent(n -> counts.put(event.text(), n)));
    }
    return counts;
  }

  private Optional<Long> count(int file, MemorySegment answer) {
    try {
      if ((long) read.invokeExact(file, answer, answer.byteSize()) != answer.byteSize()) {
        return Optional.empty();
      }
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
    long counted = answer.getAtIndex(ValueLayout.JAVA_LONG, 0);
    long wanted = answer.getAtIndex(ValueLayout.JAVA_LONG, 1);
    long running = answer.getAtIndex(ValueLayout.JAVA_LONG, 2);
    // A processor with fewer counters than events takes turns; what it missed is estimated.
    return running == 0
        ? Optional.empty()
        : Optional.of(Math.round(counted * ((double) wanted / running)));
  }
}
