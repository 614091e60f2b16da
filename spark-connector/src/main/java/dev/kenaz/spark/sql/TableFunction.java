package dev.kenaz.spark.sql;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.types.Metadata;

/**
 * An entry point from the columns of a table to the columns of another one, which may have another
 * number of rows. It is called once, for all rows.
 *
 * @param name what it is called in SQL
 * @param shown what it is of the program, for {@code EXPLAIN}
 * @param program its entry point takes the columns
 * @param columns the cells of its arguments
 * @param result the cells of the results
 * @param names the columns of the results
 */
record TableFunction(
    String name,
    String shown,
    SqlProgram program,
    ArrayList<Cell.Plain> columns,
    ArrayList<Cell> result,
    ArrayList<String> names)
    implements Serializable {
  /** What a single column of results is called. */
  private static final String ONLY = "result";

  /**
   * Makes an entry point a function of a table.
   *
   * @throws UserError what is wrong with the program or the arguments; K6303 if there is no such
   *     entry point, K6115 if it is no function from columns to columns
   */
  static TableFunction of(
      String name, ProgramSource source, String entry, List<? extends Serializable> first) {
    int fixed = first.size();
    try (var program = SqlProgram.open(source, entry, fixed)) {
      var type = program.entry(entry).type();
      var columns = new ArrayList<Cell.Plain>();
      for (var p : type.params().subList(fixed, type.params().size())) {
        columns.add(Cell.ofParameter(p.type(), 1, "parameter " + p.name() + " of " + entry));
      }
      var results = type.results().stream().map(EntryPoint.Result::type).toList();
      var result = Cell.ofResult(results, 1, "the result of " + entry);
      var values = SqlProgram.values(program, entry, first);
      program.entry(entry).prepare(); // This finds its faults.
      boolean several = result instanceof Cell.Struct;
      return new TableFunction(
          name,
          entry + " of " + source.root(),
          SqlProgram.of(source, entry, values),
          columns,
          several ? ((Cell.Struct) result).cells() : new ArrayList<>(List.of(result)),
          several ? ((Cell.Struct) result).names() : new ArrayList<>(List.of(ONLY)));
    }
  }

  /** Returns new attributes for the results. */
  List<Attribute> output() {
    var output = new ArrayList<Attribute>();
    for (int i = 0; i < names.size(); i++) {
      output.add(
          new AttributeReference(
              names.get(i),
              result.get(i).sqlType(),
              true,
              Metadata.empty(),
              NamedExpression.newExprId(),
              Seqs.of(List.<String>of())));
    }
    return output;
  }

  /**
   * Computes the table.
   *
   * @param rows a value for each column
   * @return the results' core values
   * @throws UserError K6115 if the columns of the results differ in length
   */
  List<ArrayValue> compute(List<? extends Value> rows) {
    int width = result.stream().mapToInt(Cell::width).sum();
    List<Value> all;
    try {
      all = program.call(rows);
    } catch (UserError e) {
      throw SqlFaults.in(e, name + " of a table of " + RowFunction.count(rows) + " rows");
    }
    var values =
        all.subList(all.size() - width, all.size()).stream().map(v -> (ArrayValue) v).toList();
    if (values.stream().mapToLong(v -> v.dim(0)).distinct().count() > 1) {
      var lengths = values.stream().map(v -> Long.toString(v.dim(0))).toList();
      throw new UserError(
          ErrorCode.K6115,
          "%s gives columns of %s rows".formatted(name, String.join(", ", lengths)),
          "all columns of a table have the same number of rows");
    }
    return values;
  }
}
