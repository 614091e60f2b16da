package dev.kenaz.distribute;

/**
 * What plans are judged by: how fast machines, networks and Spark are.
 *
 * <p>The rates of a core are between those of the fastest code and those of the slowest, on one
 * core of an AMD EPYC; docs/benchmarks.md says how well they foretell the time of programs. No
 * network was measured: it is one of 10 Gbit/s.
 *
 * @param job seconds that it takes to start a stage, whatever it does
 * @param task seconds for each task of it
 * @param wire bytes a second between a machine and the others
 * @param coresOfMachine how many cores share that
 * @param movers how many of them move rows at the same time
 */
public record Rates(double job, double task, double wire, int coresOfMachine, int movers) {
  /** Simple operations a second: additions alone reach 16.5e9, loops that no vectors do 1e9. */
  static final double OPERATIONS = 4e9;

  /** Bytes a second: a core alone reads 17e9; several share what the machine has. */
  static final double MEMORY = 1e10;

  /** Seconds for an access to a place that is in no cache. */
  public static final double JUMP = 5e-9;

  /** Seconds for a row that is moved by its number. */
  public static final double ROW = 1e-7;

  /**
   * On Spark. A stage of 8 or 64 pieces takes 7 to 13 ms by {@code kenaz bench spark}; the driver
   * starts some 2000 tasks a second.
   */
  public static final Rates SPARK = new Rates(0.006, 0.0005, 1.2e9, 16, 16);

  /** In one process, where rows that move are copied. */
  public static final Rates PROCESS = new Rates(0, 0.0001, 2e9, Integer.MAX_VALUE, 1);
}
