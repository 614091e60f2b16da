package dev.kenaz.arrow;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Rows of columns of numbers in memory, in the layout of Arrow.
 *
 * @param rows how many
 * @param columns the buffers of each column
 */
public record MemoryBatch(long rows, List<Buffers> columns) {
  /**
   * The buffers of a column.
   *
   * @param validity a bit for each row; no bytes if no row is null
   * @param cellValidity a bit for each element of lists; no bytes if none is null
   * @param cells the elements in little-endian order; truth values are bits
   */
  public record Buffers(MemorySegment validity, MemorySegment cellValidity, MemorySegment cells) {}

  /**
   * Returns the rows of batches as a dataset.
   *
   * @param name what messages call it
   * @param schema columns of numbers, truth values and fixed-size lists of these; the buffers of
   *     others aren't looked at
   */
  public static ArrowDataset open(String name, Schema schema, List<MemoryBatch> batches) {
    var all = new ArrayList<IpcBatch>();
    for (var b : batches) {
      var nodes = new ArrayList<IpcBatch.Node>();
      for (int i = 0; i < b.columns.size(); i++) {
        nodes.add(node(schema.getFields().get(i), b.rows, b.columns.get(i)));
      }
      all.add(new IpcBatch(name, all.size(), 0, b.rows, nodes, Codec.NONE, null));
    }
    return ArrowDataset.of(List.of(IpcFile.of(name, schema, all)), ReadOptions.ALL);
  }

  private static IpcBatch.Node node(Field field, long rows, Buffers of) {
    if (field.getType() instanceof ArrowType.FixedSizeList l) {
      var cell = field.getChildren().getFirst();
      var cells = leaf(cell, rows * l.getListSize(), of.cellValidity, of.cells);
      return new IpcBatch.Node(
          field, rows, nulls(of.validity), List.of(of.validity), List.of(cells));
    }
    return leaf(field, rows, of.validity, of.cells);
  }

  private static IpcBatch.Node leaf(
      Field field, long rows, MemorySegment validity, MemorySegment cells) {
    return new IpcBatch.Node(field, rows, nulls(validity), List.of(validity, cells), List.of());
  }

  /** Nobody has counted the nulls; what matters is whether there may be any. */
  private static long nulls(MemorySegment validity) {
    return validity.byteSize() == 0 ? 0 : 1;
  }
}
