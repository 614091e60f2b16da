package dev.kenaz.spark.sql;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.ScalaUDF;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.trees.TreePattern;
import org.apache.spark.sql.execution.ColumnarToRowExec;
import org.apache.spark.sql.execution.FileSourceScanExec;
import org.apache.spark.sql.execution.FilterExec;
import org.apache.spark.sql.execution.InputAdapter;
import org.apache.spark.sql.execution.ProjectExec;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.RowDataSourceScanExec;
import org.apache.spark.sql.execution.SQLExecutionRDD;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.WholeStageCodegenExec;
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec;
import org.apache.spark.sql.execution.datasources.FilePartition;
import org.apache.spark.sql.execution.datasources.FileScanRDD;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.execution.datasources.orc.OrcFileFormat;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.execution.exchange.ShuffleExchangeLike;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Which rows Spark can compute again, part by part, so that they are the same and in the same
 * order.
 */
final class Repetition {
  /** What the names of the classes of MLlib's functions that make vectors of columns begin with. */
  private static final String ASSEMBLER = "org.apache.spark.ml.feature.VectorAssembler";

  private Repetition() {}

  /**
   * Rows that can be computed again.
   *
   * @param rdd gives rows, or batches of columns
   * @param places where the columns of the table are in these
   */
  record Repeatable(RDD<?> rdd, int[] places) {}

  /**
   * Returns why a table's rows can't be computed again; empty if they can, as far as that shows.
   */
  static Optional<String> obstacle(Dataset<Row> table) {
    var execution = execution(table);
    if (!repeats(execution.optimizedPlan())) {
      return Optional.of("it has functions that give something else each time, such as rand()");
    }
    return operators(execution.executedPlan()).flatMap(p -> obstacle(p).stream()).findFirst();
  }

  private static boolean repeats(LogicalPlan plan) {
    return Seqs.<Expression>list(plan.expressions()).stream().allMatch(Repetition::repeats)
        && Seqs.<LogicalPlan>list(plan.children()).stream().allMatch(Repetition::repeats);
  }

  /**
   * MLlib says of its VectorAssembler that it gives something else each time, so that Spark doesn't
   * compute it twice; it doesn't.
   */
  private static boolean repeats(Expression e) {
    return switch (e) {
      case Alias a -> repeats(a.child());
      case ScalaUDF f when f.function().getClass().getName().startsWith(ASSEMBLER) ->
          Seqs.<Expression>list(f.children()).stream().allMatch(Expression::deterministic);
      default -> e.deterministic();
    };
  }

  private static Optional<String> obstacle(SparkPlan operator) {
    return switch (operator) {
      case ShuffleExchangeLike _ ->
          Optional.of("it moves rows between partitions, as groups, joins, sorts and limits do");
      case RowDataSourceScanExec s ->
          Optional.of(s.relation().getClass().getSimpleName() + " promises no order of its rows");
      default -> Optional.empty();
    };
  }

  private static QueryExecution execution(Dataset<Row> table) {
    return ((org.apache.spark.sql.classic.Dataset<Row>) table).queryExecution();
  }

  private static Stream<SparkPlan> operators(SparkPlan plan) {
    if (plan instanceof AdaptiveSparkPlanExec a) {
      return operators(a.initialPlan());
    }
    return Stream.concat(
        Stream.of(plan),
        Seqs.<SparkPlan>list(plan.children()).stream().flatMap(Repetition::operators));
  }

  /** Returns how a table's rows are computed, if nothing moves between its partitions. */
  static Optional<Repeatable> of(Dataset<Row> table) {
    var execution = execution(table);
    var found = columnar(execution).orElseGet(() -> rows(execution));
    return shuffles(found.rdd, new HashSet<>()) ? Optional.empty() : Optional.of(found);
  }

  private static Repeatable rows(QueryExecution execution) {
    var places = new int[execution.executedPlan().output().size()];
    for (int i = 0; i < places.length; i++) {
      places[i] = i;
    }
    return new Repeatable(execution.toRdd(), places);
  }

