package dev.kenaz.source;

import dev.kenaz.error.Span;
import java.util.Arrays;

/** Turns offsets in a text into lines and columns: it knows where the lines begin. */
final class LineMap {
  private final int length;
  private int[] starts = new int[64];
  private int count;

  LineMap(String text) {
    length = text.length();
    add(0);
    for (int i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) {
      add(i + 1);
    }
  }

  private void add(int start) {
    if (count == starts.length) {
      starts = Arrays.copyOf(starts, count * 2);
    }
    starts[count++] = start;
  }

  /** Returns the number of the line that has the offset, counted from 0. */
  int lineAt(int offset) {
    int found = Arrays.binarySearch(starts, 0, count, offset);
    return found >= 0 ? found : -found - 2;
  }

  /** Returns the offset of the first character of a line. */
  int startOf(int line) {
    return starts[line];
  }

  Span span(String file, int from, int to) {
    int last = Math.min(to, length);
    int line = lineAt(from);
    int endLine = lineAt(last);
    return new Span(
        file, line + 1, from - starts[line] + 1, endLine + 1, last - starts[endLine] + 1);
  }
}
