package dev.kenaz.dataset;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6101;
import static dev.kenaz.error.ErrorCode.K6103;
import static dev.kenaz.error.ErrorCode.K6125;

import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.value.Prim;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
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
  /** Arrays of NumPy, as {@code np.savez} writes them. */
  NPZ,
  /** One array, as the files of MNIST are. */
  IDX,
  /** A JSON object on each line, or an array of objects. */
  JSON,
  /** Sparse rows, as LIBSVM and SVMlight write them. */
  LIBSVM,
  MATRIX_MARKET,
  /** The four formats of ADBench's data. */
  ADBENCH,
  /** Values as Futhark's tools write them, as text or in the binary format. */
  FUTHARK;

  /** So many bytes at the beginning tell the format. */
  public static final int START = 1 << 16;

  /** The endings of names of text files whose lines have fields. */
  private static final List<String> CSV_NAMES = List.of(".csv", ".tsv", ".txt");

  /** The endings that only CSV has; the text of other files tells more than their names. */
  private static final List<String> ONLY_CSV_NAMES = List.of(".csv", ".tsv");

  private static final List<String> PARQUET_NAMES = List.of(".parquet", ".pq", ".parq");

  /** The formats of files that are written, by the endings of their names. */
  private static final Map<String, DataFormat> TARGETS =
      Map.ofEntries(
          Map.entry(".arrow", ARROW),
          Map.entry(".feather", ARROW),
          Map.entry(".csv", CSV),
          Map.entry(".tsv", CSV),
          Map.entry(".parquet", PARQUET),
          Map.entry(".pq", PARQUET),
          Map.entry(".npy", NUMPY),
          Map.entry(".npz", NPZ),
          Map.entry(".jsonl", JSON),
          Map.entry(".ndjson", JSON),
          Map.entry(".json", JSON),
          Map.entry(".libsvm", LIBSVM),
          Map.entry(".svm", LIBSVM),
          Map.entry(".svmlight", LIBSVM),
          Map.entry(".mtx", MATRIX_MARKET),
          Map.entry(".in", FUTHARK));

  /**
   * Formats that aren't imported, by the first bytes of their files, with one character for each
   * byte.
   */
  private static final Map<String, String> OTHERS =
      new TreeMap<>(
          Map.of(
              "PK\u0003\u0004", "a zip archive without arrays of NumPy; save a spreadsheet as CSV",
              "BZh", "packed by bzip2; unpack it first",
              "\u00fd7zXZ", "packed by xz; unpack it first",
              "ORC", "an ORC file; write it as Parquet",
              "Obj\u0001", "an Avro file; write it as Parquet",
              "\u0089HDF", "an HDF5 file; write its tables as CSV or Parquet"));

  /** Matches a label and numbered features, as LIBSVM and SVMlight write sparse rows. */
  private static final Pattern SPARSE =
      Pattern.compile(
          "[-+0-9.eE,]+(\\s+qid:\\d+)?(\\s+\\d+:([-+0-9.eE]+|[-+]?(?i:nan|inf)))*\\s*(#.*)?");

  /** So many lines tell whether rows are sparse. */
  private static final int LINES = 20;

  /** So much of a line tells whether it has sparse features. */
  private static final int LINE = 1000;

  /** Matches the first characters of an array in Futhark's text format. */
  private static final Pattern FUTHARK_TEXT =
      Pattern.compile("\\[\\s*([\\[\"]|-?[0-9]|[fiu]\\d|true|false)|empty\\s*\\(");

  private static final Pattern JSON_TEXT =
      Pattern.compile("(\u00ef\u00bb\u00bf)?\\s*(\\[\\s*)?\\{\\s*([\"}].*)?", Pattern.DOTALL);

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
    if (isNpz(bytes)) {
      if (packed) {
        throw unknown(file, "an archive packed once more; unpack it first");
      }
      return NPZ;
    }
    if (isFuthark(bytes)) {
      return FUTHARK;
    }
    return startsWith(bytes, "PAR1") ? parquet(file, packed) : text(file, bytes);
  }

  /**
   * Returns the format of a file that is to be written, which its name tells, without {@code .gz}
   * or {@code .zst}; nothing if it tells none.
   */
  public static Optional<DataFormat> ofTarget(String name) {
    var plain = unpackedName(name);
    return TARGETS.entrySet().stream()
        .filter(t -> plain.endsWith(t.getKey()))
        .map(Map.Entry::getValue)
        .findFirst();
  }

  /** Returns the format that an option names. */
  public static Optional<DataFormat> named(String name) {
    return Arrays.stream(values()).filter(f -> f.text().equals(name)).findFirst();
  }

  /** Returns what names of its files end in. */
  public String ending() {
    return switch (this) {
      case JSON -> ".jsonl";
      case MATRIX_MARKET -> ".mtx";
      case FUTHARK -> ".in";
      case ADBENCH -> ".txt";
      case ARROW, CSV, PARQUET, NUMPY, NPZ, IDX, LIBSVM -> "." + text();
    };
  }

  /** Returns what options call it. */
  public String text() {
    return switch (this) {
      case ARROW -> "arrow";
      case CSV -> "csv";
      case PARQUET -> "parquet";
      case NUMPY -> "npy";
      case NPZ -> "npz";
      case IDX -> "idx";
      case JSON -> "json";
      case LIBSVM -> "libsvm";
      case MATRIX_MARKET -> "matrix-market";
      case ADBENCH -> "adbench";
      case FUTHARK -> "futhark";
    };
  }

  /** Whether the first file of a zip archive is an array. */
  private static boolean isNpz(byte[] start) {
    if (!startsWith(start, "PK\u0003\u0004") || start.length < 30) {
      return false;
    }
    int length = (start[26] & 0xFF) + 256 * (start[27] & 0xFF);
    int end = Math.min(start.length, 30 + length);
    var name = new String(start, 30, end - 30, StandardCharsets.UTF_8);
    return name.endsWith(".npy");
  }

  /** Whether the bytes are a binary value of version 2: its rank and a type follow. */
  private static boolean isFuthark(byte[] start) {
    if (start.length < 7 || start[0] != 'b' || start[1] != 2) {
      return false;
    }
    var type = new String(start, 3, 4, StandardCharsets.ISO_8859_1);
    return Prim.named(type.strip()).filter(p -> p.binaryTag().equals(type)).isPresent();
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

  private static DataFormat text(DataFile file, byte[] start) {
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
    var told = ofText(file, text);
    if (told.isPresent()) {
      return told.get();
    }
    if (!named(file, CSV_NAMES)) {
      if (text.isBlank()) {
        throw unknown(file, "empty");
      }
      throw unknown(
          file, "text of a kind that its name doesn't tell; if it is CSV, rename it to .csv");
    }
    return CSV;
  }

  /** Returns the format that the first lines of a text tell. */
  private static Optional<DataFormat> ofText(DataFile file, String text) {
    if (text.regionMatches(true, 0, MatrixMarketFile.BANNER, 0, 14)) {
      return Optional.of(MATRIX_MARKET);
    }
    if (sparse(text)) {
      return Optional.of(LIBSVM);
    }
    if (named(file, ONLY_CSV_NAMES)) {
      return Optional.of(CSV);
    }
    if (JSON_TEXT.matcher(text).matches()) {
      return Optional.of(JSON);
    }
    var value = text.lines().filter(l -> !l.isBlank() && !l.startsWith("--")).findFirst();
    if (value.filter(l -> FUTHARK_TEXT.matcher(l.strip()).lookingAt()).isPresent()) {
      return Optional.of(FUTHARK);
    }
    return AdBenchFile.begins(BytesFile.of(file.name(), text))
        ? Optional.of(ADBENCH)
        : Optional.empty();
  }

  /** Whether the first lines are labels with features, and one of them has a feature. */
  private static boolean sparse(String text) {
    // The last line may be cut off.
    int whole = text.length() < START ? text.length() : text.lastIndexOf('\n') + 1;
    var first =
        text.substring(0, whole == 0 ? text.length() : whole)
            .lines()
            .filter(l -> !l.isBlank() && l.charAt(0) != '#')
            .limit(LINES)
            .map(DataFormat::head)
            .toList();
    return first.stream().anyMatch(l -> l.indexOf(':') > 0)
        && first.stream().allMatch(l -> SPARSE.matcher(l).matches());
  }

  /** Returns a line, which is cut where a feature ends if it is long. */
  private static String head(String line) {
    int end = line.length() <= LINE ? line.length() : line.lastIndexOf(' ', LINE);
    return line.substring(0, Math.max(0, end)).strip();
  }

  /** Whether the file's name, without {@code .gz} or {@code .zst}, has one of these endings. */
  private static boolean named(DataFile file, List<String> ends) {
    return ends.stream().anyMatch(unpackedName(file.name())::endsWith);
  }

  private static String unpackedName(String name) {
    return name.toLowerCase(Locale.ROOT).replaceFirst("\\.(gz|zst)$", "");
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
        ("kenaz dataset import reads Parquet, NumPy, IDX, JSON, LIBSVM, Matrix Market, ADBench,"
                + " Futhark's values, and CSV from files named %s (all but Parquet and .npz also"
                + " packed: .gz, .zst)")
            .formatted(String.join(", ", CSV_NAMES)));
  }
}
