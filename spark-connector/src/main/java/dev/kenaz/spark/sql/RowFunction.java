package dev.kenaz.spark.sql;

import dev.kenaz.distribute.RowwisePlan;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.Limitation;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.pipeline.PiecewiseEntry;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * An entry point as a function of a row. It is called for many rows at once, by an entry point that
 * takes columns: one that Kenaz adds to the program, which maps the other.
 *
 * @param name what it is called in SQL
 * @param shown what it is of the program, for {@code EXPLAIN}
 * @param program its entry point takes a column for each of {@code columns}
 * @param columns the cells of its arguments
 */
record RowFunction(
    String name, String shown, SqlProgram program, ArrayList<Cell.Plain> columns, Cell result)
    implements Serializable {
  private static final String MAPPED = "kenaz_rows";

  /** The prelude has map2 to map5; arrays that are more are zipped. */
  private static final int MOST_MAPPED = 5;

  private static final Pattern NAME = Pattern.compile("[a-zA-Z][a-zA-Z0-9_']*");

  /**
   * Compiles an entry point as a function of a row.
   *
   * @throws dev.kenaz.error.UserError what is wrong with the program or the arguments; K6303 if
   *     there is no such entry point, K6115 if it is no function of a row
   */
  static RowFunction of(
      String name, ProgramSource source, String entry, List<? extends Serializable> first) {
    int fixed = first.size();
    try (var plain = SqlProgram.open(source, entry, fixed)) {
      var type = plain.entry(entry).type();
      var columns = new ArrayList<Cell.Plain>();
      for (var p : type.params().subList(fixed, type.params().size())) {
        columns.add(Cell.ofParameter(p.type(), 0, "parameter " + p.name() + " of " + entry));
      }
      var what = "the result of " + entry;
      var result =
          Cell.ofResult(type.results().stream().map(EntryPoint.Result::type).toList(), 0, what);
      var mapped = SqlProgram.behind(source, mapped(entry, fixed, type.params()));
      var values = SqlProgram.values(plain, entry, first);
      try (var compiled = SqlProgram.open(mapped, MAPPED, fixed)) {
        compiled.entry(MAPPED).prepare(); // This finds its faults.
      } catch (UserError e) {
        throw ofEachRow(entry, e);
      }
      return new RowFunction(
          name,
          entry + " of " + source.root(),
          SqlProgram.of(mapped, MAPPED, values),
          columns,
          result);
    }
  }

  /**
   * Takes an entry point that has columns as its last parameters, and gives columns, as a function
   * of a row.
   *
   * @param shown what it is called in messages
   * @param first the core values of the other parameters
   * @throws dev.kenaz.error.UserError K6115 if a row's results depend on other rows, or SQL has
   *     nothing for a parameter or a result
   */
  static RowFunction ofColumns(
      String name,
      String shown,
      ProgramSource source,
      String entry,
      int columns,
      List<Value> first) {
    try (var program = SqlProgram.open(source, entry, 0)) {
      var type = program.entry(entry).type();
      var cells = new ArrayList<Cell.Plain>();
      var rows = new ArrayList<String>();
      int n = type.params().size();
      for (var p : type.params().subList(n - columns, n)) {
        cells.add(Cell.ofParameter(p.type(), 1, "parameter " + p.name() + " of " + shown));
        rows.add(p.name());
      }
      var results = type.results().stream().map(EntryPoint.Result::type).toList();
      var result = Cell.ofResult(results, 1, "the result of " + shown);
      try {
        var planned =
            PiecewiseEntry.plan(program.lowered(), entry, rows, SqlProgram.options(), false);
        if (!RowwisePlan.is(planned.program().plan())) {
          throw ofSeveralRows(shown);
        }
      } catch (Limitation e) { // What isn't computed in pieces isn't computed row by row.
        throw ofSeveralRows(shown);
      }
      program.entry(entry).prepare(); // This finds its faults.
      return new RowFunction(name, shown, SqlProgram.of(source, entry, first), cells, result);
    }
  }

  /**
   * Returns what is wrong with an entry point itself if the one that maps it has a fault. The place
   * of this fault is in no file.
   */
  private static UserError ofEachRow(String entry, UserError e) {
    return switch (e.diagnostics().getFirst().code().name().substring(0, 2)) {
      case "K3" ->
          new UserError(
              ErrorCode.K6115,
              entry + " is no function of a row: its result may have another size for each row",
              "the sizes of its result must be sizes of its arrays, or constants, as in [n]f64");
      case "K4" ->
          new UserError(
              ErrorCode.K6115,
              entry + " is no function of a row: it consumes an argument",
              "leave out the * of its parameters, and copy what it changes");
      default -> e;
    };
  }

  private static UserError ofSeveralRows(String shown) {
    return new UserError(
        ErrorCode.K6115,
        shown + " is no function of a row: what it gives for one depends on others, too",
        "kenaz predict applies it to a whole table");
  }

  private static String mapped(String entry, int first, List<EntryPoint.Param> params) {
    var fixed = variables("p", params).subList(0, first);
    var cells = variables("x", params).subList(first, params.size());
    var rows = variables(SqlFaults.ROWS_OF, params).subList(first, params.size());
    int n = cells.size();
    var map = n == 1 ? "map" : "map" + n;
    var pattern = String.join(" ", cells);
    var arrays = String.join(" ", rows);
    if (n > MOST_MAPPED) {
      map = "map";
      pattern = nested(cells, "(", ", ");
      arrays = nested(rows, "(zip ", " ");
    }
    var call = entry + " " + String.join(" ", fixed) + " " + String.join(" ", cells);
    return "\nentry %s %s %s = %s (\\%s -> %s) %s\n"
        .formatted(
            MAPPED, String.join(" ", fixed), String.join(" ", rows), map, pattern, call, arrays);
  }

  /** Returns variables for parameters; {@link SqlFaults} finds the parameters' names in them. */
  static List<String> variables(String letter, List<EntryPoint.Param> params) {
    return IntStream.range(0, params.size())
        .mapToObj(
            i -> {
              var name = params.get(i).name();
              return "kenaz_" + letter + i + (NAME.matcher(name).matches() ? "_" + name : "");
            })
        .toList();
  }

  private static String nested(List<String> names, String open, String separator) {
    return names.subList(0, names.size() - 1).stream()
            .map(n -> open + n + separator)
            .collect(Collectors.joining())
        + names.getLast()
        + ")".repeat(names.size() - 1);
  }

  /**
   * Computes rows.
   *
   * @param arrays a value for each column, whose outer dimension are the rows
   * @return the result's core values, likewise
   */
  List<ArrayValue> rows(List<ArrayValue> arrays) {
    return program.call(arrays).stream().map(v -> (ArrayValue) v).toList();
  }

  /** Returns how many rows there are in arguments. */
  static int count(List<? extends Value> arrays) {
    return Math.toIntExact(arrays.getFirst().shape()[0]);
  }
}
