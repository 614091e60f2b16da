package dev.kenaz.dataset;

import org.apache.arrow.vector.complex.ListVector;

/** Fills a vector of lists of numbers, list after list. */
final class ListFiller {
  private final ListVector lists;
  private final NumberVector numbers;
  private int row = -1;
  private int elements;

  /**
   * @param lists an empty vector of lists of numbers
   */
  ListFiller(ListVector lists) {
    this.lists = lists;
    this.numbers = NumberVector.of(lists.getDataVector()).orElseThrow();
    lists.allocateNew();
  }

  /** Begins the next list, and ends the one before. */
  void begin() {
    end();
    lists.startNewValue(++row);
  }

  void add(long bits) {
    numbers.set(elements++, bits);
  }

  /** Ends the last list. */
  void end() {
    if (row >= 0) {
      lists.endValue(row, elements - lists.getOffsetBuffer().getInt(4L * row));
    }
  }

  /** Returns how many elements all lists have. */
  int elements() {
    return elements;
  }
}
