package dev.kenaz.dataset;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6101;
import static dev.kenaz.error.ErrorCode.K6103;
import static dev.kenaz.error.ErrorCode.K6125;

import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * This is the format of a file that is imported. Its first bytes and its name tell the format, and
 * must agree.
 */
public enum DataFormat {
  /** A file or a stream. */
  ARROW,
  CSV,
  PARQUET,
  /** One array of NumPy, as {@code np.save} writes it. */
  NUMPY,
  /** One array, as the files of MNIST are. */
  IDX;

  /** So many bytes at the beginning tell the format. */
  public static final int START = 4096;

  /** The endings of names of text files whose lines have fields. */
  private static final List<String> CSV_NAMES = List.of(".csv", ".tsv", ".txt");

  private static final List<String> PARQUET_NAMES = List.of(".parquet", ".pq", ".parq");

  /**
   * Formats that aren't imported, by the first bytes of their files, with one character for each
   * byte.
   */
  private static final Map<String, String> OTHERS =
      new TreeMap<>(
          Map.of(
              "PK\u0003\u0004",
                  "a zip archive; save a spreadsheet as CSV, arrays of .npz by np.save",
              "BZh", "packed by bzip2; unpack it first",
              "\u00fd7zXZ", "packed by xz; unpack it first",
              "ORC", "an ORC file; write it as Parquet",
              "Obj\u0001", "an Avro file; write it as Parquet",
              "\u0089HDF", "an HDF5 file; write its tables as CSV or Parquet"));

  /** Matches a label and numbered features, as LIBSVM and SVMlight write sparse rows. */
  private static final Pattern SPARSE =
      Pattern.compile("[-+0-9.eE,]+(\\s+qid:\\d+)?(\\s+\\d+:[-+0-9.eE]+)+\\s*(#.*)?");

  /**
   * Returns the format of a file.
   *
   * @throws UserError K6125 if it has none of these formats, or its name tells another one; K6101
   *     if it can't be read
   */
  public static DataFormat of(DataFile file) {
    file.path().ifPresent(p -> UserPath.requireFile(p, K6101));
    byte[] bytes;
    boolean packed;
    try (var in = Unpacked.open(file)) {
      bytes = in.stream().readNBytes(START);
      packed = in.packed();
    } catch (IOException e) {
      throw file.cannotRead(e);
    }
    if (UserPath.isLfsPointer(bytes)) {
      throw UserPath.lfsPointer(Path.of(file.name()), K6125);
    }
    if (startsWith(bytes, "ARROW1") || startsWith(bytes, "\u00ff\u00ff\u00ff\u00ff")) {
      return ARROW;
    }
    if (startsWith(bytes, "\u0093NUMPY")) {
      return NUMPY;
    }
    if (isIdx(bytes)) {
      return IDX;
    }
    return startsWith(bytes, "PAR1") ? parquet(file, packed) : csv(file, bytes);
  }

  /** Whether the bytes are two zeros, a type, and a number of dimensions. */
  private static boolean isIdx(byte[] start) {
    return start.length >= 8
        && start[0] == 0
        && start[1] == 0
        && start[2] >= 8
        && start[2] <= 14
        && start[3] >= 1
        && start[3] <= 8;
  }

  private static DataFormat parquet(DataFile file, boolean packed) {
    if (packed) {
      throw unknown(file, "Parquet packed once more; unpack it first");
    }
    if (named(file, CSV_NAMES)) {
      throw unknown(file, "Parquet, though its name says CSV; rename it");
    }
    return PARQUET;
  }

  private static DataFormat csv(DataFile file, byte[] start) {
    for (var other : OTHERS.entrySet()) {
      if (startsWith(start, other.getKey())) {
        throw unknown(file, other.getValue());
      }
    }
    if (named(file, PARQUET_NAMES)) {
      throw fault(
          K6103, file.name() + " is no Parquet file, or is damaged: it doesn't begin as one");
    }
    if (startsWith(start, "\u00ff\u00fe") || startsWith(start, "\u00fe\u00ff")) {
      throw unknown(file, "UTF-16 text; write it as UTF-8");
    }
    var text = new String(start, StandardCharsets.ISO_8859_1);
    if (text.indexOf('\0') >= 0) {
      throw unknown(file, "neither text nor Parquet: it holds NUL characters");
    }
    if (text.lines().filter(l -> !l.isBlank()).findFirst().filter(DataFormat::sparse).isPresent()) {
      throw unknown(file, "sparse text as LIBSVM and SVMlight write it; write dense rows as CSV");
    }
    if (!named(file, CSV_NAMES)) {
      throw unknown(
          file, "text of a kind that its name doesn't tell; if it is CSV, rename it to .csv");
    }
    return CSV;
  }

  private static boolean sparse(String line) {
    return SPARSE.matcher(line).matches();
  }

  /** Whether the file's name, without {@code .gz} or {@code .zst}, has one of these endings. */
  private static boolean named(DataFile file, List<String> ends) {
    var name = file.name().toLowerCase(Locale.ROOT).replaceFirst("\\.(gz|zst)$", "");
    return ends.stream().anyMatch(name::endsWith);
  }

  /** Returns the character between the fields of a CSV file, which its name tells. */
  public static char separator(DataFile file) {
    return named(file, List.of(".tsv")) ? '\t' : ',';
  }

  private static boolean startsWith(byte[] bytes, String start) {
    var wanted = start.getBytes(StandardCharsets.ISO_8859_1);
    return bytes.length >= wanted.length
        && Arrays.equals(bytes, 0, wanted.length, wanted, 0, wanted.length);
  }

  private static UserError unknown(DataFile file, String what) {
    return fault(
        K6125,
        file.name() + " is " + what,
        ("kenaz dataset import reads Parquet, NumPy, IDX, and CSV from files named %s (all but"
                + " Parquet also packed: .gz, .zst)")
            .formatted(String.join(", ", CSV_NAMES)));
  }
}
