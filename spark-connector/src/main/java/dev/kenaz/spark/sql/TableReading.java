package dev.kenaz.spark.sql;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.spark.ShardSource;
import dev.kenaz.value.Value;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.spark.Partition;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.apache.spark.util.KnownSizeEstimation;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;

/**
 * Computes the parts of a table: those into which Spark divides its rows. What Spark knows of how
 * to compute them travels to executors once, so that a task may compute any part.
 */
final class TableReading implements ShardSource, KnownSizeEstimation {
  private static final long serialVersionUID = 1L;

  private final String name;
  private final String key = UUID.randomUUID().toString();
  private final ArrayList<TableColumn> columns;
  private final int[] places;
  private final boolean drops;
  private final byte[] lineage;
  private final int parts;

  /** What the driver keeps, so that Spark keeps what the rows are computed from. */
  private final transient RDD<?> held;

  /** For each thread its own: functions of a plan have buffers that tasks can't share. */
  private transient ThreadLocal<Lineage> opened;

  private record Lineage(RDD<?> rows, Partition[] parts) implements Serializable {}

  /**
   * @param name what messages call the table
   * @param rows gives rows, or batches of them
   * @param columns of the table
   * @param places where they are in rows and batches
   * @param drops whether rows with a null are left out
   */
  TableReading(String name, RDD<?> rows, List<TableColumn> columns, int[] places, boolean drops) {
    this.name = name;
    this.columns = new ArrayList<>(columns);
    this.places = places.clone();
    this.drops = drops;
    this.held = rows;
    var all = new Lineage(rows, rows.partitions());
    this.parts = all.parts.length;
    var tag = ClassTag$.MODULE$.<Lineage>apply(Lineage.class);
    var bytes = SparkEnv.get().closureSerializer().newInstance().serialize(all, tag);
    this.lineage = new byte[bytes.remaining()];
    bytes.get(lineage);
  }

  String name() {
    return name;
  }

  /** Spark would otherwise look at all that the driver's object refers to, each time it is sent. */
  @Override
  public long estimatedSize() {
    return lineage.length;
  }

  List<TableColumn> columns() {
    return columns;
  }

  @Override
  public String key() {
    return key;
  }

  @Override
  public int shards() {
    return parts;
  }

  @Override
  public String place(int part) {
    return CollectionConverters.asJava(held.preferredLocations(held.partitions()[part])).stream()
        .findFirst()
        .orElse("");
  }

  private synchronized ThreadLocal<Lineage> opened() {
    if (opened == null) {
      opened = ThreadLocal.withInitial(this::lineage);
    }
    return opened;
  }

  private Lineage lineage() {
    var tag = ClassTag$.MODULE$.<Lineage>apply(Lineage.class);
    var serializer = SparkEnv.get().closureSerializer().newInstance();
    var loader = Thread.currentThread().getContextClassLoader();
    return serializer.deserialize(ByteBuffer.wrap(lineage), loader, tag);
  }

  @Override
  public List<Value> load(int part) {
    var all = opened().get();
    var builder = new PartBuilder(columns, places, drops, true);
    var rows = all.rows.iterator(all.parts[part], TaskContext.get());
    while (rows.hasNext()) {
      switch (rows.next()) {
        case ColumnarBatch b -> builder.add(b);
        case InternalRow r -> builder.add(r);
        case Object o -> throw new CompilerBug("table", "a row is " + o.getClass());
      }
    }
    return PartValues.of(builder.part());
  }
}
