package dev.kenaz.ml;

import static org.apache.spark.sql.functions.col;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import org.apache.spark.ml.linalg.DenseMatrix;
import org.apache.spark.ml.linalg.MatrixUDT;
import org.apache.spark.ml.linalg.VectorUDT;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.MetadataBuilder;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Vectors and matrices of {@code spark.ml} in Arrow files. */
final class VectorFilesTest {
  @TempDir Path folder;

  @Test
  void vectorsAreReadAgainAsVectors() {
    var schema =
        new StructType()
            .add("id", DataTypes.LongType)
            .add("features", new VectorUDT())
            .add("m", new MatrixUDT());
    var rows =
        List.of(
            RowFactory.create(0L, Vectors.dense(1.5, -2), null),
            RowFactory.create(1L, null, new DenseMatrix(1, 2, new double[] {3, 4})),
            RowFactory.create(2L, Vectors.sparse(9, new int[] {4}, new double[] {0.5}), null));
    var place = folder.resolve("v").toString();
    var spark =
        SparkSession.builder()
            .master("local[1]")
            .config("spark.ui.enabled", false)
            .config("spark.sql.shuffle.partitions", 1)
            .getOrCreate();
    try {
      spark.createDataFrame(rows, schema).coalesce(1).write().format("arrow").save(place);
      var read = spark.read().format("arrow").load(place);
      assertEquals(schema, read.schema());
      assertEquals(rows.toString(), read.orderBy("id").collectAsList().toString());
      spark.conf().set("spark.sql.codegen.wholeStage", false);
      assertEquals(rows.toString(), read.orderBy("id").collectAsList().toString());
      // Whoever names a schema may have the struct as it is stored.
      var struct = new VectorUDT().sqlType().sql();
      var stored = spark.read().format("arrow").schema("features " + struct).load(place);
      assertEquals(9, stored.selectExpr("max(features.size)").first().get(0));
      var known =
          read.select(
              col("id").as("id", new MetadataBuilder().putString("comment", "ü").build()),
              col("features").as("features", new MetadataBuilder().putLong("k", 5).build()));
      known.write().format("arrow").save(place + "-known");
      var kept = spark.read().format("arrow").load(place + "-known").schema();
      assertEquals(known.schema().json(), kept.json());
      var inside = place + "-inside";
      var nested = read.selectExpr("id", "array(features) as a", "named_struct('m', m) as s");
      nested.write().format("arrow").save(inside);
      var again = spark.read().format("arrow").schema(nested.schema()).load(inside);
      assertEquals(
          nested.orderBy("id").collectAsList().toString(),
          again.orderBy("id").collectAsList().toString());
    } finally {
      spark.stop();
    }
  }
}