  /** Returns batches, if only the choice of columns comes between them and the rows. */
  private static Optional<Repeatable> columnar(QueryExecution execution) {
    var output = Seqs.<Attribute>list(execution.executedPlan().output());
    var ids = output.stream().map(NamedExpression::exprId).toList();
    var plan = execution.executedPlan();
    while (!plan.supportsColumnar()) {
      switch (plan) {
        case WholeStageCodegenExec w -> plan = w.child();
        case InputAdapter i -> plan = i.child();
        case ColumnarToRowExec c -> plan = c.child();
        case ProjectExec p when isChoice(p) -> plan = p.child();
        default -> {
          return Optional.empty();
        }
      }
    }
    if (plan instanceof AdaptiveSparkPlanExec) {
      return Optional.empty();
    }
    var there = Seqs.<Attribute>list(plan.output()).stream().map(NamedExpression::exprId).toList();
    var places = ids.stream().mapToInt(there::indexOf).toArray();
    for (int p : places) {
      if (p < 0) {
        return Optional.empty();
      }
    }
    @SuppressWarnings("unchecked") // Spark's own scans give batches as rows, too.
    var batches = (RDD<org.apache.spark.sql.catalyst.InternalRow>) (RDD<?>) plan.executeColumnar();
    var conf = execution.sparkSession().sessionState().conf();
    return Optional.of(new Repeatable(new SQLExecutionRDD(batches, conf), places));
  }

  /**
   * Whether some columns of a table, computed by themselves, have the same rows in the same parts
   * and in the same order: both read the same stretches of the same files, of a format whose rows
   * don't depend on which columns are read. Other plans may change with their columns: how tables
   * are joined, what is a wrong line of CSV, and what the time is.
   */
  static boolean haveSameRows(Dataset<Row> table, Dataset<Row> some) {
    if (execution(table).analyzed().containsPattern(TreePattern.CURRENT_LIKE())) {
      return false;
    }
    var of = stretches(execution(table).executedPlan());
    return of.isPresent() && of.equals(stretches(execution(some).executedPlan()));
  }

  /** Returns which stretches of files each part reads, if nothing but filters comes after that. */
  private static Optional<List<List<String>>> stretches(SparkPlan plan) {
    var parts = new ArrayList<List<String>>();
    var operator = plan;
    while (true) {
      switch (operator) {
        case WholeStageCodegenExec _,
            InputAdapter _,
            ColumnarToRowExec _,
            ProjectExec _,
            FilterExec _ ->
            operator = operator.children().head();
        case FileSourceScanExec s
            when isColumnar(s)
                && !s.bucketedScan()
                && s.inputRDD() instanceof FileScanRDD files -> {
          for (var part : Seqs.<FilePartition>list(files.filePartitions())) {
            parts.add(Stream.of(part.files()).map(Repetition::shown).toList());
          }
          return Optional.of(parts);
        }
        default -> {
          return Optional.empty();
        }
      }
    }
  }

  private static boolean isColumnar(FileSourceScanExec scan) {
    var format = scan.relation().fileFormat();
    return format instanceof ParquetFileFormat || format instanceof OrcFileFormat;
  }

  private static String shown(PartitionedFile file) {
    return file.filePath() + " " + file.start() + " " + file.length();
  }

  private static boolean isChoice(ProjectExec project) {
    return Seqs.<Object>list(project.projectList()).stream().allMatch(Attribute.class::isInstance);
  }

  /** Whether rows are where they aren't lost: cached in this process, on its disk if need be. */
  private static boolean isStored(RDD<?> rdd) {
    return rdd.getStorageLevel().useDisk() && rdd.sparkContext().isLocal();
  }

  private static boolean shuffles(RDD<?> rdd, Set<RDD<?>> seen) {
    if (!seen.add(rdd) || isStored(rdd)) {
      return false;
    }
    return CollectionConverters.asJava(rdd.dependencies()).stream()
        .anyMatch(d -> d instanceof ShuffleDependency<?, ?, ?> || shuffles(d.rdd(), seen));
  }
}
