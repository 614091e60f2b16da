package dev.kenaz.arrow;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6108;
import static dev.kenaz.error.ErrorCode.K7502;

import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.TextPrinter;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Reads arrays, row by row: row k of one belongs to row k of the others that have the same rows.
 *
 * @param arrays what is read
 * @param rows for each array, a number that the arrays with the same rows share
 * @param nulls whether a row is left out of all arrays that have it if a column is null in it
 * @param nans whether NaNs are numbers like others, rather than faults
 */
public record AlignedRows(
    ArrayList<ArrayColumns> arrays, ArrayList<Integer> rows, ReadOptions.Nulls nulls, boolean nans)
    implements Serializable {
  /** How many numbers of a row are shown. */
  private static final int SHOWN = 8;

  /** Returns what is to be read of an array's dataset. */
  ReadOptions options(int array) {
    return new ReadOptions(arrays.get(array).columns(), nulls);
  }

  /**
   * Reads some rows of all arrays.
   *
   * @param ranges the rows, for each array
   * @param tables returns the part of a table in which some are; empty if they are in a file
   */
  public List<ArrayValue> read(
      List<? extends List<RowRange>> ranges, Function<RowRange, Optional<ArrowDataset>> tables) {
    var datasets = new ArrayList<ArrowDataset>();
    for (int i = 0; i < arrays.size(); i++) {
      var options = options(i);
      datasets.add(
          ArrowDataset.openRanges(
              ranges.get(i),
              r ->
                  tables
                      .apply(r)
                      .map(t -> t.withOptions(options))
                      .orElseGet(() -> ArrowDataset.open(List.of(r.file()), options))));
    }
    return readAll(datasets);
  }

  /**
   * Reads the rows of all arrays.
   *
   * @param datasets an array's rows, for each array
   */
  List<ArrayValue> readAll(List<ArrowDataset> datasets) {
    var leftOut = new HashMap<Integer, BitSet>();
    var values = new ArrayList<ArrayValue>();
    for (int i = 0; i < arrays.size(); i++) {
      var left = leftOut.computeIfAbsent(rows.get(i), r -> leftOut(r, datasets));
      var blocks = datasets.get(i).blocks();
      values.add(read(arrays.get(i), left.isEmpty() ? blocks : without(left, blocks)));
    }
    return values;
  }

  /** Returns how many rows with this number {@link #readAll} leaves out for nulls. */
  long nulls(int number, List<ArrowDataset> datasets) {
    return leftOut(number, datasets).cardinality();
  }

  private BitSet leftOut(int number, List<ArrowDataset> datasets) {
    var left = new BitSet();
    for (int i = 0; i < arrays.size() && nulls == ReadOptions.Nulls.DROP; i++) {
      int first = 0;
      for (var block : rows.get(i) == number ? datasets.get(i).blocks() : List.<RowBlock>of()) {
        for (var c : block.columns()) {
          for (int row = 0; c.mayHaveNulls() && row < c.rows(); row++) {
            if (c.isNull(row)) {
              left.set(first + row);
            }
          }
        }
        first += Math.toIntExact(block.rows());
      }
    }
    return left;
  }

  private static List<RowBlock> without(BitSet left, List<RowBlock> blocks) {
    var kept = new ArrayList<RowBlock>();
    int first = 0;
    for (var block : blocks) {
      int end = first + Math.toIntExact(block.rows());
      int from = left.nextClearBit(first);
      while (from < end) {
        int to = left.nextSetBit(from);
        to = to < 0 || to > end ? end : to;
        kept.add(block.slice(from - first, to - first));
        from = left.nextClearBit(to);
      }
      first = end;
    }
    return kept;
  }

  private ArrayValue read(ArrayColumns array, List<RowBlock> blocks) {
    ArrayValue matrix;
    try {
      matrix =
          RowBlock.toMatrix(blocks, array.width(), array.elem(), ReadOptions.Nulls.ERROR, true);
    } catch (UserError e) {
      var d = e.diagnostics().getFirst();
      var hints =
          d.code() == K6108
              ? List.of(
                  "give the parameter a type that has all numbers of the column: f64 has integers"
                      + " up to 2^53 alone, i64 all",
                  "or copy the data with other types: kenaz dataset convert --cast COLUMN=TYPE")
              : d.hints();
      throw new UserError(
          d.code(),
          Span.NONE,
          d.message() + ", for the parameter " + array.parameter(),
          hints.toArray(String[]::new));
    }
    if (array.elem().isFloat() && !nans) {
      refuseNans(array, matrix, blocks);
    }
    return matrix.reshape(array.shape(matrix.dim(0)));
  }

  private static void refuseNans(ArrayColumns array, ArrayValue matrix, List<RowBlock> blocks) {
    long width = array.width();
    var numbers = new double[1024];
    for (long at = 0; at < matrix.count(); at += numbers.length) {
      int n = (int) Math.min(numbers.length, matrix.count() - at);
      Cells.readDoubles(matrix.data(), matrix.elem(), at, 1, numbers, n);
      for (int i = 0; i < n; i++) {
        if (Double.isNaN(numbers[i])) {
          throw nan(array, (at + i) / width, (at + i) % width, blocks);
        }
      }
    }
  }

  /**
   * Returns what a row has, as in {@code w = 10, x = [0.5, 2.0]}; of a long one, its beginning.
   *
   * @param row the arrays, with this row alone
   */
  public String shown(List<ArrayValue> row) {
    var texts = new ArrayList<String>();
    for (int i = 0; i < Math.min(SHOWN, arrays.size()); i++) {
      var of = arrays.get(i);
      var cells = new ArrayList<String>();
      for (long k = 0; k < Math.min(SHOWN, row.get(i).count()); k++) {
        cells.add(TextPrinter.digits(of.elem(), row.get(i).bits(k)));
      }
      var all = String.join(", ", cells) + (row.get(i).count() > SHOWN ? ", ..." : "");
      texts.add(
          of.rank() == 1
              ? of.columns().getFirst() + " = " + all
              : "%s = [%s]".formatted(of.parameter(), all));
    }
    return String.join(", ", texts) + (arrays.size() > SHOWN ? ", ..." : "");
  }

  private static UserError nan(ArrayColumns array, long row, long element, List<RowBlock> blocks) {
    long first = 0;
    for (var block : blocks) {
      if (row < first + block.rows()) {
        long width = 0;
        for (var c : block.columns()) {
          width += c.info().width();
          if (element < width) {
            return fault(
                K7502,
                "%s: column \"%s\" is NaN in row %d, for the parameter %s"
                    .formatted(
                        block.source(),
                        c.info().name(),
                        block.firstRow() + row - first,
                        array.parameter()),
                "remove or replace such rows, or keep NaNs as numbers: --nans keep, or in a"
                    + " configuration \"nans\": \"keep\"");
          }
        }
      }
      first += block.rows();
    }
    throw new IllegalArgumentException("row " + row);
  }
}
