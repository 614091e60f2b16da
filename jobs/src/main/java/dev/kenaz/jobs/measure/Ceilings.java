package dev.kenaz.jobs.measure;

import static dev.kenaz.error.ErrorCode.K7103;

import dev.kenaz.error.UserPath;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import jdk.incubator.vector.DoubleVector;

/**
 * What the processor can do at most: the lines of a roofline picture (Williams, Waterman and
 * Patterson, "Roofline: an insightful visual performance model", 2009).
 *
 * @param cores how many threads computed at the same time
 * @param f64 operations on f64 a second, if all are multiplications with additions in vectors
 * @param bytes bytes read and written a second, if all are of a copy that no cache can hold
 */
record Ceilings(int cores, double f64, double bytes) {
  static final String FILE = "ceilings.json";
  private static final int STEPS = 20_000;
  private static final long COPIED = 128L << 20;

  /** Runs go on until none has been faster for so many seconds: code is compiled on the way. */
  private static final double SETTLED = 0.7;

  private static final double MOST_SECONDS = 10;

  /** Measures the processors of this machine, by so many threads. */
  static Ceilings of(int cores) {
    double f64 = rate(cores, Ceilings::ofDoubles);
    return new Ceilings(cores, f64, copied(cores));
  }

  /** Returns operations on f32 a second: a vector has twice as many of them. */
  double f32() {
    return 2 * f64;
  }

  /** Returns what a sweep has measured, if it has. */
  static List<Ceilings> read(Path folder) {
    var file = folder.resolve(FILE);
    if (!Files.exists(file)) {
      return List.of();
    }
    try {
      return List.of(MeasurementsFile.JSON.readValue(file.toFile(), Ceilings[].class));
    } catch (IOException e) {
      throw UserPath.cannotRead(file, K7103, e);
    }
  }

  /** A piece of work, which returns how much it was. */
  private interface Work extends Callable<Double> {}

  /** Returns the greatest rate of some runs: an interruption only ever makes them slower. */
  private static double rate(int cores, Work work) {
    var copies = new ArrayList<Work>();
    for (int i = 0; i < cores; i++) {
      copies.add(work);
    }
    return rate(copies);
  }

  private static double rate(List<? extends Callable<Double>> works) {
    try (var threads = Executors.newFixedThreadPool(works.size())) {
      double best = 0;
      long begin = System.nanoTime();
      long improved = begin;
      while (seconds(improved) < SETTLED && seconds(begin) < MOST_SECONDS) {
        long start = System.nanoTime();
        double all = 0;
        for (var done : threads.invokeAll(works)) {
          all += done.get();
        }
        double rate = all / seconds(start);
        improved = rate > 1.02 * best ? System.nanoTime() : improved;
        best = Math.max(best, rate);
      }
      return best;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("stopped while the processor was measured", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  private static double seconds(long since) {
    return (System.nanoTime() - since) / 1e9;
  }

  /** Twelve chains are enough to hide the latency of two units of four cycles. */
  private static double ofDoubles() {
    var species = DoubleVector.SPECIES_PREFERRED;
    var x = DoubleVector.broadcast(species, 0.999999);
    var y = DoubleVector.broadcast(species, 1e-6);
    var a = x;
    var b = x;
    var c = x;
    var d = x;
    var e = x;
    var f = x;
    var g = x;
    var h = x;
    var i = x;
    var j = x;
    var k = x;
    var l = x;
    for (int n = 0; n < STEPS; n++) {
      a = a.fma(x, y);
      b = b.fma(x, y);
      c = c.fma(x, y);
      d = d.fma(x, y);
      e = e.fma(x, y);
      f = f.fma(x, y);
      g = g.fma(x, y);
      h = h.fma(x, y);
      i = i.fma(x, y);
      j = j.fma(x, y);
      k = k.fma(x, y);
      l = l.fma(x, y);
    }
    var all = a.add(b).add(c).add(d).add(e).add(f).add(g).add(h).add(i).add(j).add(k).add(l);
    return counted(species.length(), all.lane(0));
  }

  /** Returns the operations; the result is looked at, so that the work isn't left out. */
  private static double counted(int lanes, double result) {
    return Double.isNaN(result) ? 0 : 2.0 * 12 * STEPS * lanes;
  }

  private static double copied(int cores) {
    try (var arena = Arena.ofShared()) {
      var works = new ArrayList<Work>();
      for (int i = 0; i < cores; i++) {
        var from = arena.allocate(COPIED / cores, 64);
        var to = arena.allocate(COPIED / cores, 64);
        works.add(
            () -> {
              MemorySegment.copy(from, 0, to, 0, from.byteSize());
              return 2.0 * from.byteSize();
            });
      }
      return rate(works);
    }
  }
}
