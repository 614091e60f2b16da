package dev.kenaz.dataset;

import static dev.kenaz.error.ErrorCode.K6105;
import static dev.kenaz.error.ErrorCode.K6141;

import dev.kenaz.error.UserError;
import dev.kenaz.value.Prim;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Reads the entries of a matrix in the Matrix Market exchange format, in the order of the file. Of
 * a symmetric matrix the file has one triangle.
 */
final class MatrixMarketFile implements AutoCloseable {
  static final String BANNER = "%%MatrixMarket";

  private static final String KINDS =
      "Kenaz reads matrices that are coordinate or array; real, integer or pattern; general,"
          + " symmetric or skew-symmetric";

  /** Tells which entries the file leaves out. */
  enum Symmetry {
    GENERAL,
    SYMMETRIC,
    SKEW
  }

  /**
   * What the first lines of a file say.
   *
   * @param coordinate whether each entry stands with its row and column; otherwise all entries
   *     stand column by column
   * @param type of the values; nothing if the file has only places
   * @param stored how many entries the file has
   */
  record Header(
      boolean coordinate,
      Optional<Prim> type,
      Symmetry symmetry,
      long rows,
      long columns,
      long stored) {}

  private final TextLines in;
  private final Header header;
  private long seen;
  private long row = -1;
  private long column;
  private long bits;

  MatrixMarketFile(DataFile file) {
    this.in = new TextLines(file);
    try {
      this.header = parse();
    } catch (UserError e) {
      in.close();
      throw e;
    }
    if (!header.coordinate()) {
      row = header.symmetry() == Symmetry.SKEW ? 0 : -1;
    }
  }

  private Header parse() {
    if (!in.next() || !in.word() || !in.text().equalsIgnoreCase(BANNER)) {
      throw in.at(K6141, "the first line of a matrix begins with " + BANNER);
    }
    word(List.of("matrix"));
    boolean coordinate = word(List.of("coordinate", "array")).equals("coordinate");
    var type =
        switch (word(List.of("real", "integer", "pattern", "double"))) {
          case "real", "double" -> Optional.of(Prim.F64);
          case "integer" -> Optional.of(Prim.I64);
          default -> Optional.<Prim>empty();
        };
    var symmetry =
        switch (word(List.of("general", "symmetric", "skew-symmetric"))) {
          case "general" -> Symmetry.GENERAL;
          case "symmetric" -> Symmetry.SYMMETRIC;
          default -> Symmetry.SKEW;
        };
    if (type.isEmpty() && (!coordinate || symmetry == Symmetry.SKEW)) {
      throw in.at(K6141, "a pattern is coordinate, and general or symmetric");
    }
    do {
      if (!in.next() || !in.word()) {
        throw in.tooShort("the line with the size of the matrix is missing");
      }
    } while (in.startsWith('%'));
    long rows = size();
    in.word();
    long columns = size();
    if (symmetry != Symmetry.GENERAL && rows != columns) {
      throw in.at(K6141, "a symmetric matrix has as many rows as columns");
    }
    if (coordinate) {
      in.word();
    }
    long stored = coordinate ? size() : dense(symmetry, rows, columns);
    endOfLine();
    return new Header(coordinate, type, symmetry, rows, columns, stored);
  }

  private String word(List<String> known) {
    var word = in.word() ? in.text().toLowerCase(Locale.ROOT) : "";
    if (!known.contains(word)) {
      throw in.at(
          K6105, "\"" + word + "\" stands where " + String.join(" or ", known) + " may", KINDS);
    }
    return word;
  }

  private long size() {
    long n = in.number(Prim.I64);
    if (n < 0) {
      throw in.at(K6141, "a size is negative");
    }
    return n;
  }

  private long dense(Symmetry symmetry, long rows, long columns) {
    try {
      return switch (symmetry) {
        case GENERAL -> Math.multiplyExact(rows, columns);
        case SYMMETRIC -> Math.multiplyExact(rows, rows + 1) / 2;
        case SKEW -> rows == 0 ? 0 : Math.multiplyExact(rows, rows - 1) / 2;
      };
    } catch (ArithmeticException _) {
      throw in.at(K6141, "the matrix is too large");
    }
  }

  private void endOfLine() {
    if (in.word()) {
      throw in.at(K6141, "\"" + in.text() + "\" stands behind the end of what belongs here");
    }
  }

  Header header() {
    return header;
  }

  /** Goes to the next entry of the file; false after the last. */
  boolean next() {
    if (seen == header.stored()) {
      if (in.next()) {
        in.word();
        throw in.at(K6141, "the file goes on after its last entry, number " + seen);
      }
      return false;
    }
    if (!(header.coordinate() ? in.next() && in.word() : in.wordOfText())) {
      throw in.tooShort("the file ends after " + seen + " of " + header.stored() + " entries");
    }
    seen++;
    if (header.coordinate()) {
      coordinates();
      endOfLine();
    } else {
      advance();
      bits = in.number(header.type().orElseThrow());
    }
    return true;
  }

  private void coordinates() {
    row = place(header.rows(), "row");
    in.word();
    column = place(header.columns(), "column");
    boolean upper = header.symmetry() != Symmetry.GENERAL && row < column;
    if (upper || header.symmetry() == Symmetry.SKEW && row == column) {
      throw in.at(K6141, "a symmetric file has entries of the lower triangle alone");
    }
    if (header.type().isPresent()) {
      in.word();
      bits = in.number(header.type().get());
    }
  }

  private long place(long size, String what) {
    long place = in.number(Prim.I64);
    if (place < 1 || place > size) {
      throw in.at(K6141, "there is no " + what + " " + place + ": they are 1 to " + size);
    }
    return place - 1;
  }

  /** Goes down the column, or to the first stored entry of the next one. */
  private void advance() {
    row++;
    if (row == header.rows()) {
      column++;
      row =
          switch (header.symmetry()) {
            case GENERAL -> 0;
            case SYMMETRIC -> column;
            case SKEW -> column + 1;
          };
    }
  }

  /** Returns the row of the entry, from 0. */
  long row() {
    return row;
  }

  long column() {
    return column;
  }

  /** Returns the entry's value in normal form; 0 in a pattern. */
  long bits() {
    return bits;
  }

  /** Whether the matrix has another entry, the mirror image of this one. */
  boolean mirrored() {
    return header.symmetry() != Symmetry.GENERAL && row != column;
  }

  /** Returns the value of the mirror image. */
  long mirroredBits() {
    if (header.symmetry() != Symmetry.SKEW) {
      return bits;
    }
    return header.type().orElseThrow() == Prim.F64 ? bits ^ Long.MIN_VALUE : -bits;
  }

  double fraction() {
    return in.fraction();
  }

  @Override
  public void close() {
    in.close();
  }
}
