package dev.kenaz.spark.sql;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.pipeline.ProgramSource;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry$;
import org.apache.spark.sql.catalyst.analysis.TableFunctionRegistry$;
import org.apache.spark.sql.catalyst.expressions.Cast$;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.FunctionTableSubqueryArgumentExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import scala.Option;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction1;

/**
 * Makes entry points of programs functions of SQL and of DataFrames.
 *
 * <p>An entry point is called for each row: its parameters are cells, not columns. It is compiled
 * once an executor, and computes thousands of rows at a time. A null among the arguments of a row
 * gives null.
 */
public final class KenazFunctions {
  /** What a function is called for. */
  public enum Kind {
    /** Each row: the parameters are cells. */
    ROW,
    /** Each group: the parameters are columns. */
    AGGREGATE,
    /** Each group; the gradient is the result. */
    GRADIENT,
    /** A table: the parameters are its columns, and the results are those of another one. */
    TABLE
  }

  private KenazFunctions() {}

  /**
   * Makes a function. A function of that name that there is already is replaced.
   *
   * @param name what it is called in SQL
   * @param file the program
   * @param first the first arguments of the entry point, which are the same for all rows: numbers,
   *     truth values and arrays of Java, as {@link dev.kenaz.Entry#callAll} takes them
   * @throws UserError what is wrong with the program or the arguments; K6303 if there is no such
   *     entry point, K6115 if no columns can be its parameters or its result
   */
  public static void register(
      SparkSession session, String name, Path file, String entry, Serializable... first) {
    register(session, Kind.ROW, name, ProgramSource.read(file), entry, given(first));
  }

  /** Does the same for the text of a program. */
  public static void registerText(
      SparkSession session, String name, String program, String entry, Serializable... first) {
    register(session, Kind.ROW, name, text(name, program), entry, given(first));
  }

  /**
   * Makes an aggregate function: the entry point is called for each group, and its parameters are
   * columns with the group's rows. Rows with a null among the arguments are left out; a group
   * without others gives null.
   *
   * @param first the first arguments of the entry point, which are the same for all groups
   * @throws UserError what is wrong with the program or the arguments; K6303 if there is no such
   *     entry point, K6115 if no columns can be its parameters or its result
   */
  public static void registerAggregate(
      SparkSession session, String name, Path file, String entry, Serializable... first) {
    register(session, Kind.AGGREGATE, name, ProgramSource.read(file), entry, given(first));
  }

  /** Does the same for the text of a program. */
  public static void registerAggregateText(
      SparkSession session, String name, String program, String entry, Serializable... first) {
    register(session, Kind.AGGREGATE, name, text(name, program), entry, given(first));
  }

  /**
   * Makes the gradient of an entry point an aggregate function. The entry point takes columns and
   * gives a float; the gradient is that by those of the first arguments that hold floats. If there
   * are several, it is a record with the names of their parameters.
   *
   * @throws UserError as {@link #registerAggregate} does; K6115 if there is no gradient
   */
  public static void registerGradient(
      SparkSession session, String name, Path file, String entry, Serializable... first) {
    register(session, Kind.GRADIENT, name, ProgramSource.read(file), entry, given(first));
  }

  /** Does the same for the text of a program. */
  public static void registerGradientText(
      SparkSession session, String name, String program, String entry, Serializable... first) {
    register(session, Kind.GRADIENT, name, text(name, program), entry, given(first));
  }

  /**
   * Makes a function of tables for SQL, {@code SELECT * FROM name(TABLE(t))}: the entry point takes
   * the columns of the table, by their places, and its results are the columns of another one. One
   * task computes it from all rows. With {@code PARTITION BY} it is called for each partition, and
   * the columns by which rows are divided are no arguments, but columns of the result. Nulls are
   * errors.
   *
   * @param first the first arguments of the entry point, which are no columns
   * @throws UserError what is wrong with the program or the arguments; K6303 if there is no such
   *     entry point, K6115 if no columns can be its parameters or its results
   */
  public static void registerTable(
      SparkSession session, String name, Path file, String entry, Serializable... first) {
    register(session, Kind.TABLE, name, ProgramSource.read(file), entry, given(first));
  }

  /** Does the same for the text of a program. */
  public static void registerTableText(
      SparkSession session, String name, String program, String entry, Serializable... first) {
    register(session, Kind.TABLE, name, text(name, program), entry, given(first));
  }

  private static void table(SparkSession session, TableFunction function) {
    var classic = (org.apache.spark.sql.classic.SparkSession) session;
    // Spark would find the function of rows first
    var rows = classic.sessionState().functionRegistry().listFunction();
    if (Seqs.list(rows).stream().anyMatch(f -> f.funcName().equalsIgnoreCase(function.name()))) {
      throw new UserError(
          ErrorCode.K6115,
          function.name() + " is a function of rows, which SQL would not find as one of tables",
          "take another name");
    }
    checkName(function.name());
    install(classic);
    classic
        .sessionState()
        .tableFunctionRegistry()
        .createOrReplaceTempFunction(
            function.name(), new Call<LogicalPlan>(given -> tableOf(function, given)), "scala_udf");
  }

