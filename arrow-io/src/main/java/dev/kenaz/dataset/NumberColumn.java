package dev.kenaz.dataset;

import static dev.kenaz.error.ErrorCode.K6143;

import dev.kenaz.arrow.ColumnInfo;
import dev.kenaz.arrow.Faults;
import dev.kenaz.arrow.TypeText;
import dev.kenaz.error.UserError;
import dev.kenaz.value.Prim;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;

/**
 * A column that is a regular array: of numbers, or of lists of one length, which may be nested.
 *
 * @param format what is written, for errors
 * @param type the type of the elements
 * @param shape how many elements a row has in each dimension; empty for a column of numbers
 */
record NumberColumn(String format, String name, Prim type, int[] shape) {

  /**
   * Returns what a column is.
   *
   * @throws UserError K6143 if it has no numbers, or lists of different lengths
   */
  static NumberColumn of(Field field, String format) {
    var shape = new ArrayList<Integer>();
    var at = field;
    while (at.getType() instanceof ArrowType.FixedSizeList list) {
      shape.add(list.getListSize());
      at = at.getChildren().getFirst();
    }
    var type = ColumnInfo.prim(at.getType());
    if (type.isEmpty() || shape.contains(0)) {
      throw Faults.fault(
          K6143,
          "%s can't hold column \"%s\", which is %s"
              .formatted(format, field.getName(), TypeText.of(field)),
          "it holds numbers, and lists of them that are all of one length");
    }
    return new NumberColumn(
        format, field.getName(), type.get(), shape.stream().mapToInt(n -> n).toArray());
  }

  /** Returns how many elements a row has. */
  int width() {
    int width = 1;
    for (int n : shape) {
      width = Math.multiplyExact(width, n);
    }
    return width;
  }

  /**
   * Returns the elements of all rows, one after the other.
   *
   * @param before how many rows came before this batch
   * @throws UserError K6143 if one is null
   */
  NumberVector elements(FieldVector vector, long before) {
    var at = vector;
    int perRow = 1;
    while (true) {
      if (at.getNullCount() > 0) {
        int i = 0;
        while (!at.isNull(i)) {
          i++;
        }
        throw Faults.fault(
            K6143,
            "%s can't hold the null of column \"%s\" in row %d"
                .formatted(format, name, before + i / perRow),
            "drop such rows, or choose another format");
      }
      if (!(at instanceof FixedSizeListVector list)) {
        return NumberVector.of(at).orElseThrow();
      }
      perRow = Math.multiplyExact(perRow, list.getListSize());
      at = list.getDataVector();
    }
  }

  /**
   * Writes the elements of all rows, each with its lowest byte first; a truth value is a byte.
   *
   * @param rows how many rows the batch has
   */
  void writeBytes(FieldVector vector, int rows, long before, OutputStream out) throws IOException {
    var elements = elements(vector, before);
    int size = type.byteSize();
    var bytes = new byte[width() * size];
    for (int row = 0; row < rows; row++) {
      for (int i = 0; i < width(); i++) {
        long bits = elements.get(row * width() + i);
        for (int b = 0; b < size; b++) {
          bytes[i * size + b] = (byte) (bits >> 8 * b);
        }
      }
      out.write(bytes);
    }
  }
}
