package dev.kenaz.arrow;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6105;
import static dev.kenaz.error.ErrorCode.K6107;
import static dev.kenaz.error.ErrorCode.K6112;

import dev.kenaz.error.UserError;
import dev.kenaz.value.ArrayValue;
import java.io.IOException;
import java.io.Serializable;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.apache.arrow.flatbuf.DictionaryBatch;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Columns that are put behind those of a dataset. The dataset's own columns, which may be of any
 * kind, are copied as they are, whole record batches at a time.
 *
 * @param names of the new columns
 * @param needed columns of the dataset; where one of them is null, there is no row of the new
 *     columns, and these are null. If it is empty, the new columns have a row for each row
 */
public record AddedColumns(ArrayList<String> names, ArrayList<String> needed)
    implements Serializable {
  /** The rows of which cells are in memory at a time; a multiple of eight. */
  private static final long ROWS = 1 << 16;

  /**
   * Makes sure that the names of all columns differ.
   *
   * @param data files, a folder of them, or a glob
   * @throws dev.kenaz.error.UserError K6112 if they don't
   */
  public static void requireNew(String data, List<String> names, String remedy) {
    var there = ArrowDataset.open(data).schema().stream().map(ColumnInfo::name).toList();
    requireNew(there, names, UnaryOperator.identity(), remedy);
  }

  /**
   * Makes sure that the names of all columns differ.
   *
   * @param there the names of the columns that are there
   * @param key gives the same for names that mean the same column
   * @throws dev.kenaz.error.UserError K6112 if they don't
   */
  public static void requireNew(
      List<String> there, List<String> names, UnaryOperator<String> key, String remedy) {
    var old = there.stream().map(key).toList();
    var all = new HashSet<>(old);
    for (var name : names) {
      if (!all.add(key.apply(name))) {
        throw fault(
            K6112,
            old.contains(key.apply(name))
                ? "the data has a column \"" + name + "\" already"
                : "two new columns are named \"" + name + "\"",
            remedy);
      }
    }
  }

  /**
   * Writes a file.
   *
   * @param values for each new column the rows that it is, of files with this column alone
   */
  public void write(BatchRange batches, List<? extends List<RowRange>> values, Path target) {
    var source = IpcFile.map(Path.of(batches.file()));
    var columns = new ArrayList<ColumnInfo>();
    var added = new ArrayList<ArrowDataset>();
    for (int i = 0; i < names.size(); i++) {
      added.add(ArrowDataset.openRanges(values.get(i), ReadOptions.ALL));
      columns.add(added.getLast().columns().getFirst().named(names.get(i)));
    }
    try (var place = AtomicOutput.to(target, true)) {
      try (var channel =
          FileChannel.open(place.path(), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
        var schema = schema(source, columns);
        var writer = new IpcWriter(columns, schema, source.version(), channel);
        write(source, batches, added, writer);
      }
      place.commit();
    } catch (IOException e) {
      throw Faults.cannotWrite(target, e);
    }
  }

  private void write(IpcFile source, BatchRange range, List<ArrowDataset> added, IpcWriter writer)
      throws IOException {
    dictionaries(source, writer);
    long at = 0;
    for (var batch : source.batches().subList(range.from(), range.to())) {
      var nulls = nulls(source, batch);
      long from = at;
      at += batch.rows() - nulls.cardinality();
      requireRows(source, at, added);
      var rows = added.stream().map(a -> cells(a, from, nulls, batch.rows())).toList();
      var part = source.part(batch);
      var header = (RecordBatch) part.message().header(new RecordBatch());
      writer.batch(batch.rows(), new IpcWriter.Copied(header, part.body()), rows, nulls);
    }
    if (!added.isEmpty() && at != added.getFirst().rowCount()) {
      throw differs(source, at, added);
    }
    writer.end();
  }

  private static void requireRows(IpcFile source, long rows, List<ArrowDataset> added) {
    if (!added.isEmpty() && rows > added.getFirst().rowCount()) {
      throw differs(source, rows, added);
    }
  }

  private static UserError differs(IpcFile source, long rows, List<ArrowDataset> added) {
    return fault(
        K6107,
        "%s has %d rows for the new columns, which have %d: was it changed meanwhile?"
            .formatted(source.name(), rows, added.getFirst().rowCount()));
  }

  /**
   * Returns a column's cells of a batch, which are read some rows at a time: a batch may have any
   * number of rows.
   *
   * @param first the first row of the batch among those that aren't null
   */
  private static IpcWriter.Cells cells(ArrowDataset column, long first, BitSet nulls, long rows) {
    var width = column.columns().getFirst().width();
    Iterable<ArrayValue> parts =
        () ->
            LongStream.iterate(0, from -> from < rows, from -> from + ROWS)
                .mapToObj(from -> part(column, first, nulls, from, Math.min(rows, from + ROWS)))
                .iterator();
    return new IpcWriter.Cells(rows * width, parts);
  }

  private static ArrayValue part(
      ArrowDataset column, long first, BitSet nulls, long from, long to) {
    var before = nulls.get(0, Math.toIntExact(from)).cardinality();
    var here = nulls.get(Math.toIntExact(from), Math.toIntExact(to));
    long start = first + from - before;
    var rows = column.rows(start, start + (to - from) - here.cardinality());
    return spread(rows.toValue(column.commonType()), here, to - from);
  }

  private Schema schema(IpcFile source, List<ColumnInfo> columns) {
    var fields = new ArrayList<>(source.schema().getFields());
    for (var c : columns) {
      var f = c.field();
      var type = needed.isEmpty() ? f.getFieldType() : FieldType.nullable(f.getType());
      fields.add(new Field(f.getName(), type, f.getChildren()));
    }
    return new Schema(fields, source.schema().getCustomMetadata());
  }

  /**
   * Copies the dictionaries. In a file they stand for all batches, so a stream that replaces one
   * can't become a file.
   */
  private static void dictionaries(IpcFile source, IpcWriter writer) throws IOException {
    var ids = new HashSet<Long>();
    for (var d : source.dictionaries()) {
      var header = (DictionaryBatch) d.message().header(new DictionaryBatch());
      if (!ids.add(header.id()) && !header.isDelta()) {
        throw fault(
            K6105,
            source.name() + " is a stream that replaces dictionaries on the way",
            "write the data as an Arrow file");
      }
      writer.dictionary(d.metadata(), d.body());
    }
  }

  private BitSet nulls(IpcFile source, IpcBatch batch) {
    var nulls = new BitSet();
    for (var name : needed) {
      var column =
          batch.column(source.columns().stream().map(ColumnInfo::name).toList().indexOf(name));
      for (int row = 0; column.mayHaveNulls() && row < column.rows(); row++) {
        if (column.isNull(row)) {
          nulls.set(row);
        }
      }
    }
    return nulls;
  }

  /** Returns the rows of an array with others between them, which are null. */
  private static ArrayValue spread(ArrayValue rows, BitSet nulls, long count) {
    if (nulls.isEmpty()) {
      return rows;
    }
    var shape = rows.shape().clone();
    long bytes = rows.elem().byteSize();
    for (int i = 1; i < shape.length; i++) {
      bytes *= shape[i];
    }
    shape[0] = count;
    var all = ArrayValue.allocate(rows.elem(), shape);
    long from = 0;
    int end = Math.toIntExact(count);
    for (int row = nulls.nextClearBit(0); row < end; row = nulls.nextClearBit(row)) {
      int to = nulls.nextSetBit(row);
      to = to < 0 ? end : to;
      long length = (to - row) * bytes;
      all.asSlice(row * bytes, length).copyFrom(rows.data().asSlice(from, length));
      from += length;
      row = to;
    }
    return ArrayValue.of(rows.elem(), all, shape);
  }
}
