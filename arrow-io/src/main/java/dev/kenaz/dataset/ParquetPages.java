package dev.kenaz.dataset;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.apache.parquet.bytes.ByteBufferInputStream;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.bytes.BytesUtils;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.Dictionary;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.ValuesType;
import org.apache.parquet.column.page.DataPage;
import org.apache.parquet.column.page.DataPageV1;
import org.apache.parquet.column.page.DataPageV2;
import org.apache.parquet.column.page.PageReader;
import org.apache.parquet.column.values.ValuesReader;

/** The pages of a column that has no lists, in one row group. One of them is the current one. */
final class ParquetPages {
  private final ColumnDescriptor column;
  private final PageReader pages;
  private final Dictionary dictionary;
  private final boolean optional;

  /** How many rows of the current page weren't read yet. */
  private int left;

  private ParquetRuns levels;
  private int[] level = new int[1 << 10];
  private boolean[] missing = new boolean[1 << 10];

  /** The values of the current page: plain ones, or numbers of the dictionary, or others. */
  private ByteBuffer plain;

  private ParquetRuns codes;
  private ValuesReader others;

  ParquetPages(ColumnDescriptor column, PageReader pages) {
    this.column = column;
    this.pages = pages;
    this.optional = column.getMaxDefinitionLevel() > 0;
    var page = pages.readDictionaryPage();
    try {
      this.dictionary = page == null ? null : page.getEncoding().initDictionary(column, page);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns how many rows the current page has left; if it has none, the next one is taken. */
  int left() {
    while (left == 0) {
      var page = pages.readPage();
      if (page == null) {
        throw new IllegalArgumentException("column " + column + " has too few values");
      }
      try {
        page.accept(
            new DataPage.Visitor<Void>() {
              @Override
              public Void visit(DataPageV1 p) {
                begin(p);
                return null;
              }

              @Override
              public Void visit(DataPageV2 p) {
                begin(p);
                return null;
              }
            });
      } catch (UncheckedIOException e) {
        throw new IllegalArgumentException(e.getMessage(), e);
      }
    }
    return left;
  }

  private void begin(DataPageV1 page) {
    var bytes = bytes(page.getBytes());
    int at = 0;
    if (optional) {
      if (page.getDlEncoding() != Encoding.RLE) {
        throw new IllegalArgumentException("levels are written as " + page.getDlEncoding());
      }
      int length = bytes.getInt(0);
      levels = levels(bytes.slice(Integer.BYTES, length));
      at = Integer.BYTES + length;
    }
    begin(page.getValueCount(), page.getValueEncoding(), bytes, at);
  }

  private void begin(DataPageV2 page) {
    if (optional) {
      levels = levels(bytes(page.getDefinitionLevels()));
    }
    begin(page.getValueCount(), page.getDataEncoding(), bytes(page.getData()), 0);
  }

  private ParquetRuns levels(ByteBuffer bytes) {
    int width = BytesUtils.getWidthFromMaxInt(column.getMaxDefinitionLevel());
    return new ParquetRuns(bytes, 0, width);
  }

  private void begin(int values, Encoding encoding, ByteBuffer bytes, int at) {
    left = values;
    plain = null;
    codes = null;
    others = null;
    switch (encoding) {
      case PLAIN -> plain = bytes.slice(at, bytes.limit() - at).order(ByteOrder.LITTLE_ENDIAN);
      case PLAIN_DICTIONARY, RLE_DICTIONARY -> {
        boolean none = at >= bytes.limit(); // All values are null.
        codes = none ? null : new ParquetRuns(bytes, at + 1, bytes.get(at) & 0xFF);
      }
      default -> {
        others = encoding.getValuesReader(column, ValuesType.VALUES);
        try {
          others.initFromPage(
              values, ByteBufferInputStream.wrap(bytes.slice(at, bytes.limit() - at)));
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }

  private static ByteBuffer bytes(BytesInput input) {
    try {
      return input.toInputStream().slice((int) input.size()).slice().order(ByteOrder.LITTLE_ENDIAN);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Takes rows of the current page.
   *
   * @return how many of them aren't null; {@link #missing} tells which
   */
  int take(int rows) {
    left -= rows;
    if (!optional) {
      return rows;
    }
    if (level.length < rows) {
      level = new int[rows];
      missing = new boolean[rows];
    }
    levels.read(level, 0, rows);
    int most = column.getMaxDefinitionLevel();
    int present = 0;
    for (int i = 0; i < rows; i++) {
      boolean here = level[i] == most;
      missing[i] = !here;
      present += here ? 1 : 0;
    }
    return present;
  }

  /** Returns which of the rows that were taken last are null, if some are. */
  boolean[] missing() {
    return missing;
  }

  /** Returns the bytes of the values that come next, if they are written as they are. */
  ByteBuffer plain() {
    return plain;
  }

  /** Returns the numbers of the values in the dictionary, if they are written so. */
  ParquetRuns codes() {
    return codes;
  }

  /** Returns what reads values that are written in another way. */
  ValuesReader others() {
    return others;
  }

  Dictionary dictionary() {
    return dictionary;
  }

  /** Returns an array that is at least so long. */
  static int[] room(int[] array, int length) {
    return array.length < length ? Arrays.copyOf(array, length) : array;
  }
}
