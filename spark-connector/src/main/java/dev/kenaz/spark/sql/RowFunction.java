package dev.kenaz.spark.sql;

import dev.kenaz.ElementType;
import dev.kenaz.Entry;
import dev.kenaz.Kenaz;
import dev.kenaz.Value;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.NearestName;
import dev.kenaz.error.UserError;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.spark.Recent;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/**
 * An entry point as a function of a row. It is called for many rows at once, by an entry point that
 * Kenaz adds to the program, which maps it. Executors compile the program when they first need it.
 *
 * @param name what it is called in SQL
 * @param root the file of the entry point
 * @param files the program's texts
 * @param first the arguments that are the same for all rows, as Java has them
 * @param columns the types of the others, which are columns
 */
record RowFunction(
    String name,
    String root,
    LinkedHashMap<String, String> files,
    String entry,
    ArrayList<Serializable> first,
    ArrayList<Cells> columns,
    Cells result)
    implements Serializable {
  private static final String MAPPED = "kenaz_rows";

  /** The prelude has map2 to map5; arrays that are more are zipped. */
  private static final int MOST_MAPPED = 5;

  private static final Recent<String, Entry> COMPILED = new Recent<>(64);

  /**
   * What a cell of a column has: a number or a truth value, or an array of them.
   *
   * @param elem their type in the program
   */
  record Cells(ElementType elem, boolean array) implements Serializable {
    DataType sqlType() {
      var type =
          switch (elem) {
            case BOOL -> DataTypes.BooleanType;
            case I8 -> DataTypes.ByteType;
            case I16, U8 -> DataTypes.ShortType;
            case I32, U16 -> DataTypes.IntegerType;
            case I64, U32 -> DataTypes.LongType;
            case F16, F32 -> DataTypes.FloatType;
            case F64 -> DataTypes.DoubleType;
            case U64 -> throw new IllegalStateException("u64");
          };
      return array ? new ArrayType(type, true) : type;
    }

    /**
     * Reads a type of a mapped entry point, which has one dimension more.
     *
     * @throws UserError K6115 if SQL has nothing for it
     */
    static Cells of(String type, String what) {
      int rank = 0;
      while (type.startsWith("[]")) {
        type = type.substring(2);
        rank++;
      }
      var name = type;
      var elem =
          Arrays.stream(ElementType.values()).filter(e -> e.toString().equals(name)).findFirst();
      if (elem.isEmpty() || elem.get() == ElementType.U64 || rank < 1 || rank > 2) {
        throw new UserError(
            ErrorCode.K6115,
            "%s has type %s, which no column has"
                .formatted(what, "[]".repeat(Math.max(rank - 1, 0)) + type),
            "columns are numbers but u64, truth values, and arrays of these");
      }
      return new Cells(elem.get(), rank == 2);
    }
  }

  /**
   * Compiles an entry point as a function of a row.
   *
   * @throws UserError what is wrong with the program or the arguments; K6303 if there is no such
   *     entry point, K6115 if it is no function of a row
   */
  static RowFunction of(
      String name, ProgramSource source, String entry, List<? extends Serializable> first) {
    var files = new LinkedHashMap<>(source.files());
    try (var plain = Kenaz.compile(source.root(), files, options())) {
      var names = plain.entries().stream().map(Entry::name).toList();
      if (!names.contains(entry)) {
        throw new UserError(
            ErrorCode.K6303,
            source.root() + " has no entry point " + entry,
            NearestName.hintOrFew(entry, names, "its entry points are"));
      }
      int parameters = plain.entry(entry).parameters().size();
      if (parameters <= first.size()) {
        throw new UserError(
            ErrorCode.K6115,
            "%s takes %d arguments, and %d are given: none is left for a column"
                .formatted(entry, parameters, first.size()));
      }
      files.merge(source.root(), mapped(entry, first.size(), parameters), String::concat);
      try (var program = Kenaz.compile(source.root(), files, options())) {
        var mapped = program.entry(MAPPED);
        var columns = new ArrayList<Cells>();
        for (var p : mapped.parameters().subList(first.size(), parameters)) {
          columns.add(Cells.of(p.type(), "a parameter of " + entry));
        }
        var result = Cells.of(mapped.resultType(), "the result of " + entry);
        return new RowFunction(
            name, source.root(), files, entry, new ArrayList<>(first), columns, result);
      }
    }
  }

  private static String mapped(String entry, int first, int all) {
    var fixed = variables("p", 0, first);
    var cells = variables("x", first, all);
    var rows = variables("r", first, all);
    int n = all - first;
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

  private static List<String> variables(String letter, int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "kenaz_" + letter + i).toList();
  }

  private static String nested(List<String> names, String open, String separator) {
    return names.subList(0, names.size() - 1).stream()
            .map(n -> open + n + separator)
            .collect(Collectors.joining())
        + names.getLast()
        + ")".repeat(names.size() - 1);
  }

  /** Tasks use one core each. */
  private static CompileOptions options() {
    return CompileOptions.of(Backend.JVM).onCores(1);
  }

  /**
   * Computes rows.
   *
   * @param arrays a value for each column, whose outer dimension are the rows
   */
  Value rows(List<Value> arrays) {
    var compiled =
        COMPILED.get(
            root + " " + files,
            () -> Kenaz.compile(root, files, options()).entry(MAPPED).prepare());
    var arguments = new ArrayList<Object>(first);
    arguments.addAll(arrays);
    return compiled.callAll(arguments);
  }
}
