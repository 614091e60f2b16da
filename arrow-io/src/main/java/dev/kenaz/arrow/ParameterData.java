package dev.kenaz.arrow;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6107;
import static dev.kenaz.error.ErrorCode.K8002;

import dev.kenaz.distribute.Cuts;
import dev.kenaz.error.UserError;
import dev.kenaz.pipeline.PiecewiseEntry;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Columns of Arrow files that are the parameters of an entry point. Arrays with the same number of
 * rows in the program are a dataset, row by row. Nothing but metadata is read until rows are asked
 * for.
 */
public final class ParameterData {
  /** How many bytes a piece has at most, if its record batches allow that. */
  private static final long PIECE_BYTES = 64L << 20;

  /**
   * What a parameter is.
   *
   * @param path a file, a folder of files, a glob, or what stands for a table
   * @param columns their names, in order; empty for all columns
   */
  public record Source(String parameter, String path, List<String> columns) {
    public Source {
      columns = List.copyOf(columns);
    }
  }

  /** How many bytes a row without columns counts as: those of its number. */
  private static final long NUMBER_BYTES = 8;

  private static final int MOST_PIECES = 1_000_000;

  private final AlignedRows reading;

  /**
   * There is an entry for each array, which has its rows. Arrays of one parameter have the same
   * files.
   */
  private final List<ArrowDataset> files;

  /** How many rows each dataset has, before any is left out for nulls. */
  private final List<Long> rows;

  /**
   * For datasets that are elements of lists, an array with the lists' lengths. Lists are cut as its
   * rows are, so that a piece has whole ones.
   */
  private final Map<Integer, Integer> lengths;

  /** The path of each array, or what stands for its table. */
  private final List<String> sourceOf;

  /** The tables among what is read. */
  private final List<TableInParts> tables;

  private ParameterData(
      AlignedRows reading,
      List<ArrowDataset> files,
      List<Long> rows,
      Map<Integer, Integer> lengths,
      List<String> sourceOf,
      List<TableInParts> tables) {
    this.reading = reading;
    this.files = List.copyOf(files);
    this.rows = List.copyOf(rows);
    this.lengths = Map.copyOf(lengths);
    this.sourceOf = List.copyOf(sourceOf);
    this.tables = tables;
  }

  /**
   * Opens files.
   *
   * @param sources what each parameter is that has rows of a dataset
   * @param arguments the core values of the other parameters, which tell the number of rows of a
   *     dataset that has none of the columns
   * @param nulls what happens to rows with a null in any column
   * @param nans whether NaNs are numbers like others
   * @throws UserError K61xx for what can't be read, K6107 if columns of a dataset have not equally
   *     many rows, K8002 for a parameter that columns can't be
   */
  public static ParameterData open(
      PiecewiseEntry entry,
      List<Source> sources,
      List<Value> arguments,
      ReadOptions.Nulls nulls,
      boolean nans) {
    return open(entry, sources, Map.of(), arguments, nulls, nans);
  }

  /**
   * Does the same where some sources are tables, which other processes compute.
   *
   * @param tables for the path of such a source, the table
   */
  public static ParameterData open(
      PiecewiseEntry entry,
      List<Source> sources,
      Map<String, TableInParts> tables,
      List<Value> arguments,
      ReadOptions.Nulls nulls,
      boolean nans) {
    var plan = entry.plan();
    var arrays = new ArrayList<ArrayColumns>();
    var files = new ArrayList<ArrowDataset>();
    var datasets = new ArrayList<Integer>();
    var paths = new ArrayList<String>();
    for (var param : entry.type().params()) {
      for (var s : sources) {
        if (s.parameter().equals(param.name())) {
          var options = new ReadOptions(s.columns(), nulls);
          var table = tables.get(s.path());
          var dataset =
              table == null ? ArrowDataset.open(List.of(s.path()), options) : table.rows(options);
          for (var array : ArrayColumns.of(param, entry.type().name(), dataset)) {
            datasets.add(plan.datasetOf(arrays.size()));
            arrays.add(array);
            paths.add(s.path());
            files.add(dataset.withOptions(new ReadOptions(array.columns(), nulls)));
          }
        }
      }
    }
    var rows = new ArrayList<Long>();
    for (int d = 0; d < plan.pieces().datasets().size(); d++) {
      int first = datasets.indexOf(d);
      rows.add(first < 0 ? entry.rowsOf(d, arguments) : files.get(first).rowCount());
    }
    var reading = new AlignedRows(arrays, datasets, nulls, nans);
    var used = paths.stream().distinct().map(tables::get).filter(Objects::nonNull).toList();
    var lengths = lengths(reading, files, paths);
    var data = new ParameterData(reading, files, rows, lengths, paths, used);
    data.requireSameNulls();
    data.requireAligned();
    return data;
  }

