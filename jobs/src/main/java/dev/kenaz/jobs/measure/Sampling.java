package dev.kenaz.jobs.measure;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/**
 * Measures one process: first until it is warm, then by samples until their median is sure enough.
 */
final class Sampling {
  /** A sample is the mean of as many calls as take so long; clocks and interrupts blur less. */
  private static final double SAMPLE = 0.01;

  /** A turn among other processes has so many samples. */
  private static final int TURN = 5;

  /** The medians of so many batches are compared to find out whether a process is warm. */
  private static final int WINDOW = 5;

  /** Batches while the process warms up take so long. */
  private static final double BATCH = 0.05;

  /** Times that differ by no more than this part are the same while a process warms up. */
  private static final double STEADY = 0.02;

  /** A process isn't warm before so many seconds, unless its calls take long. */
  private static final double LEAST_WARM_UP = 0.5;

  /** No more samples are taken: the statistic would take longer than the samples. */
  private static final int MOST = 5000;

  /** Calls so long that many of them would take too long are measured a few times. */
  private static final int FEW = 3;

  /** After so many times the seconds for a process, a few samples are enough. */
  private static final double LONG = 2;

  private final Subject subject;
  private final Plan plan;
  private final List<Double> samples = new ArrayList<>();
  private double first = Double.NaN;
  private double warmUp;
  private boolean steady;
  private double spent;
  private double cpu;
  private double cpuOfAll;
  private double collection;
  private long calls;
  private long allocated;
  private final SequencedMap<String, Long> events = new LinkedHashMap<>();
  private boolean done;

  /**
   * How carefully is measured.
   *
   * @param warmUp the most seconds of warming up
   * @param seconds the most seconds of samples
   * @param confidence the wanted half-width of the confidence interval, as a part of the median
   * @param least the least number of samples
   */
  record Plan(double warmUp, double seconds, double confidence, int least) {}

  Sampling(Subject subject, Plan plan) {
    this.subject = subject;
    this.plan = plan;
  }

  /** Calls the function until its times are steady. */
  void warmUp() {
    long begin = System.nanoTime();
    first = subject.run(1).seconds();
    double call = first;
    var batches = new ArrayList<Double>();
    var compiled = new ArrayList<Double>();
    while (!steady && since(begin) < plan.warmUp()) {
      long n = calls(BATCH, call);
      var run = subject.run(n);
      call = run.seconds() / n;
      batches.add(call);
      compiled.add(run.jit() / Math.max(run.seconds(), 1e-9));
      steady = isSteady(batches, compiled, since(begin));
    }
    warmUp = since(begin);
  }

  private static double since(long begin) {
    return (System.nanoTime() - begin) / 1e9;
  }

  private static long calls(double seconds, double call) {
    return Math.max(1, (long) Math.ceil(seconds / Math.max(call, 1e-9)));
  }

  /** Long calls are few: there the last ones are compared, and a second of them is enough. */
  private static boolean isSteady(List<Double> batches, List<Double> compiled, double seconds) {
    double call = batches.getLast();
    int window = call > 1 ? 1 : call > 10 * BATCH ? 2 : WINDOW;
    int n = batches.size();
    if (n < 2 * window || seconds < LEAST_WARM_UP) {
      return false;
    }
    double now = Statistics.median(batches.subList(n - window, n));
    double before = Statistics.median(batches.subList(n - 2 * window, n - window));
    boolean compiling = Statistics.median(compiled.subList(n - window, n)) > STEADY;
    return !compiling && Math.abs(now - before) <= STEADY * now;
  }

  /** Takes some samples, unless there are enough. */
  void turn() {
    double call = samples.isEmpty() ? run(1).seconds() : Statistics.median(samples);
    long n = calls(SAMPLE, call);
    if (n > 1) {
      run(n); // Caches have forgotten this process while others had their turns.
    }
    for (int i = 0; i < TURN && !done; i++) {
      var run = run(n);
      samples.add(run.seconds() / n);
      spent += run.seconds();
      cpu += run.cpu();
      collection += run.collection();
      allocated += run.allocated();
      run.events().forEach((event, count) -> events.merge(event, count, Long::sum));
      calls += n;
      done = isEnough();
    }
    done |=
        samples.size() >= plan.least()
            && Statistics.median95(samples).margin() <= plan.confidence();
  }

  private boolean isEnough() {
    int n = samples.size();
    return n >= MOST
        || n >= plan.least() && spent >= plan.seconds()
        || n >= FEW && spent >= LONG * plan.seconds();
  }

  private Subject.Run run(long n) {
    var run = subject.run(n);
    cpuOfAll += run.cpu();
    return run;
  }

  boolean isDone() {
    return done;
  }

  boolean isSteady() {
    return steady;
  }

  List<Double> samples() {
    return samples;
  }

  double first() {
    return first;
  }

  double warmUpSeconds() {
    return warmUp;
  }

  /** Returns the seconds that all samples took. */
  double spent() {
    return spent;
  }

  /** Returns the CPU seconds of a call; NaN if the process doesn't tell. */
  double cpu() {
    return cpu / calls;
  }

  /** Returns the CPU seconds of all turns; NaN if the process doesn't tell. */
  double cpuOfAll() {
    return cpuOfAll;
  }

  /** Returns the part of the time in which the JVM collected garbage. */
  double collection() {
    return spent == 0 ? 0 : collection / spent;
  }

  /** Returns how often events of the processor come in a call. */
  SequencedMap<String, Double> events() {
    var each = new LinkedHashMap<String, Double>();
    events.forEach((event, count) -> each.put(event, (double) count / calls));
    return each;
  }

  long allocated() {
    return calls == 0 ? 0 : allocated / calls;
  }
}
