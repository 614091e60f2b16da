package dev.kenaz.jobs.train;

import dev.kenaz.arrow.RowRange;
import dev.kenaz.distribute.Cuts;
import dev.kenaz.spark.sql.TableOutput;
import dev.kenaz.spark.sql.WidenedTable;
import dev.kenaz.value.Prim;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/**
 * A table of Spark that is written with what a model predicts for its rows. Nothing but the
 * predictions is stored before that.
 *
 * @param format what Spark writes; empty for Arrow files
 */
record PredictedTable(Prediction prediction, Dataset<Row> table, Optional<TableOutput> format) {
  /** Where columns of a format are tried. */
  private static final String CHECK = "check";

  /**
   * Lets executors keep the columns that are needed, unless rows have to be copied.
   *
   * @param copies whether the user wants that
   */
  WidenedTable.Opened open(boolean copies) {
    var application = prediction.application();
    var reason = application.reason(copies).or(this::ofTypes);
    if (reason.isPresent()) {
      return new WidenedTable.Opened(null, reason.get());
    }
    var source = application.source();
    return WidenedTable.of(
        table, source, application.patterns(), source.toString(), application.drops());
  }

  /** Returns which predictions can't be columns of Spark that become columns of Arrow. */
  private Optional<String> ofTypes() {
    if (format.isPresent()) {
      return Optional.empty();
    }
    for (var column : prediction.added()) {
      if (!isSparks(column.prim())) {
        return Optional.of(
            "Spark has no type for %s, which is %s".formatted(column.name(), column.prim()));
      }
      if (column.rank() > 0 && column.hasNulls()) {
        return Optional.of(column.name() + " has lists, and is null in rows with nulls");
      }
    }
    return Optional.empty();
  }

  /** Whether what Spark writes of such numbers is the same that Kenaz would write. */
  private static boolean isSparks(Prim prim) {
    return switch (prim) {
      case BOOL, I8, I16, I32, I64, F32, F64 -> true;
      case U8, U16, U32, U64, F16 -> false;
    };
  }

  /**
   * Computes the predictions and writes all.
   *
   * @param folder holds nothing but the output afterwards
   * @param partitions how many pieces are computed, if that is said
   */
  Prediction.Written write(
      JavaSparkContext spark, WidenedTable rows, Path folder, OptionalInt partitions)
      throws IOException {
    var output = format.orElse(TableOutput.ARROW);
    var added = prediction.added();
    rows.require(output, added, Files.createDirectory(folder.resolve(CHECK)));
    var results = folder.resolve(Prediction.RESULTS);
    prediction.compute(spark, prediction.application().opened(rows.parts()), partitions, results);
    var counts = rows.rows();
    // A query without any row may have no partition.
    var parts = counts.length == 0 ? Cuts.even(0, 1) : Cuts.ofRows(counts);
    var columns = prediction.columns(results, parts.rows());
    var values = new ArrayList<List<List<RowRange>>>();
    for (int i = 0; i < counts.length; i++) {
      var ofPart = new ArrayList<List<RowRange>>();
      for (var column : columns) {
        ofPart.add(column.rows(parts.first(i), parts.first(i + 1)).ranges());
      }
      values.add(ofPart);
    }
    var infos = columns.stream().map(c -> c.columns().getFirst()).toList();
    var widths = infos.stream().map(c -> c.list() ? c.width() : 0).toList();
    rows.write(output, added, values, widths, folder);
    Prediction.delete(results);
    long all = rows.allRows();
    return new Prediction.Written(all, all - parts.rows(), files(folder), prediction.names());
  }

  private static int files(Path folder) throws IOException {
    try (var all = Files.list(folder)) {
      return (int) all.count();
    }
  }
}