  /**
   * Finds the lengths of lists whose elements are datasets.
   *
   * @throws UserError K6107 if lists whose elements are one dataset have other lengths
   */
  private static Map<Integer, Integer> lengths(
      AlignedRows reading, List<ArrowDataset> files, List<String> paths) {
    var found = new HashMap<Integer, Integer>();
    var lists = new HashMap<Integer, String>();
    for (int i = 0; i < paths.size(); i++) {
      var elements = reading.arrays().get(i).elementsOf();
      if (elements.isEmpty()) {
        continue;
      }
      if (reading.nulls() == ReadOptions.Nulls.DROP) {
        throw fault(
            K8002,
            "rows with nulls can't be left out where a parameter has the elements of lists, as %s"
                .formatted(reading.arrays().get(i).parameter()),
            "leave them out before, for example by data.sql");
      }
      int dataset = reading.rows().get(i);
      for (int k = 0; k < paths.size(); k++) {
        var of = reading.arrays().get(k).lengthsOf();
        if (!of.isEmpty() && paths.get(k).equals(paths.get(i)) && !found.containsKey(dataset)) {
          requireSame(files.get(k), of.get(), elements.get());
          found.put(dataset, k);
        }
      }
      var other = lists.putIfAbsent(dataset, elements.get());
      if (other != null && found.containsKey(dataset)) {
        requireSame(files.get(found.get(dataset)), other, elements.get());
      }
    }
    return found;
  }

  private static void requireSame(ArrowDataset files, String a, String b) {
    if (!a.equals(b) && !files.sameLengths(a, b)) {
      throw fault(
          K6107,
          "the lists of the columns \"%s\" and \"%s\" have different lengths".formatted(a, b),
          "their elements have the same size in the program, so they belong to each other");
    }
  }

  private void requireAligned() {
    for (int i = 0; i < files.size(); i++) {
      long rows = rowsOf(i);
      if (files.get(i).rowCount() != rows) {
        int first = reading.rows().indexOf(reading.rows().get(i));
        throw fault(
            K6107,
            "the data has %,d rows for the parameter %s, but %,d for %s"
                .formatted(rows, parameter(first), files.get(i).rowCount(), parameter(i)),
            "row k of one belongs to row k of the other, so there must be equally many",
            "rows of another dataset have another size in the program, as in [m]");
      }
    }
  }

  /** Whether some arrays of a dataset are columns of a table. */
  private boolean ofTable(int dataset) {
    return arrays(dataset).anyMatch(i -> isTable(files.get(i)));
  }

  private IntStream arrays(int dataset) {
    return IntStream.range(0, files.size()).filter(i -> reading.rows().get(i) == dataset);
  }

  private static boolean isTable(ArrowDataset data) {
    return data.files().findAny().isEmpty();
  }

  /** Rows that are left out of a table aren't left out of files beside it. */
  private void requireSameNulls() {
    for (int d = 0; reading.nulls() == ReadOptions.Nulls.DROP && d < rows.size(); d++) {
      long sources = arrays(d).mapToObj(sourceOf::get).distinct().count();
      if (ofTable(d) && sources > 1) {
        throw fault(
            K8002,
            "rows with nulls can't be left out of a table whose rows belong to those of other data",
            "leave them out by a query that has all columns");
      }
    }
  }

