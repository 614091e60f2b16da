package dev.kenaz.cuda.runtime;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import jcuda.driver.CUevent;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;

/**
 * Measures how long each kernel of this process takes on its device, between an event before it and
 * one after it. The kernels still run one after the other without the host's waiting for them.
 */
public final class KernelTimes {
  static final KernelTimes HERE = new KernelTimes();

  /** So many launches are under way at most before the host waits for the times of the first. */
  private static final int MOST_PENDING = 4096;

  /**
   * What one kernel took.
   *
   * @param kernel its name, with what it computes and where that stands in the program
   * @param seconds the sum of all launches
   */
  public record Time(String kernel, long launches, double seconds) {}

  private record Pending(String kernel, CUevent start, CUevent end) {}

  private final Deque<Pending> pending = new ArrayDeque<>();
  private final Deque<CUevent> unused = new ArrayDeque<>();
  private final Map<String, Time> times = new HashMap<>();
  private volatile boolean on;

  private KernelTimes() {}

  /** Measures all kernels that are launched from now on. */
  public static void start() {
    synchronized (HERE) {
      HERE.times.clear();
      HERE.on = true;
    }
  }

  /**
   * Ends what {@link #start} began, and returns what the kernels took, the longest first. The
   * thread is one that has launched kernels.
   */
  public static List<Time> stop() {
    synchronized (HERE) {
      while (!HERE.pending.isEmpty()) {
        HERE.takeFirst();
      }
      HERE.on = false;
      var all = new ArrayList<>(HERE.times.values());
      HERE.times.clear();
      all.sort(Comparator.comparing(Time::seconds).reversed());
      return all;
    }
  }

  /**
   * Does a launch, and notes its time if that is wanted. Otherwise launches on several devices
   * don't wait for each other.
   */
  void around(String kernel, CUstream stream, Calls calls, Runnable launch) {
    if (on) {
      measured(kernel, stream, calls, launch);
    } else {
      launch.run();
    }
  }

  private synchronized void measured(String kernel, CUstream stream, Calls calls, Runnable launch) {
    var start = event(calls);
    var end = event(calls);
    calls.check(JCudaDriver.cuEventRecord(start, stream), "recording an event");
    launch.run();
    calls.check(JCudaDriver.cuEventRecord(end, stream), "recording an event");
    pending.addLast(new Pending(kernel, start, end));
    if (pending.size() > MOST_PENDING) {
      takeFirst();
    }
  }

  private CUevent event(Calls calls) {
    if (!unused.isEmpty()) {
      return unused.removeLast();
    }
    var event = new CUevent();
    calls.check(JCudaDriver.cuEventCreate(event, 0), "creating an event");
    return event;
  }

  /** Adds the time of the first launch that has none yet. What failed is left out. */
  private void takeFirst() {
    var first = pending.removeFirst();
    var milliseconds = new float[1];
    boolean known =
        JCudaDriver.cuEventSynchronize(first.end) == CudaStatus.OK
            && JCudaDriver.cuEventElapsedTime(milliseconds, first.start, first.end)
                == CudaStatus.OK;
    if (known) {
      var one = new Time(first.kernel, 1, milliseconds[0] / 1e3);
      times.merge(first.kernel, one, KernelTimes::sum);
    }
    unused.addLast(first.start);
    unused.addLast(first.end);
  }

  private static Time sum(Time a, Time b) {
    return new Time(a.kernel, a.launches + b.launches, a.seconds + b.seconds);
  }
}
