package dev.kenaz.dataset;

import static dev.kenaz.error.ErrorCode.K6143;

import dev.kenaz.arrow.Faults;
import dev.kenaz.arrow.TypeText;
import dev.kenaz.error.UserError;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.complex.BaseListVector;

/**
 * A column of lists of numbers, of whichever kind.
 *
 * @param numbers the elements of all lists
 */
record ListColumn(BaseListVector lists, NumberVector numbers) {

  /**
   * Returns a column of a batch.
   *
   * @param format what is written, for errors
   * @throws UserError K6143 if it isn't one of lists of numbers
   */
  static ListColumn of(FieldVector vector, String format) {
    if (vector instanceof BaseListVector lists) {
      var inner = lists.getChildrenFromFields();
      var numbers = inner.size() == 1 ? NumberVector.of(inner.getFirst()) : null;
      if (numbers != null && numbers.isPresent()) {
        return new ListColumn(lists, numbers.get());
      }
    }
    throw Faults.fault(
        K6143,
        "%s needs lists of numbers as column \"%s\", which is %s"
            .formatted(format, vector.getName(), TypeText.of(vector.getField())));
  }

  int from(int row) {
    return Math.toIntExact(lists.getElementStartIndex(row));
  }

  int to(int row) {
    return Math.toIntExact(lists.getElementEndIndex(row));
  }

  int length(int row) {
    return to(row) - from(row);
  }

  /**
   * Refuses a row whose list is null or has a null.
   *
   * @param number what the row is called, from 0
   */
  void requirePresent(String format, int row, long number) {
    boolean absent = lists.isNull(row);
    for (int i = from(row); !absent && i < to(row); i++) {
      absent = numbers.isNull(i);
    }
    if (absent) {
      throw Faults.fault(
          K6143,
          "%s can't hold the null of column \"%s\" in row %d"
              .formatted(format, lists.getField().getName(), number),
          "drop such rows, or choose another format");
    }
  }
}