  private String parameter(int array) {
    return reading.arrays().get(array).parameter();
  }

  private long rowsOf(int array) {
    return rows.get(reading.rows().get(array));
  }

  /** Returns how many rows of all datasets are left out for nulls. */
  public long dropped() {
    long all = rows.stream().mapToLong(n -> n).sum();
    long before = tables.stream().mapToLong(TableInParts::leftOut).sum();
    return before + all - kept().stream().mapToLong(n -> n).sum();
  }

  /** Returns how many rows of each dataset are left, after those that are left out for nulls. */
  public List<Long> kept() {
    return kept(rows.stream().map(n -> Cuts.even(n, 1)).toList()).stream().map(Cuts::rows).toList();
  }

  /** Returns the shapes of the arrays as if no row is left out, in the entry point's order. */
  public List<long[]> shapes() {
    var shapes = new ArrayList<long[]>();
    for (int i = 0; i < files.size(); i++) {
      shapes.add(reading.arrays().get(i).shape(rowsOf(i)));
    }
    return shapes;
  }

  /** Returns how a process reads the rows of {@link #ranges}. */
  public AlignedRows reading() {
    return reading;
  }

  /**
   * Names the rows of a piece so that another process can read them.
   *
   * @param cuts as {@link #pieces} gives them
   */
  public ArrayList<ArrayList<RowRange>> ranges(List<Cuts> cuts, int piece) {
    var ranges = new ArrayList<ArrayList<RowRange>>();
    for (var d : files(cuts, piece)) {
      ranges.add(new ArrayList<>(d.ranges()));
    }
    return ranges;
  }

  /** Reads a piece's rows of all arrays, in the entry point's order. */
  List<ArrayValue> read(List<Cuts> cuts, int piece) {
    return reading.readAll(files(cuts, piece));
  }

  private List<ArrowDataset> files(List<Cuts> cuts, int piece) {
    var parts = new ArrayList<ArrowDataset>();
    for (int i = 0; i < files.size(); i++) {
      var of = cuts.get(reading.rows().get(i));
      parts.add(files.get(i).rows(of.first(piece), of.first(piece + 1)));
    }
    return parts;
  }

  /** Returns how datasets are cut, without the rows that are left out for nulls. */
  public List<Cuts> kept(List<Cuts> cuts) {
    if (reading.nulls() == ReadOptions.Nulls.ERROR) {
      return cuts;
    }
    var kept = new ArrayList<Cuts>();
    for (int d = 0; d < cuts.size(); d++) {
      var of = cuts.get(d);
      if (ofTable(d)) {
        kept.add(of); // Rows with nulls were left out when the table was computed.
        continue;
      }
      var left = new long[of.pieces()];
      for (int p = 0; p < left.length; p++) {
        left[p] = of.first(p + 1) - of.first(p) - reading.nulls(d, files(cuts, p));
      }
      kept.add(Cuts.ofRows(left));
    }
    return kept;
  }

  /**
   * Cuts the rows of each dataset as they are cut unless something else is said. The largest one is
   * cut between record batches; the others have as many pieces of equal size.
   *
   * @param wanted how many pieces are wanted, if that is said
   * @param least how many pieces there are at least otherwise
   */
  public List<Cuts> pieces(OptionalInt wanted, int least) {
    int largest = first();
    for (int d = 0; d < rows.size(); d++) {
      largest = !lengths.containsKey(d) && bytes(d) > bytes(largest) ? d : largest;
    }
    var batches = wanted.isPresent() ? Cuts.even(0, wanted.getAsInt()) : batches(largest);
    int pieces = wanted.orElse(Math.max(least, batches.pieces()));
    var cuts = new ArrayList<Cuts>();
    for (int d = 0; d < rows.size(); d++) {
      boolean whole = wanted.isEmpty() && d == largest && batches.pieces() == pieces;
      cuts.add(whole ? batches : Cuts.even(rows.get(d), pieces));
    }
    lengths.forEach(
        (d, array) -> {
          var of = cuts.get(reading.rows().get(array));
          var firsts = LongStream.rangeClosed(0, pieces).map(p -> of.first((int) p)).toArray();
          var lists = reading.arrays().get(array).lengthsOf().orElseThrow();
          cuts.set(d, Cuts.between(files.get(array).elementsBefore(lists, firsts)));
        });
    return cuts;
  }

