package dev.kenaz.spark;

import com.esotericsoftware.kryo.DefaultSerializer;
import com.esotericsoftware.kryo.serializers.JavaSerializer;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;

/**
 * Sends values to executors. Small ones travel with the tasks. A large one is broadcast, and it
 * isn't sent again while it stays the same. Where the driver is the only executor, it is handed
 * over as it is.
 */
final class SentValues {
  /** How many bytes may travel with a task. */
  private static final int WITH_TASK = 64 << 10;

  /** A broadcast is dropped when so many calls of {@link #send} have not needed it. */
  private static final int IDLE = 16;

  private static final class Live {
    final Broadcast<Shared> broadcast;
    final WireValue.Copied value;
    long used;

    Live(Broadcast<Shared> broadcast, WireValue.Copied value) {
      this.broadcast = broadcast;
      this.value = value;
    }
  }

  /** A value that all tasks of an executor share. */
  @DefaultSerializer(JavaSerializer.class)
  private static final class Shared implements Serializable {
    private static final long serialVersionUID = 1L;
    private final WireValue sent;
    private transient Value value;

    Shared(WireValue sent) {
      this.sent = sent;
    }

    synchronized Value value() {
      if (value == null) {
        value = sent.read();
      }
      return value;
    }
  }

  /** A value as tasks have it. */
  sealed interface Sent extends Serializable {
    static List<Value> read(List<Sent> all) {
      return all.stream().map(Sent::read).toList();
    }

    Value read();

    record WithTask(WireValue value) implements Sent {
      @Override
      public Value read() {
        return value.read();
      }
    }

    record InBroadcast(Broadcast<Shared> broadcast) implements Sent {
      @Override
      public Value read() {
        return broadcast.value().value();
      }
    }

    record Handed(Handover.Key key) implements Sent {
      @Override
      public Value read() {
        return Handover.get(key, Value.class)
            .orElseThrow(() -> new IllegalStateException("the job of this task has ended"));
      }
    }
  }

  private final JavaSparkContext spark;
  private final boolean destroys;
  private final List<Live> live = new ArrayList<>();

  /** Whether tasks are in this process, and none of them runs when other values are sent. */
  private final boolean handsOver;

  private final List<Handover.Key> handed = new ArrayList<>();
  private long calls;

  private SentValues(JavaSparkContext spark, boolean destroys) {
    this.spark = spark;
    this.destroys = destroys;
    this.handsOver = destroys && spark.isLocal();
  }

  /** Values for jobs that have ended when other values are sent. */
  static SentValues whileUsed(JavaSparkContext spark) {
    return new SentValues(spark, true);
  }

  /**
   * Values for datasets that may have to be computed again. Spark drops a broadcast when no dataset
   * of this process refers to it any more.
   */
  static SentValues whileReachable(JavaSparkContext spark) {
    return new SentValues(spark, false);
  }

  /** Returns the values in the form that tasks take. */
  List<Sent> send(List<Value> values) {
    return send(values, WITH_TASK);
  }

  /**
   * Does the same.
   *
   * @param bytes how many may travel with a task
   */
  List<Sent> send(List<Value> values, int bytes) {
    begin();
    var all = sent(values, bytes);
    drop();
    return all;
  }

  private void begin() {
    calls++;
    handed.forEach(Handover::remove);
    handed.clear();
  }

  /** Returns the values of several programs in one job. */
  List<List<Sent>> sendAll(List<List<Value>> values) {
    begin();
    var all = values.stream().map(v -> sent(v, WITH_TASK)).toList();
    drop();
    return all;
  }

  private List<Sent> sent(List<Value> values, int bytes) {
    long room = bytes;
    var all = new ArrayList<Sent>();
    for (var value : values) {
      long size = ArrayValue.byteSize(value.prim(), value.shape());
      if (size <= room) {
        room -= size;
        all.add(new Sent.WithTask(WireValue.of(value)));
      } else {
        all.add(handsOver ? handed(value) : broadcast(WireValue.of(value)));
      }
    }
    return List.copyOf(all);
  }

  private Sent handed(Value value) {
    handed.add(Handover.put(value));
    return new Sent.Handed(handed.getLast());
  }

  private Sent broadcast(WireValue.Copied value) {
    for (var l : live) {
      if (l.value.sameAs(value)) {
        l.used = calls;
        return new Sent.InBroadcast(l.broadcast);
      }
    }
    var fresh = new Live(spark.broadcast(new Shared(value)), value);
    fresh.used = calls;
    live.add(fresh);
    return new Sent.InBroadcast(fresh.broadcast);
  }

  /** Drops broadcasts that nothing has needed for a while. No job runs meanwhile. */
  private void drop() {
    live.removeIf(
        l -> {
          boolean idle = calls - l.used >= IDLE;
          if (idle && destroys) {
            l.broadcast.destroy();
          }
          return idle;
        });
  }

  /** How many values are in broadcasts. */
  int broadcasts() {
    return live.size();
  }
}
