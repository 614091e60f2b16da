package dev.kenaz.spark.sql;

import dev.kenaz.ir.EntryPoint.ExternalType;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.value.Value;
import java.util.List;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.classic.ExpressionUtils;
import org.apache.spark.sql.types.DataType;

/** For other modules of Kenaz: an entry point that takes columns and gives columns, row by row. */
public final class RowColumns {
  private final RowFunction function;

  private RowColumns(RowFunction function) {
    this.function = function;
  }

  /**
   * Compiles an entry point.
   *
   * @param name what it is called in SQL, and in plans
   * @param shown what messages call it
   * @param columns how many of its parameters, the last ones, are columns
   * @param first the core values of the others
   * @throws dev.kenaz.error.UserError K6115 if a row's results depend on other rows, or Spark has
   *     nothing for a parameter or a result
   */
  public static RowColumns of(
      String name,
      String shown,
      ProgramSource program,
      String entry,
      int columns,
      List<Value> first) {
    return new RowColumns(RowFunction.ofColumns(name, shown, program, entry, columns, first));
  }

  /** Makes it a function of SQL. A function of that name that there is already is replaced. */
  public void register(SparkSession session) {
    KenazFunctions.register(session, function);
  }

  /**
   * Returns the type of the column that results of these types are: a struct for a record.
   *
   * @throws dev.kenaz.error.UserError K6115 if Spark has nothing for it
   */
  public static DataType type(List<ExternalType> results, String what) {
    return Cell.ofResult(results, 1, what).sqlType();
  }

  /** Returns the type of the column. */
  public DataType type() {
    return function.result().sqlType();
  }

  /**
   * Returns the column.
   *
   * @param columns are cast to the types that the entry point takes
   */
  public Column of(SparkSession session, List<Column> columns) {
    KenazFunctions.install((org.apache.spark.sql.classic.SparkSession) session);
    var given = Seqs.<Expression>of(columns.stream().map(ExpressionUtils::expression).toList());
    var cast = KenazFunctions.cast(function.name(), function.columns(), given);
    return ExpressionUtils.column(new KenazCall(function, cast));
  }
}
