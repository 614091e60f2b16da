package dev.kenaz.jobs.ml;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.collect_set;
import static org.apache.spark.sql.functions.udf;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * The whole numbers by which the rows of a table know users, or items. Programs number these from
 * 0, in the order of the identities.
 *
 * @param sorted the identities, without repetitions
 */
public record Identities(Broadcast<int[]> sorted) {
  private static final StructType FACTORS =
      new StructType()
          .add("id", DataTypes.IntegerType, false)
          .add("features", DataTypes.createArrayType(DataTypes.FloatType, false), true);

  /** Collects the identities in some columns of integers, in one pass. */
  public static List<Identities> of(Dataset<Row> rows, String... columns) {
    var spark = new JavaSparkContext(rows.sparkSession().sparkContext());
    var asked = Arrays.stream(columns).map(c -> collect_set(col(c))).toArray(Column[]::new);
    var found = rows.select(asked).first();
    var all = new ArrayList<Identities>();
    for (int i = 0; i < columns.length; i++) {
      var ids = found.<Integer>getList(i).stream().mapToInt(id -> id).sorted().toArray();
      all.add(new Identities(spark.broadcast(ids)));
    }
    return all;
  }

  /** Returns how many there are. */
  public int count() {
    return sorted.value().length;
  }

  /** Returns the numbers of a column's identities, which must be among these. */
  public Column numbers(String column) {
    var ids = sorted;
    UDF1<Integer, Long> number = id -> number(ids.value(), id);
    return udf(number, DataTypes.LongType).apply(col(column)).as(column);
  }

  private static long number(int[] sorted, int id) {
    int at = Arrays.binarySearch(sorted, id);
    if (at < 0) {
      throw new IllegalStateException(
          id + " was not there when the rows were read before: cache() a dataset that changes");
    }
    return at;
  }

  /**
   * Returns factors as MLlib's models have them.
   *
   * @param factors of all, one after the other
   */
  public Dataset<Row> factors(SparkSession session, double[] factors) {
    var ids = sorted.value();
    int rank = factors.length / ids.length;
    var rows = new ArrayList<Row>(ids.length);
    for (int i = 0; i < ids.length; i++) {
      var features = new Float[rank];
      for (int k = 0; k < rank; k++) {
        features[k] = (float) factors[i * rank + k];
      }
      rows.add(RowFactory.create(ids[i], features));
    }
    return session.createDataFrame(rows, FACTORS);
  }
}
