package dev.kenaz.spark;

/**
 * What the jobs of a runner have spent their time on, in seconds. What tasks did is divided by the
 * number of tasks that ran at once, so that it can be compared with the time that has passed.
 *
 * @param compute in the program, on shards and pieces
 * @param data reading shards that were not in memory
 * @param combination combining what shards gave, in tasks and in the driver
 * @param jobs the time that has passed while jobs ran, all of the above included
 */
public record Spent(double compute, double data, double combination, double jobs) {
  public static final Spent NOTHING = new Spent(0, 0, 0, 0);

  static Spent inTasks(Outcome.Times times, int atOnce) {
    double all = 1e9 * Math.max(1, atOnce);
    return new Spent(times.compute() / all, times.data() / all, times.combination() / all, 0);
  }

  public Spent plus(Spent s) {
    return new Spent(
        compute + s.compute, data + s.data, combination + s.combination, jobs + s.jobs);
  }

  /** Returns what was spent since then. */
  public Spent since(Spent before) {
    return new Spent(
        compute - before.compute,
        data - before.data,
        combination - before.combination,
        jobs - before.jobs);
  }
}
