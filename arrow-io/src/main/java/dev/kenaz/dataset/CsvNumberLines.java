package dev.kenaz.dataset;

import dev.kenaz.value.Prim;
import java.util.Arrays;

/**
 * Reads lines of which all fields are plain numbers, straight from the bytes of a file. The end of
 * a field and its number are found in one go, and nothing is kept of a field but its number. A line
 * in which anything else stands, such as a quotation mark, a space, a missing field or a number
 * that doesn't fit, is left to those who read all lines, and who know what is wrong with it.
 */
final class CsvNumberLines {
  /** So many numbers are read before they are moved to columns. They fit into a near cache. */
  private static final int BLOCK = 1 << 12;

  /** So many lines at most are left to others, before it is tried again with plain ones. */
  private static final int LONGEST_PAUSE = 64;

  private final byte separator;
  private final long separators;

  /** Of each field of a line: where its number goes; -1 if it is passed over. */
  private final int[] places;

  private final Prim[] prims;
  private final boolean[] reals;

  /** Of each field: whether it is an integer, and the least and the greatest one that fit. */
  private final boolean[] integers;

  private final long[] least;
  private final long[] most;
  private final int width;

  /** The numbers of some lines, one line after the other. */
  private final long[] block;

  /** Where the first line begins that wasn't read. */
  private int end;

  /** How many lines are left to others after the next failure, and how many of them are to come. */
  private int pause = 1;

  private int waiting;

  /**
   * @param fields how many fields a line has
   * @param chosen the fields whose numbers are read
   * @param types their types, for which {@link #reads} holds
   */
  CsvNumberLines(char separator, int fields, int[] chosen, Prim[] types) {
    this.separator = (byte) separator;
    this.separators = EightBytes.all(separator);
    this.places = new int[fields];
    this.prims = new Prim[fields];
    this.reals = new boolean[fields];
    this.integers = new boolean[fields];
    this.least = new long[fields];
    this.most = new long[fields];
    Arrays.fill(places, -1);
    for (int i = 0; i < chosen.length; i++) {
      places[chosen[i]] = i;
      prims[chosen[i]] = types[i];
      reals[chosen[i]] = types[i].isFloat();
      range(chosen[i], types[i]);
    }
    this.width = chosen.length;
    this.block = new long[Math.max(BLOCK, width)];
  }

  private void range(int field, Prim type) {
    int bits = 8 * type.byteSize();
    integers[field] = type.isInteger() && type != Prim.U64;
    most[field] = type.isSigned() ? -1L >>> 65 - bits : (1L << bits) - 1;
    // The least i64 has more digits than are looked at here, and stands for what is no integer.
    least[field] = type.isSigned() ? Math.max(~most[field], EightBytes.NONE + 1) : 0;
  }

  /** Whether there may be plain lines of such numbers. What separates is no part of numbers. */
  static boolean reads(char separator, Prim[] types) {
    return separator < 0x80
        && "-.".indexOf(separator) < 0
        && !Character.isLetterOrDigit(separator)
        && types.length > 0
        && Arrays.stream(types)
            .allMatch(t -> t != null && (t.isInteger() || t == Prim.F32 || t == Prim.F64));
  }

  /**
   * Reads lines as long as they are plain, and returns how many these are. Their numbers lie in
   * {@link #block}, a line after the other.
   *
   * @param from where the first line begins
   * @param limit where the bytes end that are there
   * @param wanted how many lines are read at most
   */
  int read(byte[] bytes, int from, int limit, int wanted) {
    end = from;
    if (waiting > 0) {
      waiting--;
      return 0;
    }
    int lines = Math.min(wanted, block.length / width);
    int read = 0;
    for (; read < lines; read++) {
      int next = line(bytes, end, limit, read * width);
      if (next < 0) {
        break;
      }
      end = next;
    }
    pause = read > 0 ? 1 : Math.min(2 * pause, LONGEST_PAUSE);
    waiting = read < lines ? pause - 1 : 0;
    return read;
  }

  long[] block() {
    return block;
  }

  /** Returns where the first line begins that wasn't read. */
  int end() {
    return end;
  }

  /**
   * Reads a line.
   *
   * @param to where its first number goes
   * @return where the next line begins; -1 if the line isn't plain
   */
  private int line(byte[] bytes, int start, int limit, int to) {
    int last = places.length - 1;
    int at = start;
    for (int field = 0; field < last; field++) {
      int stop = field(bytes, at, limit, field, to);
      if (stop < 0 || bytes[stop] != separator) {
        return -1;
      }
      at = stop + 1;
    }
    int stop = field(bytes, at, limit, last, to);
    if (stop < 0) {
      return -1;
    }
    if (bytes[stop] == '\r' && stop + 1 < limit) {
      stop++;
    }
    return bytes[stop] == '\n' ? stop + 1 : -1;
  }

  /** Reads a field, and returns where it ends; -1 if it isn't plain, or its end isn't there. */
  private int field(byte[] bytes, int at, int limit, int field, int to) {
    if (at + 8 > limit) {
      return -1;
    }
    long eight = EightBytes.at(bytes, at);
    int length = EightBytes.integerLength(eight);
    if (length == 8) {
      return other(bytes, at, limit, field, to);
    }
    if (!integers[field]) {
      return reals[field] ? real(bytes, at, limit, field, to) : other(bytes, at, limit, field, to);
    }
    long number = EightBytes.integer(eight, length);
    if (number < least[field] || number > most[field]) {
      return -1;
    }
    block[to + places[field]] = number;
    return at + length;
  }

  /** Reads a field of at most 7 digits before the point, and as many behind it. */
  private int real(byte[] bytes, int at, int limit, int field, int to) {
    long eight = EightBytes.at(bytes, at);
    int length = EightBytes.integerLength(eight);
    long digits = Math.abs(EightBytes.integer(eight, length));
    int stop = at + length;
    int behind = 0;
    if (bytes[stop] == '.' && stop + 9 < limit) {
      long fraction = EightBytes.at(bytes, stop + 1);
      behind = EightBytes.integerLength(fraction);
      digits = EightBytes.joined(digits, fraction, behind);
      stop += 1 + behind;
    }
    byte next = bytes[stop];
    boolean whole = next == separator || next == '\n' || next == '\r';
    if (!whole || digits < 0) {
      return other(bytes, at, limit, field, to);
    }
    long number = CsvNumber.decimal(digits, behind, bytes[at] == '-', prims[field]);
    block[to + places[field]] = number;
    return number == CsvNumber.OTHER ? -1 : stop;
  }

  /** Reads any other field. */
  private int other(byte[] bytes, int at, int limit, int field, int to) {
    byte first = bytes[at];
    if (first <= ' ' || first == '"' || first == separator) {
      return -1;
    }
    int stop = EightBytes.endOfField(bytes, at + 1, limit, separators);
    if (stop == limit || bytes[stop - 1] <= ' ') {
      return -1;
    }
    if (places[field] >= 0) {
      long number = CsvNumber.parse(bytes, at, stop, prims[field]);
      if (number == CsvNumber.OTHER) {
        return -1;
      }
      block[to + places[field]] = number;
    }
    return stop;
  }
}
