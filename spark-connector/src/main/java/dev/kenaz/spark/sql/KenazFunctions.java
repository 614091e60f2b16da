package dev.kenaz.spark.sql;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.pipeline.ProgramSource;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.Cast$;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.types.DataType;
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
    register(session, name, ProgramSource.read(file), entry, List.of(first));
  }

  /** Does the same for the text of a program. */
  public static void registerText(
      SparkSession session, String name, String program, String entry, Serializable... first) {
    register(session, name, ProgramSource.of(name + ".fut", program), entry, List.of(first));
  }

  private static void register(
      SparkSession session,
      String name,
      ProgramSource program,
      String entry,
      List<Serializable> first) {
    var function = RowFunction.of(name, program, entry, first);
    var classic = (org.apache.spark.sql.classic.SparkSession) session;
    install(classic);
    classic
        .sessionState()
        .functionRegistry()
        .createOrReplaceTempFunction(name, new Call(function), "scala_udf");
  }

  /** Lets the session plan calls. */
  private static void install(org.apache.spark.sql.classic.SparkSession session) {
    var methods = session.experimental();
    if (!methods.extraStrategies().exists(PlanCalls.class::isInstance)) {
      methods.extraOptimizations_$eq(
          Seqs.joined(methods.extraOptimizations(), Seqs.one(new ExtractCalls())));
      methods.extraStrategies_$eq(
          Seqs.joined(methods.extraStrategies(), Seqs.one(new PlanCalls())));
    }
  }

  /** Makes a call's expression of its arguments. */
  private static final class Call extends AbstractFunction1<Seq<Expression>, Expression> {
    private final RowFunction function;

    Call(RowFunction function) {
      this.function = function;
    }

    @Override
    public Expression apply(Seq<Expression> arguments) {
      var columns = function.columns();
      if (arguments.size() != columns.size()) {
        throw new UserError(
            ErrorCode.K6115,
            "%s takes %d columns, but is given %d"
                .formatted(function.name(), columns.size(), arguments.size()));
      }
      var cast = new ArrayList<Expression>();
      for (int i = 0; i < columns.size(); i++) {
        cast.add(cast(arguments.apply(i), columns.get(i).sqlType()));
      }
      return new KenazCall(function, Seqs.of(cast));
    }

    private static Expression cast(Expression e, DataType type) {
      return Cast$.MODULE$.apply(e, type, Option.empty(), true);
    }
  }
}
