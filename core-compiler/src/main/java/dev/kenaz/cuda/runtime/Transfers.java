package dev.kenaz.cuda.runtime;

/**
 * How many bytes a thread has copied to devices and from them. What computes on a device does so in
 * its own thread, so this tells the copies of those apart that share a device.
 *
 * @param to those from the host to devices
 * @param from those from devices to the host
 */
public record Transfers(long to, long from) {
  private static final ThreadLocal<Transfers> OF_THREAD =
      ThreadLocal.withInitial(() -> new Transfers(0, 0));

  /** Returns what the current thread has copied since it began. */
  public static Transfers ofThread() {
    return OF_THREAD.get();
  }

  /** Notes a copy of the current thread. */
  static void add(long to, long from) {
    var before = OF_THREAD.get();
    OF_THREAD.set(new Transfers(before.to + to, before.from + from));
  }

  /** Returns what was copied after some others. */
  public Transfers since(Transfers before) {
    return new Transfers(to - before.to, from - before.from);
  }
}