  /** Returns which rows and elements of lists belong to each other. */
  public RowLayout layout() {
    return new RowLayout(first(), reading.rows(), lengths);
  }

  /** Returns the number of the first dataset whose rows are those of files. */
  public int first() {
    int d = 0;
    while (lengths.containsKey(d)) {
      d++;
    }
    return d;
  }

  /** Returns how many bytes a dataset has, with those of the lists whose lengths it has. */
  private double bytes(int dataset) {
    double bytes = (double) rows.get(dataset) * ownRowBytes(dataset);
    for (var lists : lengths.entrySet()) {
      if (reading.rows().get(lists.getValue()) == dataset) {
        bytes += (double) rows.get(lists.getKey()) * ownRowBytes(lists.getKey());
      }
    }
    return bytes;
  }

  private long rowBytes(int dataset) {
    return (long) Math.ceil(bytes(dataset) / Math.max(1, rows.get(dataset)));
  }

  private long ownRowBytes(int dataset) {
    long bytes = 0;
    for (int i = 0; i < files.size(); i++) {
      var array = reading.arrays().get(i);
      bytes +=
          reading.rows().get(i) == dataset ? (long) array.width() * array.elem().byteSize() : 0;
    }
    return bytes == 0 ? NUMBER_BYTES : bytes;
  }

  /**
   * Cuts a dataset between record batches of its first array. A batch that is larger than a piece
   * is divided too, unless each part of it would have to decompress all of it.
   */
  private Cuts batches(int dataset) {
    int first = reading.rows().indexOf(dataset);
    long rowBytes = rowBytes(dataset);
    if (first < 0) {
      double pieces = Math.ceil(bytes(dataset) / PIECE_BYTES);
      return Cuts.even(rows.get(dataset), (int) Math.clamp(pieces, 1, MOST_PIECES));
    }
    var firsts = new ArrayList<>(List.of(0L));
    long end = 0;
    boolean divisible = !files.get(first).compressed();
    for (var batch : files.get(first).ranges()) {
      if (end > firsts.getLast()
          && (end + batch.rows() - firsts.getLast()) * rowBytes > PIECE_BYTES) {
        firsts.add(end);
      }
      if (divisible) {
        long parts = Math.ceilDiv(batch.rows() * rowBytes, PIECE_BYTES);
        for (long part = 1; part < parts; part++) {
          firsts.add(end + batch.rows() * part / parts);
        }
      }
      end += batch.rows();
    }
    firsts.add(end);
    return Cuts.between(firsts.stream().mapToLong(i -> i).toArray());
  }

  /** Returns the absolute paths of all files. */
  public List<Path> files() {
    return files.stream().flatMap(ArrowDataset::files).distinct().sorted().toList();
  }

  /** Describes the data: it is the same text for the same rows of files that didn't change. */
  public String identity() {
    var versions = files().stream().map(f -> f + " " + version(f)).toList();
    return reading + " " + rows + " " + versions + tables.stream().map(t -> t.identity()).toList();
  }

  /**
   * Describes the data by what is in the files, wherever they are and whenever they were written:
   * by the number of rows, the sizes of the files and a {@linkplain FileSample sample} of their
   * bytes.
   */
  public String fingerprint() {
    return rows + " " + FileSample.of(files());
  }

  private static String version(Path file) {
    try {
      return Files.size(file) + " " + Files.getLastModifiedTime(file);
    } catch (IOException e) {
      throw Faults.cannotRead(file, e);
    }
  }
}
