package dev.kenaz.spark.sql;

import dev.kenaz.arrow.VectorFile;
import org.apache.spark.sql.catalyst.expressions.FileSourceGeneratedMetadataStructField$;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat$;
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.vectorized.ColumnVector;

/**
 * The column {@code _metadata.row_index}: the number that a row has in its file, from 0. It is the
 * one of Spark's Parquet source, so a query may read files of both.
 */
final class RowNumbers {
  /** What stands for it among the numbers of a file's columns. */
  static final int COLUMN = -1;

  private RowNumbers() {}

  /** Whether Spark asks for them by this column. A column of a file may have the same name. */
  static boolean are(StructField column) {
    return column.name().equals(ParquetFileFormat$.MODULE$.ROW_INDEX_TEMPORARY_COLUMN_NAME())
        && FileSourceGeneratedMetadataStructField$.MODULE$.isValid(
            column.dataType(), column.metadata());
  }

  static StructField field() {
    return ParquetFileFormat$.MODULE$.ROW_INDEX_FIELD();
  }

  /** Returns the number of the first row of each batch. */
  static long[] firsts(VectorFile file) {
    var firsts = new long[file.batches()];
    for (int b = 1; b < firsts.length; b++) {
      firsts[b] = firsts[b - 1] + file.rows(b - 1);
    }
    return firsts;
  }

  static ColumnVector from(long first, int rows) {
    var numbers = new OnHeapColumnVector(rows, DataTypes.LongType);
    for (int i = 0; i < rows; i++) {
      numbers.putLong(i, first + i);
    }
    return numbers;
  }
}
