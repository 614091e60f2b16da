package dev.kenaz.jvm;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Fault;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import java.io.Serializable;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/** These are the functions that generated code calls. Each program has one context. */
public final class Context {
  /** So many points at most go through vector code together. */
  private static final long TOGETHER = Lanes.POINTS;

  /** No vector of numbers of 32 bits or more has more lanes. */
  private static final long LANES = 16;

  /** Work that is this many times worth another thread is still done by one, if in vectors. */
  private static final long LITTLE = 8;

  /** A block has this many scalar operations. */
  private static final long BLOCK = 1 << 14;

  /** Memory for two vectors of any size, for each thread until it ends. */
  private static final ThreadLocal<MemorySegment> ARGUMENTS =
      ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(128, 64));

  private final Workers workers;
  private final long grain;
  private final Tasks tasks;
  private final List<FaultSite> faults;
  private final List<String> labels;
  private final List<Place> places;

  /** A fault, and the types of its arguments. */
  record FaultSite(Fault fault, List<Prim> arguments) implements Serializable {}

  /**
   * A place where memory is accessed, in code that checks its accesses.
   *
   * @param entry the entry, whose class has the method
   * @param what the name of what is accessed, if it has one
   * @param source the place in the program, or one before it
   */
  record Place(String entry, String method, String what, Optional<Code> statement, Span source)
      implements Serializable {
    @Override
    public String toString() {
      var text = statement.map(Code::toString).orElse("the end");
      var start = text.substring(0, Math.min(text.length(), 400));
      return "%s, entry %s, %s, %s %s".formatted(source, entry, method, what, start);
    }
  }

  Context(
      Workers workers,
      long grain,
      Tasks tasks,
      List<FaultSite> faults,
      List<String> labels,
      List<Place> places) {
    this.workers = workers;
    this.grain = grain;
    this.tasks = tasks;
    this.faults = List.copyOf(faults);
    this.labels = List.copyOf(labels);
    this.places = List.copyOf(places);
  }

  // Memory

  /**
   * Replaces this block (0 for none) by another one that is large enough; the contents are lost.
   */
  public static long grow(long base, long capacity, long bytes) {
    NativeMemory.free(base, capacity);
    return NativeMemory.allocate(bytes);
  }

  public static long capacity(long bytes) {
    return NativeMemory.capacity(bytes);
  }

  public static void free(long base, long capacity) {
    NativeMemory.free(base, capacity);
  }

  /** Returns the JDK's raw memory access, for generated classes' static initialisers. */
  public static Object unsafe() {
    return NativeMemory.unsafe();
  }

  /**
   * Makes an array for a frame's registers, see {@link FrameArray}.
   *
   * @param given values of the first ones
   * @param n how many they are
   * @param slotsAt the place of the first slot
   * @param slots how many the frame has; they are empty
   */
  public static long[] frame(long[] given, int n, int size, int slotsAt, int slots) {
    var frame = new long[size];
    System.arraycopy(given, 0, frame, 0, n);
    for (int k = 0; k < slots; k++) {
      frame[slotsAt + 2 * k + 1] = -1;
    }
    return frame;
  }

  /** Frees the slots of a frame. */
  public static void freeAll(long[] frame, int slotsAt, int slots) {
    for (int k = 0; k < slots; k++) {
      free(frame[slotsAt + 2 * k], frame[slotsAt + 2 * k + 1]);
    }
  }

  /**
   * Copies what is at the places, which are characters of the text, to the target, from {@code at}
   * on.
   */
  public static void gather(long[] frame, String places, long[] target, int at) {
    for (int k = 0; k < places.length(); k++) {
      target[at + k] = frame[places.charAt(k)];
    }
  }

  /** Copies in the other direction, from the source to the places. */
  public static void scatter(long[] frame, String places, long[] source, int at) {
    for (int k = 0; k < places.length(); k++) {
      frame[places.charAt(k)] = source[at + k];
    }
  }

  /** Sets what is at the places to zero. */
  public static void clear(long[] frame, String places) {
    for (int k = 0; k < places.length(); k++) {
      frame[places.charAt(k)] = 0;
    }
  }

  /**
   * Returns the address of this thread's memory for two vectors, the arguments of an elementary
   * function.
   */
  public static long arguments() {
    return ARGUMENTS.get().address();
  }

  // Parallelism

  /** Decides how many chunks to make, see {@link dev.kenaz.loopir.Code.Plan}. */
  public long plan(long extent, long work, long most) {
    int n = workers.size();
    if (n == 1 || extent <= 1) {
      return 1;
    }
    double point = Math.max(1, work);
    // Points that take little are shared out in vectors.
    long fitting = TOGETHER * point <= LITTLE * grain ? extent / TOGETHER : extent;
    long worth = (long) Math.min(extent * point / grain, n * Code.Plan.CHUNKS_PER_WORKER);
    return Math.max(1, Math.min(Math.min(fitting, most), worth));
  }

  /** Runs chunks in parallel, see {@link dev.kenaz.loopir.Code.Parallel}. */
  public void parallel(
      int task, long[] environment, long extent, long chunks, long work, boolean divisible) {
    long piece = divisible ? block(work) : Long.MAX_VALUE;
    if (chunks == 1) {
      pieces(task, environment, 0, 0, extent, piece);
      return;
    }
    workers.run(
        chunks,
        c -> {
          long hi = bound(extent, chunks, c + 1);
          pieces(task, environment, c, bound(extent, chunks, c), hi, piece);
        });
  }

  /**
   * Returns where a chunk begins. The sizes of chunks are about equal, and as far as they are large
   * enough, multiples of what goes through a loop together in vectors: what is left of it would be
   * done by scalar code at the end of each chunk, and not just of the last one. Smaller ones are
   * multiples of a vector's length.
   */
  static long bound(long extent, long chunks, long chunk) {
    long size = extent / chunks;
    long at = chunk * size + Math.min(chunk, extent % chunks);
    long most = size < TOGETHER ? LANES : TOGETHER;
    long together = Math.min(most, Long.highestOneBit(Math.max(1, size)));
    return chunk == chunks ? at : at - at % together;
  }

  private void pieces(int task, long[] environment, long chunk, long lo, long hi, long piece) {
    long from = lo;
    do {
      long to = hi - from > piece ? from + piece : hi;
      tasks.run(task, this, environment, chunk, from, to);
      from = to;
    } while (from < hi);
  }

  /**
   * How many points a call of compiled code should do: so many that a call costs nothing, so few
   * that the JIT compiler soon sees a method that is called often, which it does better than a loop
   * that it must replace while it runs.
   */
  public static long block(long work) {
    return Math.max(1, BLOCK / Math.max(1, work));
  }

  // Faults and output

  /** Returns the error that ends the program. */
  public RuntimeException fault(int site, long[] arguments) {
    var f = faults.get(site);
    var message = new StringBuilder();
    int at = 0;
    for (int i = 0; i < arguments.length; i++) {
      int hole = f.fault().message().indexOf("{}", at);
      if (hole < 0) {
        break;
      }
      message
          .append(f.fault().message(), at, hole)
          .append(text(f.arguments().get(i), arguments[i]));
      at = hole + 2;
    }
    message.append(f.fault().message().substring(at));
    return new UserError(f.fault().code(), f.fault().span(), message.toString());
  }

  /** Returns the name of what is accessed at a place. */
  String place(int site) {
    return places.get(site).what;
  }

  /** Returns the error with which code that checks its accesses ends. */
  CompilerBug broken(CheckedMemory.Finding finding, int site) {
    return new CompilerBug("jvm", places.get(site) + ": " + finding.getMessage());
  }

  private static String text(Prim prim, long bits) {
    if (prim.isUnsigned()) {
      return Long.toUnsignedString(bits);
    }
    return prim.isSigned() ? Long.toString(bits) : new ScalarValue(prim, bits).toString();
  }

  /** Prints a traced scalar. */
  public void print(int label, int prim, long bits) {
    System.err.println(labels.get(label) + ": " + new ScalarValue(Prim.values()[prim], bits));
  }
}
