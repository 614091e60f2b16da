package dev.kenaz.arrow;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6109;
import static dev.kenaz.error.ErrorCode.K8002;

import dev.kenaz.error.UserError;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.EntryPoint.ExternalType;
import dev.kenaz.ir.EntryPoint.Flat;
import dev.kenaz.value.Prim;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/**
 * These are the columns of which an array of a parameter is made, side by side.
 *
 * @param parameter the parameter's name
 * @param elem the type of the array's elements
 * @param rank 1 for an array {@code [n]t} of a single column, 2 for {@code [n][d]t}
 * @param columns the columns' names, in order
 * @param width the number d; 1 if there is none
 */
public record ArrayColumns(
    String parameter, Prim elem, int rank, ArrayList<String> columns, int width)
    implements Serializable {

  /**
   * Finds the columns of a parameter: one {@code ArrayColumns} for each of its core values.
   *
   * @param entry the name of the function, for messages
   * @param dataset has the columns that may be chosen, in order
   * @throws UserError K6109 if their number or types don't fit the parameter, K8002 if no columns
   *     can be the parameter
   */
  static List<ArrayColumns> of(EntryPoint.Param param, String entry, ArrowDataset dataset) {
    var type = param.type();
    var flat = type.flat();
    if (type instanceof EntryPoint.Transparent) {
      return List.of(of(param, flat.getFirst(), names(dataset.numericColumns()), dataset));
    }
    var fields = new ArrayList<String>();
    fields(type, "", fields);
    if (fields.isEmpty()) {
      throw fault(
          K8002,
          "parameter "
              + param.name()
              + " of "
              + entry
              + " has type "
              + type.text()
              + ", which no"
              + " columns can be",
          "columns can be arrays of numbers, tuples and records");
    }
    boolean tuple = fields.getFirst().matches("[0-9.]+");
    // A record leaves columns that aren't its fields, such as strings.
    var names = names(tuple ? dataset.numericColumns() : dataset.columns());
    var chosen = tuple ? names : fields;
    var columns = tuple ? dataset : dataset.withOptions(dataset.options().withColumns(fields));
    boolean all = dataset.options().columns().isEmpty() && !tuple;
    if (names.size() != fields.size() && !all
        || !all && !new HashSet<>(names).containsAll(chosen)) {
      throw fault(
          K6109,
          shown(param)
              + " needs "
              + fields.size()
              + " columns, but these are chosen: "
              + String.join(", ", names),
          tuple ? "name one for each component" : "its fields are " + String.join(", ", fields));
    }
    var arrays = new ArrayList<ArrayColumns>();
    for (int i = 0; i < flat.size(); i++) {
      arrays.add(of(param, flat.get(i), List.of(chosen.get(i)), columns));
    }
    return arrays;
  }

  private static List<String> names(List<ColumnInfo> columns) {
    return columns.stream().map(ColumnInfo::name).toList();
  }

  private static ArrayColumns of(
      EntryPoint.Param param, Flat array, List<String> names, ArrowDataset dataset) {
    var infos = dataset.withOptions(dataset.options().withColumns(names)).numericColumns();
    int width = infos.stream().mapToInt(ColumnInfo::width).reduce(0, Math::addExact);
    boolean scalar = infos.size() == 1 && !infos.getFirst().list();
    if (array.rank() == 1 && !scalar) {
      throw fault(
          K6109,
          shown(param)
              + " takes one column of numbers, but these are chosen: "
              + String.join(", ", infos.stream().map(ArrayColumns::shown).toList()),
          "name one column: --data " + param.name() + "=PATH:COLUMN");
    }
    if (array.rank() < 1 || array.rank() > 2) {
      throw fault(
          K8002,
          shown(param) + " has " + array.rank() + " dimensions; columns have one or two",
          "give the rows one dimension, and unflatten them in the program");
    }
    return new ArrayColumns(
        param.name(), array.prim(), array.rank(), new ArrayList<>(names), width);
  }

  /**
   * Finds the names of an array's components; none if its elements are neither tuple nor record.
   */
  private static void fields(ExternalType type, String prefix, List<String> names) {
    switch (type) {
      case EntryPoint.OpaqueArray(_, var elem, _) -> fields(elem, prefix, names);
      case EntryPoint.RecordType(_, var fields) ->
          fields.forEach(
              f -> fields(f.type(), prefix.isEmpty() ? f.name() : prefix + "." + f.name(), names));
      case EntryPoint.Transparent _ -> {
        if (!prefix.isEmpty()) {
          names.add(prefix);
        }
      }
      case EntryPoint.SumType _, EntryPoint.Abstract _ -> names.clear();
    }
  }

  private static String shown(EntryPoint.Param param) {
    return "parameter " + param.name() + ": " + param.type().text();
  }

  private static String shown(ColumnInfo column) {
    return column.name() + " (" + column.shownType() + ")";
  }

  /** Returns the column of lists whose elements the array is, if it is that. */
  Optional<String> elementsOf() {
    return columns.size() == 1 ? ListColumns.ofElements(columns.getFirst()) : Optional.empty();
  }

  /** Returns the column of lists whose lengths the array is, if it is that. */
  Optional<String> lengthsOf() {
    return columns.size() == 1 ? ListColumns.ofLengths(columns.getFirst()) : Optional.empty();
  }

  /** Returns the shape of so many rows. */
  long[] shape(long rows) {
    return rank == 1 ? new long[] {rows} : new long[] {rows, width};
  }
}
