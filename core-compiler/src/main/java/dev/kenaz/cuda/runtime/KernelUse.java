package dev.kenaz.cuda.runtime;

import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Pattern;

/** Counts where processes got their kernels, module by module: shipped, kept or compiled. */
public final class KernelUse {
  private static final String FORMAT =
      "kernels: %d modules shipped, %d kept from before, %d compiled in %.1f s";
  private static final Pattern LINE =
      Pattern.compile(
          "kernels: (\\d+) modules shipped, (\\d+) kept from before, (\\d+) compiled in ([0-9.]+)"
              + " s");

  /** What this process has counted. */
  static final KernelUse HERE = new KernelUse();

  private final LongAdder shipped = new LongAdder();
  private final LongAdder kept = new LongAdder();
  private final LongAdder compiled = new LongAdder();
  private final LongAdder nanos = new LongAdder();

  /** Makes an empty count, to which {@link #add} adds. */
  public KernelUse() {}

  /** Returns a line about this process, which {@link #add} of another process understands. */
  public static String line() {
    return HERE.text();
  }

  void shipped() {
    shipped.increment();
  }

  void kept() {
    kept.increment();
  }

  void compiled(long time) {
    compiled.increment();
    nanos.add(time);
  }

  /** Adds what such a line of another process says. Returns false if the text is no such line. */
  public boolean add(String line) {
    var found = LINE.matcher(line);
    if (!found.matches()) {
      return false;
    }
    shipped.add(Long.parseLong(found.group(1)));
    kept.add(Long.parseLong(found.group(2)));
    compiled.add(Long.parseLong(found.group(3)));
    nanos.add((long) (1e9 * Double.parseDouble(found.group(4))));
    return true;
  }

  /** Returns such a line, with the sum of all processes' seconds. */
  public String text() {
    return String.format(
        Locale.ROOT, FORMAT, shipped.sum(), kept.sum(), compiled.sum(), nanos.sum() / 1e9);
  }
}
