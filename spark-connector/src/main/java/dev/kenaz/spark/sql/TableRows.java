package dev.kenaz.spark.sql;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.max;
import static org.apache.spark.sql.functions.min;
import static org.apache.spark.sql.functions.size;

import dev.kenaz.spark.JobTitle;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.types.ArrayType;

/**
 * The rows of a table of Spark as Arrow files, which Kenaz reads many times. An array column whose
 * arrays all have one size becomes a column of fixed-size lists, and so a matrix; MLlib's vectors
 * become arrays first.
 */
public final class TableRows {
  private TableRows() {}

  /**
   * Writes rows into a folder, in the order in which the table has them.
   *
   * @param folder has the same path for all executors; what is there is replaced
   * @param why what the job does, for Spark's pages
   */
  public static void write(Dataset<Row> table, Path folder, String why) {
    JobTitle.during(
        table.sparkSession().sparkContext(),
        why,
        () -> {
          var plain = PlainTables.of(table);
          plain
              .write()
              .format("arrow")
              .option("lists", String.join(",", sizes(plain)))
              .mode(SaveMode.Overwrite)
              .save(folder.toUri().toString());
          return null;
        });
  }

  /** Returns for each column of arrays of one size its name and that size. */
  private static List<String> sizes(Dataset<Row> table) {
    var names = new ArrayList<String>();
    var asked = new ArrayList<Column>();
    for (var field : table.schema().fields()) {
      if (field.dataType() instanceof ArrayType) {
        var size = size(quoted(field.name()));
        names.add(field.name());
        asked.addAll(List.of(min(size), max(size), count(quoted(field.name()))));
      }
    }
    if (asked.isEmpty()) {
      return List.of();
    }
    var found = table.agg(count(lit(1)), asked.toArray(Column[]::new)).first();
    var sizes = new ArrayList<String>();
    for (int i = 0; i < names.size(); i++) {
      int at = 1 + 3 * i;
      boolean whole = found.getLong(0) > 0 && found.getLong(at + 2) == found.getLong(0);
      if (whole && found.getInt(at) == found.getInt(at + 1) && found.getInt(at) > 0) {
        sizes.add(names.get(i) + "=" + found.getInt(at));
      }
    }
    return sizes;
  }

  private static Column quoted(String name) {
    return col("`" + name.replace("`", "``") + "`");
  }
}
