package dev.kenaz.jvm;

import dev.kenaz.error.UserError;
import dev.kenaz.loops.Fault;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import java.util.List;

/** What generated code calls. One for each program. */
public final class Context {
  /** Chunks a worker gets, so that uneven ones even out. */
  private static final long CHUNKS_PER_WORKER = 8;

  private final Workers workers;
  private final long grain;
  private final Tasks tasks;
  private final List<FaultSite> faults;
  private final List<String> labels;

  /** A fault, and the types of its arguments. */
  record FaultSite(Fault fault, List<Prim> arguments) {}

  Context(Workers workers, long grain, Tasks tasks, List<FaultSite> faults, List<String> labels) {
    this.workers = workers;
    this.grain = grain;
    this.tasks = tasks;
    this.faults = List.copyOf(faults);
    this.labels = List.copyOf(labels);
  }

  // Memory

  /** Another block in place of this one (0 for none), large enough; the contents are lost. */
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

  /** For generated classes' static initialisers. */
  public static Object unsafe() {
    return NativeMemory.unsafe();
  }

  // Parallelism

  /** See {@link dev.kenaz.loops.Code.Plan}. */
  public long plan(long extent, long work, long most) {
    int n = workers.size();
    if (n == 1 || extent <= 1) {
      return 1;
    }
    double total = (double) extent * Math.max(1, work);
    long worth = (long) Math.min(total / grain, n * CHUNKS_PER_WORKER);
    return Math.max(1, Math.min(Math.min(extent, most), worth));
  }

  /** See {@link dev.kenaz.loops.Code.Parallel}. */
  public void parallel(int task, long[] environment, long extent, long chunks) {
    if (chunks == 1) {
      tasks.run(task, this, environment, 0, 0, extent);
      return;
    }
    long size = extent / chunks;
    long larger = extent % chunks;
    workers.run(
        chunks,
        c -> {
          long lo = c * size + Math.min(c, larger);
          long hi = lo + size + (c < larger ? 1 : 0);
          tasks.run(task, this, environment, c, lo, hi);
        });
  }

  // Faults and output

  /** The error that ends the program. */
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
