package dev.kenaz.spark.sql;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.Serializable;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.IntPredicate;
import java.util.stream.Stream;
import org.apache.spark.TaskContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.apache.spark.util.LongAccumulator;
import org.apache.spark.util.SerializableConfiguration;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractFunction1;

/**
 * What a task does to read a part of a file: it returns batches or, if Spark asks for them, rows.
 */
final class ArrowRead
    extends AbstractFunction1<PartitionedFile, scala.collection.Iterator<InternalRow>>
    implements Serializable {
  private static final long serialVersionUID = 1;

  private final Broadcast<SerializableConfiguration> hadoop;
  private final StructType columns;
  private final StructType folders;
  private final boolean caseSensitive;
  private final boolean inBatches;
  private final BatchTest test;
  private final LongAccumulator skipped;

  /**
   * @param columns those of files that are needed
   * @param folders those whose values are in the names of folders
   * @param test what is true for all rows that are needed
   * @param skipped counts the batches in which it is true for none
   */
  ArrowRead(
      Broadcast<SerializableConfiguration> hadoop,
      StructType columns,
      StructType folders,
      boolean caseSensitive,
      boolean inBatches,
      BatchTest test,
      LongAccumulator skipped) {
    this.hadoop = hadoop;
    this.columns = columns;
    this.folders = folders;
    this.caseSensitive = caseSensitive;
    this.inBatches = inBatches;
    this.test = test;
    this.skipped = skipped;
  }

  @Override
  public scala.collection.Iterator<InternalRow> apply(PartitionedFile part) {
    var name = part.filePath().toString();
    try {
      var opened = SparkFiles.open(part.toPath(), hadoop.value().value(), part.start());
      Iterator<InternalRow> all =
          opened.isEmpty() ? Collections.emptyIterator() : rows(opened.get(), part, name);
      return CollectionConverters.asScala(all);
    } catch (FileNotFoundException e) {
      throw ArrowRead.<RuntimeException>unchecked(e);
    } catch (IOException e) {
      throw new UserError(ErrorCode.K6101, "can't read " + name + ": " + e.getMessage());
    }
  }

  /**
   * Spark knows by the class of an exception that a file is gone: it goes on without it if {@code
   * ignoreMissingFiles} is set, and says else that {@code REFRESH TABLE} helps. Scala's functions
   * throw what they like.
   */
  @SuppressWarnings("unchecked")
  private static <E extends Exception> E unchecked(Exception e) throws E {
    throw (E) e;
  }

  private Iterator<InternalRow> rows(SparkFiles.Opened opened, PartitionedFile part, String name) {
    var task = TaskContext.get();
    atEnd(task, opened);
    var batches = batches(opened, part, name);
    atEnd(task, batches);
    Iterator<?> all = inBatches ? batches : new Rows(batches, projection());
    @SuppressWarnings("unchecked") // Spark's own sources give batches as rows, too.
    var given = (Iterator<InternalRow>) all;
    return given;
  }

  /** Has something closed at the end of the task: what was opened last is closed first. */
  private static void atEnd(TaskContext task, AutoCloseable opened) {
    if (task != null) {
      task.addTaskCompletionListener(
          (org.apache.spark.util.TaskCompletionListener)
              _ -> {
                try {
                  opened.close();
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
              });
    }
  }

  private ArrowBatches batches(SparkFiles.Opened opened, PartitionedFile part, String name) {
    var file = opened.file();
    var wanted = SparkTypes.columns(columns, file.schema(), name, caseSensitive);
    return new ArrowBatches(
        file,
        name,
        wanted,
        part.start(),
        opened.whole() ? Long.MAX_VALUE : part.length(),
        folders,
        part.partitionValues(),
        name + " " + part.fileSize() + " " + part.modificationTime(),
        counted(BatchCells.mayHold(test, file, wanted, columns, name)));
  }

  private IntPredicate counted(IntPredicate needed) {
    return batch -> {
      boolean read = needed.test(batch);
      if (!read) {
        skipped.add(1);
      }
      return read;
    };
  }

  private UnsafeProjection projection() {
    return UnsafeProjection.create(
        new StructType(
            Stream.of(columns.fields(), folders.fields())
                .flatMap(Arrays::stream)
                .toArray(org.apache.spark.sql.types.StructField[]::new)));
  }

  /** The rows of batches, one after the other, in the form that Spark passes on. */
  private static final class Rows implements Iterator<InternalRow> {
    private final Iterator<ColumnarBatch> batches;
    private final UnsafeProjection projection;
    private Iterator<InternalRow> rows = Collections.emptyIterator();

    Rows(Iterator<ColumnarBatch> batches, UnsafeProjection projection) {
      this.batches = batches;
      this.projection = projection;
    }

    @Override
    public boolean hasNext() {
      while (!rows.hasNext() && batches.hasNext()) {
        rows = batches.next().rowIterator();
      }
      return rows.hasNext();
    }

    @Override
    public InternalRow next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      return projection.apply(rows.next());
    }
  }
}
