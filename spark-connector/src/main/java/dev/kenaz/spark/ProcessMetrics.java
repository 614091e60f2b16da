package dev.kenaz.spark;

import dev.kenaz.value.NativeLimit;
import java.lang.ref.WeakReference;
import java.util.LinkedHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.apache.spark.SparkEnv;

/** What the tasks of this process have done so far, for Spark's metrics system. */
final class ProcessMetrics {
  /** The name of the source in Spark's metrics. */
  static final String NAME = "kenaz";

  private static final double NANOS = 1e9;
  private static final LongAdder ROWS = new LongAdder();
  private static final LongAdder BYTES_READ = new LongAdder();
  private static final LongAdder COMPUTE = new LongAdder();
  private static final LongAdder READING = new LongAdder();
  private static final LongAdder DEVICE = new LongAdder();
  private static final LongAdder TO_DEVICES = new LongAdder();
  private static final LongAdder FROM_DEVICES = new LongAdder();
  private static final LongAdder HITS = new LongAdder();
  private static final LongAdder MISSES = new LongAdder();

  /** The Spark that has the numbers. An embedded one may be followed by another one. */
  private static WeakReference<SparkEnv> registered = new WeakReference<>(null);

  private ProcessMetrics() {}

  /** Counts what a part of a task did. */
  static void add(TaskCounters.Amounts a) {
    ROWS.add(a.rows());
    BYTES_READ.add(a.bytesRead());
    COMPUTE.add(a.compute());
    READING.add(a.reading());
    DEVICE.add(a.device());
    TO_DEVICES.add(a.copied().to());
    FROM_DEVICES.add(a.copied().from());
    HITS.add(a.hits());
    MISSES.add(a.misses());
  }

  /** Gives Spark the numbers of this process. */
  static synchronized void register() {
    var env = SparkEnv.get();
    if (env == null || registered.refersTo(env)) {
      return;
    }
    registered = new WeakReference<>(env);
    var numbers = new LinkedHashMap<String, Supplier<Number>>();
    numbers.put("rows", ROWS::sum);
    numbers.put("bytesRead", BYTES_READ::sum);
    numbers.put("computeSeconds", () -> COMPUTE.sum() / NANOS);
    numbers.put("readingSeconds", () -> READING.sum() / NANOS);
    numbers.put("deviceSeconds", () -> DEVICE.sum() / NANOS);
    numbers.put("bytesToDevices", TO_DEVICES::sum);
    numbers.put("bytesFromDevices", FROM_DEVICES::sum);
    numbers.put("cacheHits", HITS::sum);
    numbers.put("cacheMisses", MISSES::sum);
    numbers.put("cacheBytes", ShardCache.OF_PROCESS::bytes);
    numbers.put("cacheEvictions", ShardCache.OF_PROCESS::evictions);
    numbers.put("shardsReadAgain", ShardCache.OF_PROCESS::readAgain);
    numbers.put("nativeBytes", NativeLimit::used);
    Gauges.registerAll(NAME, numbers);
  }
}
