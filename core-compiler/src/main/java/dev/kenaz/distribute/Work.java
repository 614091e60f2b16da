package dev.kenaz.distribute;

/**
 * An amount of work of one core.
 *
 * @param operations simple operations on eight bytes, such as an addition of f64
 * @param bytes that are read from memory or written to it, one after the other
 * @param jumps accesses to places in memory that no access before was near to
 */
public record Work(double operations, double bytes, double jumps) {
  public static final Work NONE = new Work(0, 0, 0);

  static Work operations(double n) {
    return new Work(n, 0, 0);
  }

  public static Work bytes(double n) {
    return new Work(0, n, 0);
  }

  public Work plus(Work other) {
    return new Work(operations + other.operations, bytes + other.bytes, jumps + other.jumps);
  }

  public Work times(double n) {
    return new Work(operations * n, bytes * n, jumps * n);
  }

  /** How long it takes one core. */
  public double seconds() {
    return operations / Rates.OPERATIONS + bytes / Rates.MEMORY + jumps * Rates.JUMP;
  }
}
