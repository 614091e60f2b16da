package dev.kenaz.jobs.sql;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.arrow.ArrowDataset;
import dev.kenaz.arrow.ColumnInfo;
import dev.kenaz.error.UserError;
import dev.kenaz.spark.sql.TableRows;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.ml.linalg.SQLDataTypes;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables become Arrow files that have matrices where rows have arrays of one size. */
final class TableRowsTest {
  private static SparkSession spark;
  @TempDir Path folder;

  @BeforeAll
  static void start() {
    spark =
        SparkSession.builder().master("local[2]").config("spark.ui.enabled", false).getOrCreate();
  }

  @AfterAll
  static void stop() {
    spark.stop();
  }

  private ArrowDataset written(org.apache.spark.sql.Dataset<org.apache.spark.sql.Row> table) {
    TableRows.write(table, folder.resolve("rows"), "test");
    return ArrowDataset.open(folder.resolve("rows").toString());
  }

  @Test
  void arraysOfOneSizeAreMatrices() {
    var data =
        written(
            spark.sql(
                """
                select id, array(id, id + 1D) as pair, sequence(0, id) as ragged,
                  if(id = 3, null, array(1)) as gaps
                from range(0, 10, 1, 3)
                """));
    assertEquals(
        List.of(true),
        data.schema().stream().filter(c -> c.name().equals("pair")).map(ColumnInfo::list).toList());
    var pairs = data.column("pair").toMatrix(Prim.F64);
    assertArrayEquals(new long[] {10, 2}, pairs.shape());
    assertEquals(
        "[[0.0, 1.0], [1.0, 2.0]]",
        data.rows(0, 2)
            .column("pair")
            .toMatrix(Prim.F64)
            .toString()
            .replace("f64", "")
            .substring(0, 24));
    assertEquals(45L, sum(data.column("id").toVector(Prim.F64)));
  }

  @Test
  void vectorsAreMatrices() {
    var schema =
        new StructType()
            .add("label", DataTypes.DoubleType)
            .add("features", SQLDataTypes.VectorType());
    var rows =
        List.of(
            RowFactory.create(1.0, Vectors.dense(1, 2, 3)),
            RowFactory.create(0.0, Vectors.sparse(3, new int[] {2}, new double[] {7})));
    var data = written(spark.createDataFrame(rows, schema).coalesce(1));
    var features = data.column("features").toMatrix(Prim.F64);
    assertArrayEquals(new long[] {2, 3}, features.shape());
    assertEquals(13L, sum(features));
  }

  @Test
  void aVectorOfAnotherSizeThanTheFirstIsAnError() {
    var schema = new StructType().add("features", SQLDataTypes.VectorType());
    for (var other : new Vector[] {Vectors.dense(1, 2), null}) {
      var rows = List.of(RowFactory.create(Vectors.dense(1, 2, 3)), RowFactory.create(other));
      var table = spark.createDataFrame(rows, schema).coalesce(1);
      var e = assertThrows(UserError.class, () -> written(table));
      assertTrue(e.getMessage().contains("features"), e.getMessage());
    }
  }

  @Test
  void anEmptyTableHasNoRows() {
    assertEquals(0, written(spark.sql("select 1L as a, array(1D) as b where false")).rowCount());
  }

  private static long sum(ArrayValue v) {
    double sum = 0;
    for (long i = 0; i < v.count(); i++) {
      sum += v.data().getAtIndex(ValueLayout.JAVA_DOUBLE_UNALIGNED, i);
    }
    return Math.round(sum);
  }
}
