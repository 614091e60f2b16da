package dev.kenaz.dataset;

import dev.kenaz.value.Prim;
import java.util.List;
import java.util.OptionalLong;

/**
 * Says how formats are read or written that leave a choice. Formats ignore what isn't for them; the
 * commands refuse it.
 *
 * @param indexBase LIBSVM: the index of the first feature in the file, 0 or 1
 * @param features LIBSVM: how many features there are; if it is absent, as many as the greatest
 *     index tells
 * @param values LIBSVM: the type of values, {@link Prim#F32} or {@link Prim#F64}
 * @param csr Matrix Market: whether a coordinate file becomes a row for each row of the matrix,
 *     with lists, rather than a row for each entry
 * @param arrays NumPy's archives, ADBench: the arrays that are read, in this order; if there are
 *     none, those that have the format's rows
 * @param name Futhark, NumPy, IDX: the name of the column that a single array becomes
 * @param binary Futhark: whether values are written in the binary format
 * @param separator CSV: the character between fields that are written
 */
public record FormatOptions(
    int indexBase,
    OptionalLong features,
    Prim values,
    boolean csr,
    List<String> arrays,
    String name,
    boolean binary,
    char separator) {

  /** What is meant where nothing else is said. */
  public static final FormatOptions DEFAULT =
      new FormatOptions(1, OptionalLong.empty(), Prim.F64, false, List.of(), "x", false, ',');

  public FormatOptions {
    arrays = List.copyOf(arrays);
  }

  public FormatOptions withIndexBase(int base) {
    return new FormatOptions(base, features, values, csr, arrays, name, binary, separator);
  }

  public FormatOptions withFeatures(long n) {
    var count = OptionalLong.of(n);
    return new FormatOptions(indexBase, count, values, csr, arrays, name, binary, separator);
  }

  public FormatOptions withValues(Prim type) {
    return new FormatOptions(indexBase, features, type, csr, arrays, name, binary, separator);
  }

  public FormatOptions withCsr(boolean rows) {
    return new FormatOptions(indexBase, features, values, rows, arrays, name, binary, separator);
  }

  public FormatOptions withArrays(List<String> wanted) {
    return new FormatOptions(indexBase, features, values, csr, wanted, name, binary, separator);
  }

  public FormatOptions withName(String column) {
    return new FormatOptions(indexBase, features, values, csr, arrays, column, binary, separator);
  }

  public FormatOptions withBinary(boolean packed) {
    return new FormatOptions(indexBase, features, values, csr, arrays, name, packed, separator);
  }

  public FormatOptions withSeparator(char c) {
    return new FormatOptions(indexBase, features, values, csr, arrays, name, binary, c);
  }
}
