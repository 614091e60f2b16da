package dev.kenaz.spark.sql;

import dev.kenaz.arrow.VectorFile;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.vectorized.ColumnVectorUtils;
import org.apache.spark.sql.execution.vectorized.ConstantColumnVector;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.ArrowUtils;
import org.apache.spark.sql.vectorized.ArrowColumnVector;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * The record batches of a part of a file as Spark's batches. The columns of a batch are valid until
 * the next one is asked for.
 */
final class ArrowBatches implements Iterator<ColumnarBatch>, AutoCloseable {
  private final VectorFile file;
  private final String name;
  private final String version;
  private final int[] columns;
  private final int[] stored;
  private final long[] firsts;
  private final StructType folders;
  private final InternalRow folderValues;
  private final BufferAllocator allocator;
  private final Iterator<Integer> batches;
  private ColumnarBatch current;

  /**
   * Takes the batches whose bodies begin in this part of the file: so each is in one part.
   *
   * @param columns by their numbers in the file, or {@link RowNumbers#COLUMN}
   * @param folders the columns whose values are in the names of folders, and their values
   * @param version a text that is the same as long as the file doesn't change
   * @param needed the batches that a query may need; they are asked for in their order
   */
  ArrowBatches(
      VectorFile file,
      String name,
      int[] columns,
      long start,
      long length,
      StructType folders,
      InternalRow folderValues,
      String version,
      IntPredicate needed) {
    this.version = version;
    this.file = file;
    this.name = name;
    this.columns = columns;
    this.stored = IntStream.of(columns).filter(c -> c != RowNumbers.COLUMN).toArray();
    this.firsts = stored.length < columns.length ? RowNumbers.firsts(file) : new long[0];
    this.folders = folders;
    this.folderValues = folderValues;
    this.allocator =
        ArrowUtils.rootAllocator().newChildAllocator("kenaz " + name, 0, Long.MAX_VALUE);
    this.batches =
        IntStream.range(0, file.batches())
            .filter(b -> file.position(b) >= start && file.position(b) - start < length)
            .filter(b -> file.rows(b) > 0)
            .filter(needed)
            .iterator();
  }

  @Override
  public boolean hasNext() {
    return batches.hasNext();
  }

  @Override
  public ColumnarBatch next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    release();
    int batch = batches.next();
    int rows = file.rows(batch);
    var plain = new PlainVectors(allocator, name);
    var found = file.vectors(batch, stored, allocator);
    var vectors = new FieldVector[found.size()];
    var mapped = new boolean[found.size()];
    try {
      for (int i = 0; i < vectors.length; i++) {
        mapped[i] = !file.compressed(batch) && PlainVectors.staysInPlace(found.get(i).getField());
        vectors[i] = plain.of(found.get(i));
      }
    } catch (RuntimeException | Error e) {
      found.forEach(FieldVector::close); // To close a vector twice does no harm.
      Stream.of(vectors).filter(Objects::nonNull).forEach(FieldVector::close);
      throw e;
    }
    var read =
        IntStream.range(0, vectors.length)
            .mapToObj(i -> column(vectors[i], mapped[i], version + " " + batch))
            .iterator();
    var all =
        Stream.concat(
            IntStream.of(columns)
                .mapToObj(c -> c == RowNumbers.COLUMN ? numbers(batch, rows) : read.next()),
            IntStream.range(0, folders.length()).mapToObj(i -> folder(i, rows)));
    current = new ColumnarBatch(all.toArray(ColumnVector[]::new), rows);
    return current;
  }

  private static ColumnVector column(FieldVector vector, boolean mapped, String of) {
    return mapped ? new MappedVector(vector, of) : new ArrowColumnVector(vector);
  }

  private ColumnVector numbers(int batch, int rows) {
    return RowNumbers.from(firsts[batch], rows);
  }

  private ColumnVector folder(int i, int rows) {
    var column = new ConstantColumnVector(rows, folders.fields()[i].dataType());
    ColumnVectorUtils.populate(column, folderValues, i);
    return column;
  }

  private void release() {
    if (current != null) {
      current.close();
      current = null;
    }
  }

  @Override
  public void close() {
    release();
    allocator.close();
  }
}
