package dev.kenaz.dataset;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6107;

import dev.kenaz.arrow.Faults;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * CSV files with the same columns. Types that aren't given are those of the first lines of each
 * file; if a later line contradicts them, all lines are looked at.
 */
public final class CsvFiles implements FilesSource {
  /** Types are guessed from so many lines of each file. */
  private static final long GUESS = 5_000;

  private final List<DataFile> files;
  private final CsvOptions options;
  private List<CsvColumn> columns;

  /**
   * @throws dev.kenaz.error.UserError K6101, K6104, K6107, K6120, K6123
   */
  public CsvFiles(List<DataFile> files, CsvOptions options) {
    this.files = List.copyOf(files);
    this.options = options;
    this.columns = infer(GUESS);
  }

  @Override
  public Schema schema() {
    boolean nullable = options.missing() == CsvOptions.Missing.NULL;
    return new Schema(columns.stream().map(c -> c.type().field(c.name(), nullable)).toList());
  }

  @Override
  public List<DataFile> files() {
    return files;
  }

  @Override
  public RowReader open(int part) {
    return new CsvReader(files.get(part), options, columns, schema());
  }

  @Override
  public void settle() {
    columns = infer(Long.MAX_VALUE);
  }

  private List<CsvColumn> infer(long lines) {
    List<CsvColumn> chosen = null;
    List<String> names = null;
    CsvType[] types = null;
    var missing = new boolean[0];
    for (var file : files) {
      try (var rows = CsvRows.open(file, options)) {
        if (chosen == null) {
          names = rows.names();
          chosen = chosen(names, file);
          types = new CsvType[chosen.size()];
          missing = new boolean[chosen.size()];
        } else if (!names.equals(rows.names())) {
          throw fault(
              K6107,
              "%s has the columns %s, and %s has %s"
                  .formatted(files.getFirst().name(), names, file.name(), rows.names()));
        }
        look(rows, chosen, types, missing, lines);
      }
    }
    boolean first = lines < Long.MAX_VALUE;
    // Whether large integers stay strings depends on all lines: none of them contradicts a string.
    return first && Arrays.asList(types).contains(CsvType.INTEGERS)
        ? infer(Long.MAX_VALUE)
        : typed(chosen, types, missing, first);
  }

  private List<CsvColumn> chosen(List<String> names, DataFile file) {
    for (var name : options.types().keySet()) {
      index(name, names, file);
    }
    var wanted = options.columns().isEmpty() ? names : options.columns();
    return wanted.stream()
        .map(
            name -> {
              var told = options.types().get(name);
              var type = told == null ? options.defaultType().orElse(null) : told;
              return new CsvColumn(name, index(name, names, file), type, type == null);
            })
        .toList();
  }

  private static int index(String name, List<String> names, DataFile file) {
    int i = names.indexOf(name);
    if (i < 0) {
      throw Faults.noColumn(file.name(), name, names);
    }
    return i;
  }

  private void look(
      CsvRows rows, List<CsvColumn> chosen, CsvType[] types, boolean[] missing, long lines) {
    var unknown =
        IntStream.range(0, types.length).filter(i -> chosen.get(i).type() == null).toArray();
    if (unknown.length == 0) {
      return;
    }
    for (long line = 1; line <= lines && rows.next(); line++) {
      for (int i : unknown) {
        int field = chosen.get(i).index();
        boolean same =
            types[i] == CsvType.TEXT
                || types[i] instanceof CsvType.Number(var prim)
                    && rows.simple(field, prim) != CsvNumber.OTHER;
        if (same) {
          continue;
        }
        var text = rows.field(field);
        if (!rows.quoted(field) && options.isMissing(text)) {
          missing[i] = true;
        } else {
          types[i] = joined(types[i], text);
        }
      }
    }
  }

  private static CsvType joined(CsvType sofar, String text) {
    boolean real = sofar instanceof CsvType.Number(var prim) && prim == Prim.F64;
    if (real && CsvField.isReal(text)) {
      return sofar;
    }
    return CsvType.join(sofar, of(text));
  }

  /** Returns the narrowest type of a text. */
  static CsvType of(String text) {
    if (text.isEmpty()) {
      return CsvType.TEXT;
    }
    if (CsvType.isBeyond(text)) {
      return CsvType.INTEGERS;
    }
    var number = CsvField.narrowest(text);
    if (number.isPresent()) {
      return new CsvType.Number(number.get());
    }
    if (CsvTimes.date(text).isPresent()) {
      return CsvType.DATE;
    }
    boolean zoned = CsvTimes.zoned(text);
    return CsvTimes.timestamp(text, zoned).isPresent()
        ? new CsvType.Timestamp(zoned)
        : CsvType.TEXT;
  }

  private List<CsvColumn> typed(
      List<CsvColumn> chosen, CsvType[] types, boolean[] missing, boolean guessed) {
    boolean nan = options.missing() == CsvOptions.Missing.NAN;
    var typed = new ArrayList<CsvColumn>();
    for (int i = 0; i < types.length; i++) {
      var c = chosen.get(i);
      if (c.type() == null) {
        boolean real = missing[i] && nan && types[i] instanceof CsvType.Number;
        var type = types[i] == null || real ? new CsvType.Number(Prim.F64) : types[i];
        type = type instanceof CsvType.Text ? CsvType.TEXT : type;
        typed.add(new CsvColumn(c.name(), c.index(), type, guessed));
      } else {
        typed.add(c);
      }
    }
    return List.copyOf(typed);
  }
}
