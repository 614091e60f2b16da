package dev.kenaz.jobs.command;

import static dev.kenaz.error.ErrorCode.K6117;
import static dev.kenaz.error.ErrorCode.K7006;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import dev.kenaz.arrow.ListColumns;
import dev.kenaz.arrow.ParameterData;
import dev.kenaz.arrow.ReadOptions;
import dev.kenaz.arrow.TableInParts;
import dev.kenaz.error.NearestName;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.train.TableCopy;
import dev.kenaz.pipeline.PiecewiseEntry;
import dev.kenaz.spark.OpenedData;
import dev.kenaz.spark.sql.TableParts;
import dev.kenaz.spark.sql.TableRows;
import dev.kenaz.value.Value;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.spark.api.java.JavaSparkContext;

/** Parameters that are columns of what Spark reads: the place of such data is a JSON object. */
final class TableData {
  private static final JsonMapper JSON = JsonMapper.builder().addModule(new Jdk8Module()).build();

  private TableData() {}

  /** Whether the place of data is such an object. */
  static boolean is(String place) {
    return place.startsWith("{");
  }

  /**
   * Returns what opens data, some of which is tables. Columns of one table are computed together.
   *
   * @param arguments tell the number of rows of a dataset without columns
   * @throws UserError K7006 for an object that names no table, K6117 if rows can't be computed
   *     again, K6114 if Spark can't compute them
   */
  static Function<JavaSparkContext, OpenedData> opener(
      PiecewiseEntry entry,
      List<ParameterData.Source> sources,
      List<Value> arguments,
      ReadOptions.Nulls nulls,
      boolean nans) {
    return spark -> open(spark, entry, sources, arguments, nulls, nans);
  }

  private static OpenedData open(
      JavaSparkContext spark,
      PiecewiseEntry entry,
      List<ParameterData.Source> sources,
      List<Value> arguments,
      ReadOptions.Nulls nulls,
      boolean nans) {
    var columns = new LinkedHashMap<String, List<String>>();
    for (var s : sources) {
      if (is(s.path())) {
        var all = columns.computeIfAbsent(s.path(), _ -> new ArrayList<>());
        all.addAll(s.columns().isEmpty() ? List.of("*") : s.columns());
      }
    }
    var tables = new LinkedHashMap<String, TableInParts>();
    var parts = new ArrayList<TableParts>();
    for (var place : columns.keySet()) {
      var wanted = List.copyOf(new LinkedHashSet<>(columns.get(place)));
      boolean drops = nulls == ReadOptions.Nulls.DROP;
      var name = "table " + (parts.size() + 1) + ", " + source(place);
      parts.add(kept(spark, place, wanted, name, drops));
      tables.put(place, parts.getLast().inParts());
    }
    return new OpenedData(
        ParameterData.open(entry, sources, Map.copyOf(tables), arguments, nulls, nans), parts);
  }

  private static TableParts kept(
      JavaSparkContext spark, String place, List<String> columns, String name, boolean drops) {
    for (var c : columns) {
      if (!ListColumns.column(c).equals(c)) {
        throw new UserError(
            K6117,
            c + " is of lists of different lengths, which a run can take of Arrow files alone",
            "let Spark write Arrow files: df.write().format(\"arrow\").save(PATH)");
      }
    }
    var kept = TableRows.keep(spark, source(place), columns, name, drops, 1);
    if (!kept.obstacle().isEmpty()) {
      throw new UserError(
          K6117,
          name + " can't be computed again with the same rows: " + kept.obstacle(),
          "store its rows first, by CREATE TABLE ... AS SELECT, and name that table");
    }
    return kept.parts();
  }

  private static TableRows.Source source(String place) {
    try {
      var source = JSON.readValue(place, TableRows.Source.class);
      TableCopy.require(source, "--data " + place);
      if (!source.isTable()) {
        throw new UserError(
            K7006, "--data " + place + " names Arrow files", "write their path, without braces");
      }
      return TableCopy.in(Path.of(""), source);
    } catch (UnrecognizedPropertyException e) {
      throw new UserError(
          K7006,
          "--data " + place + ": " + e.getPropertyName() + " is no setting of a table",
          NearestName.hintOrFew(
              e.getPropertyName(),
              e.getKnownPropertyIds().stream().map(String::valueOf).sorted().toList(),
              "the settings are"));
    } catch (JsonProcessingException e) {
      throw new UserError(
          K7006,
          "--data " + place + ": " + e.getOriginalMessage(),
          "write for example {\"table\": \"db.t\"}, {\"sql\": \"SELECT ...\"} or {\"format\":"
              + " \"parquet\", \"path\": \"...\"}");
    }
  }
}