  /**
   * Does the same for the rows of a table. Nothing is computed before the rows are asked for.
   *
   * @throws UserError as {@link #registerTable} does
   */
  public static Dataset<Row> table(
      Dataset<Row> table, Path file, String entry, Serializable... first) {
    var function = TableFunction.of(entry, ProgramSource.read(file), entry, given(first));
    var session = (org.apache.spark.sql.classic.SparkSession) table.sparkSession();
    install(session);
    var plan = ((org.apache.spark.sql.classic.Dataset<Row>) table).queryExecution().analyzed();
    return org.apache.spark.sql.classic.Dataset.ofRows(session, TableCall.over(function, plan));
  }

  private static LogicalPlan tableOf(TableFunction function, Seq<Expression> given) {
    if (given.size() != 1
        || !(given.head() instanceof FunctionTableSubqueryArgumentExpression table)) {
      throw new UserError(
          ErrorCode.K6115,
          function.name() + " takes one table",
          "SELECT * FROM " + function.name() + "(TABLE(t))");
    }
    return TableCall.of(function, table);
  }

  private static List<Serializable> given(Serializable... first) {
    Objects.requireNonNull(first, "first");
    for (int k = 0; k < first.length; k++) {
      Objects.requireNonNull(first[k], "first[" + k + "]");
    }
    return List.of(first);
  }

  private static ProgramSource text(String name, String program) {
    return ProgramSource.of(name + ".fut", program);
  }

  /**
   * Makes a function of any kind.
   *
   * @throws UserError what is wrong with the program or the arguments, as the other methods do
   */
  public static void register(
      SparkSession session,
      Kind kind,
      String name,
      ProgramSource program,
      String entry,
      List<Serializable> first) {
    switch (kind) {
      case ROW -> register(session, RowFunction.of(name, program, entry, first));
      case AGGREGATE -> aggregate(session, GroupFunction.of(name, program, entry, first));
      case GRADIENT -> aggregate(session, GroupFunction.gradient(name, program, entry, first));
      case TABLE -> table(session, TableFunction.of(name, program, entry, first));
    }
  }

  static void register(SparkSession session, RowFunction function) {
    install((org.apache.spark.sql.classic.SparkSession) session);
    register(
        session,
        function.name(),
        given -> new KenazCall(function, cast(function.name(), function.columns(), given)));
  }

  private static void aggregate(SparkSession session, GroupFunction function) {
    register(
        session,
        function.name(),
        given -> new GroupCall(function, cast(function.name(), function.columns(), given), 0, 0));
  }

  private static void register(
      SparkSession session, String name, Function<Seq<Expression>, Expression> call) {
    checkName(name);
    ((org.apache.spark.sql.classic.SparkSession) session)
        .sessionState()
        .functionRegistry()
        .createOrReplaceTempFunction(name, new Call<>(call), "scala_udf");
  }

  /** Refuses what SQL calls a function of Spark's own, which it finds first. */
  private static void checkName(String name) {
    var id = new FunctionIdentifier(name.toLowerCase(Locale.ROOT));
    if (FunctionRegistry$.MODULE$.builtin().functionExists(id)
        || TableFunctionRegistry$.MODULE$.builtin().functionExists(id)) {
      throw new UserError(
          ErrorCode.K6115,
          name + " is a function of Spark's own, which SQL would call instead",
          "take another name");
    }
  }

  /** Returns arguments of the types that a function takes. */
  static Seq<Expression> cast(String name, List<Cell.Plain> columns, Seq<Expression> arguments) {
    if (arguments.size() != columns.size()) {
      throw new UserError(
          ErrorCode.K6115,
          "%s takes %d columns, but is given %d".formatted(name, columns.size(), arguments.size()));
    }
    var cast = new ArrayList<Expression>();
    for (int i = 0; i < columns.size(); i++) {
      var type = columns.get(i).sqlType();
      cast.add(Cast$.MODULE$.apply(arguments.apply(i), type, Option.empty(), true));
    }
    return Seqs.of(cast);
  }

  /** Lets the session plan calls. */
  static void install(org.apache.spark.sql.classic.SparkSession session) {
    var methods = session.experimental();
    if (!methods.extraStrategies().exists(PlanCalls.class::isInstance)) {
      methods.extraOptimizations_$eq(
          Seqs.joined(methods.extraOptimizations(), Seqs.one(new ExtractCalls())));
      methods.extraStrategies_$eq(
          Seqs.joined(methods.extraStrategies(), Seqs.one(new PlanCalls())));
    }
  }

  /** Makes something of a call's arguments. */
  private static final class Call<T> extends AbstractFunction1<Seq<Expression>, T> {
    private final Function<Seq<Expression>, T> call;

    Call(Function<Seq<Expression>, T> call) {
      this.call = call;
    }

    @Override
    public T apply(Seq<Expression> arguments) {
      return call.apply(arguments);
    }
  }
}
