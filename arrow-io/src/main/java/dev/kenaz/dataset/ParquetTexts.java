package dev.kenaz.dataset;

import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.FieldVector;

/** Reads strings and bytes of different lengths. */
final class ParquetTexts implements ParquetColumn {
  private final ParquetPages pages;
  private final byte[][] entries;
  private final BatchText texts = new BatchText();
  private int[] codes = new int[1 << 10];
  private byte[] scratch = new byte[1 << 10];

  ParquetTexts(ParquetPages pages) {
    this.pages = pages;
    var dictionary = pages.dictionary();
    this.entries = new byte[dictionary == null ? 0 : dictionary.getMaxId() + 1][];
    for (int i = 0; i < entries.length; i++) {
      entries[i] = dictionary.decodeToBinary(i).getBytes();
    }
  }

  @Override
  public void read(FieldVector into, int rows) {
    for (int at = 0; at < rows; ) {
      int n = Math.min(rows - at, pages.left());
      int present = pages.take(n);
      boolean coded = pages.codes() != null;
      if (coded) {
        codes = ParquetPages.room(codes, present);
        pages.codes().read(codes, 0, present);
      }
      int value = 0;
      for (int i = 0; i < n; i++) {
        if (present < n && pages.missing()[i]) {
          texts.addNull();
        } else if (coded) {
          texts.add(entries[codes[value++]]);
        } else {
          next();
        }
      }
      at += n;
    }
    texts.flush((BaseVariableWidthVector) into);
  }

  private void next() {
    var from = pages.plain();
    if (from == null) {
      texts.add(pages.others().readBytes().getBytes());
      return;
    }
    int length = from.getInt();
    if (length < 0 || length > from.remaining()) {
      throw new IllegalArgumentException("a text of " + length + " bytes");
    }
    if (scratch.length < length) {
      scratch = new byte[length];
    }
    from.get(scratch, 0, length);
    texts.add(scratch, 0, length);
  }
}
