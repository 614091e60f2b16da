package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K6110;
import static dev.kenaz.error.ErrorCode.K6111;
import static dev.kenaz.error.ErrorCode.K7402;
import static dev.kenaz.error.ErrorCode.K7403;

import dev.kenaz.arrow.AddedColumns;
import dev.kenaz.arrow.ArrowDataset;
import dev.kenaz.arrow.AtomicOutput;
import dev.kenaz.arrow.BatchRange;
import dev.kenaz.arrow.ParameterData;
import dev.kenaz.arrow.ResultParts;
import dev.kenaz.arrow.RowRange;
import dev.kenaz.distribute.Cuts;
import dev.kenaz.distribute.PlanRunner;
import dev.kenaz.error.Limitation;
import dev.kenaz.error.NearestName;
import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.Structure;
import dev.kenaz.jobs.run.ResultsFolder;
import dev.kenaz.spark.ArrowParts;
import dev.kenaz.spark.ColumnsJob;
import dev.kenaz.spark.OpenedData;
import dev.kenaz.spark.SparkData;
import dev.kenaz.spark.SparkStart;
import dev.kenaz.spark.sql.TableOutput;
import dev.kenaz.spark.sql.TableRows;
import dev.kenaz.spark.sql.WidenedTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * Writes data with what a model predicts for its rows. Executors write the predictions first, as
 * the plan gives them, then the data's record batches with their rows of the predictions.
 *
 * @param names of the columns that are predicted
 */
public record Prediction(Application application, List<String> names) implements AutoCloseable {
  private static final String WHOLE = "prediction";

  private static final String REMEDY = "call what is predicted otherwise: --as NAME=COLUMN";

  /** Where the predictions are until the data is written with them. */
  static final String RESULTS = "results";

  /** Where a copy is of rows that Spark reads, likewise. */
  private static final String ROWS = "rows";

  /** Where the Arrow files are of which Spark makes others, likewise. */
  private static final String ARROW = "arrow";

  /**
   * A piece has at most so many rows, since what is predicted for one may be larger than itself.
   */
  private static final long PIECE_ROWS = 1 << 19;

  /**
   * The rows that the model is applied to.
   *
   * @param files the Arrow files that they are in
   */
  private record Rows(String files, ParameterData data) {}

  /**
   * Where the rows go.
   *
   * @param overwrite whether the folder may be replaced
   * @param format what Spark writes; empty for Arrow files
   */
  public record Place(Path folder, boolean overwrite, Optional<TableOutput> format) {}

  /** What was written. */
  public record Written(long rows, long withoutPrediction, int files, List<String> columns) {}

  /**
   * Plans a prediction.
   *
   * @param renamed other names for columns that are predicted
   * @throws UserError K7402 if the program has no function that predicts, K7403 for names of
   *     columns that aren't predicted
   */
  public static Prediction of(
      SavedModel model, Application.Choice choice, Map<String, String> renamed) {
    var predict = model.function(JobFunction.PREDICT);
    if (predict.names(JobFunction.Kind.COLUMN).isEmpty()) {
      throw new UserError(
          K7402, predict.span(), "predict takes no columns, so there are no rows to predict");
    }
    var application =
        Application.of(model, List.of(predict), "copy (" + predict.call() + ")", choice);
    try {
      var names = names(application.planned().entry().type(), renamed);
      ResultParts.of(application.planned().entry().plan(), Path.of("")); // This finds its faults.
      return new Prediction(application, names);
    } catch (RuntimeException e) {
      application.close();
      throw e;
    }
  }

  private static List<String> names(EntryPoint type, Map<String, String> renamed) {
    var names = new ArrayList<String>();
    var results = type.results();
    for (int i = 0; i < results.size(); i++) {
      for (var c : Structure.components(results.get(i).type())) {
        var path = c.path().replace("[]", "").replaceFirst("^\\.", "");
        boolean isNamed = results.size() == 1 && path.matches("[^0-9#].*");
        var number = results.size() == 1 ? "" : "." + i;
        names.add(isNamed ? path : WHOLE + number + (path.matches("#?") ? "" : ".") + path);
      }
    }
    for (var name : renamed.keySet()) {
      if (!names.contains(name)) {
        throw new UserError(
            K7403,
            "--as names \"" + name + "\", which is not predicted",
            NearestName.hintOrFew(name, names, "predict gives"));
      }
    }
    return names.stream().map(n -> renamed.getOrDefault(n, n)).toList();
  }

  /**
   * Opens the data.
   *
   * @throws UserError K6112 if it has a column with the name of one that is predicted
   */
  private Rows open(String files) {
    AddedColumns.requireNew(files, names, REMEDY);
    return new Rows(files, application.open(files));
  }

  private void requireOneSize() {
    var datasets = application.planned().entry().plan().pieces().datasets();
    if (application.drops() && datasets.size() > 1) {
      throw new Limitation(
          application.model().function(JobFunction.PREDICT).span(),
          "a prediction by columns of several sizes, whose rows with nulls are dropped",
          "give all columns of predict the same size");
    }
  }

  /**
   * Computes and writes. Faults of Arrow files are found before Spark starts.
   *
   * @param partitions how many pieces are computed, if that is said
   * @param master the Spark master, if the configuration isn't to say it
   * @param say takes a line that says why rows are copied
   */
  public Written run(
      Place place, OptionalInt partitions, Optional<String> master, Consumer<String> say) {
    requireOneSize();
    var source = application.source();
    var there = source.isTable() ? Optional.<Rows>empty() : Optional.of(open(source.path().get()));
    try (var output = AtomicOutput.to(place.folder(), overwrite(place, there))) {
      return run(new Task(place, partitions, say, output), master, there);
    } catch (IOException e) {
      throw new UserError(
          K6111,
          "can't write " + place.folder() + ": " + UserPath.reason(place.folder(), e),
          "nothing was left behind");
    }
  }

  /**
   * What a prediction is to do.
   *
   * @param partitions how many pieces are computed, if that is said
   * @param output what becomes the place
   */
  private record Task(
      Place place, OptionalInt partitions, Consumer<String> say, AtomicOutput output) {
    Path path() {
      return output.path();
    }
  }

  private Written run(Task task, Optional<String> master, Optional<Rows> there) throws IOException {
    Files.createDirectory(task.path());
    var spark = application.model().config().spark();
    try (var context =
        SparkStart.open(
            "kenaz predict", master.or(spark::master), spark.backend(), spark.fallback())) {
      task.place().format().ifPresent(f -> f.require(context));
      var written =
          there.isPresent() ? ofFiles(context, task, there.get()) : ofTable(context, task);
      task.output().commit();
      return written;
    }
  }

  private Written ofTable(JavaSparkContext spark, Task task) throws IOException {
    var source = application.source();
    var table = TableRows.open(spark, source, List.of());
    WidenedTable.requireNew(table, names, REMEDY);
    var predicted = new PredictedTable(this, table, task.place().format());
    var opened = predicted.open(application.choice().copy().isPresent());
    if (opened.obstacle().isEmpty()) {
      return predicted.write(spark, opened.table(), task.path(), task.partitions());
    }
    task.say().accept(Application.copied(source, opened.obstacle()));
    try (var copy = copy(spark, task)) {
      TableCopy.write(spark, source, List.of(), copy.path());
      try {
        return ofFiles(spark, task, open(copy.path().toString()));
      } catch (UserError e) {
        throw TableCopy.told(e, copy.path(), source);
      }
    }
  }

  /** Returns a place for a copy of the data, which is removed when it is closed. */
  private AtomicOutput copy(JavaSparkContext spark, Task task) {
    return application.choice().copy().isPresent()
        ? application.place(spark)
        : AtomicOutput.to(task.path().resolve(ROWS), false);
  }

  private Written ofFiles(JavaSparkContext spark, Task task, Rows rows) throws IOException {
    var format = task.place().format();
    var folder = task.path();
    if (format.isPresent()) {
      var check = Files.createDirectory(task.path().resolve(ARROW));
      var file = rows.data().files().getFirst();
      format.get().requireColumns(spark, file, dimensions(), check);
      folder = Files.createDirectories(check);
    }
    var written = write(spark, rows, folder, task.partitions());
    if (format.isPresent()) {
      format.get().write(spark, folder, task.path());
      delete(folder);
    }
    return written;
  }

  /** Returns the columns that are predicted, as columns of a table. */
  List<WidenedTable.Added> added() {
    var added = new ArrayList<WidenedTable.Added>();
    for (var result : application.planned().entry().type().results()) {
      for (var c : Structure.components(result.type())) {
        var name = names.get(added.size());
        int rank = Math.max(0, c.rank() - 1);
        added.add(new WidenedTable.Added(name, c.prim(), rank, application.drops()));
      }
    }
    return added;
  }

  private Map<String, Integer> dimensions() {
    var dimensions = new LinkedHashMap<String, Integer>();
    added().forEach(a -> dimensions.put(a.name(), a.rank()));
    return dimensions;
  }

  /** An empty folder is as good as none; the data itself is never replaced. */
  private boolean overwrite(Place place, Optional<Rows> rows) throws IOException {
    if (Files.isDirectory(place.folder())) {
      var folder = place.folder().toRealPath();
      for (var file : rows.map(r -> r.data().files()).orElse(List.of())) {
        if (file.toRealPath().startsWith(folder)) {
          throw new UserError(
              K6110, "--out " + place.folder() + " holds the data: " + file, "name another folder");
        }
      }
      try (var entries = Files.list(folder)) {
        return place.overwrite() || entries.findAny().isEmpty();
      }
    }
    return place.overwrite();
  }

  /** Returns how many pieces there are, if the usual number isn't enough. */
  private static OptionalInt pieces(OptionalInt wanted, ParameterData data, int cores) {
    var usual = data.pieces(wanted, cores).get(data.first());
    long pieces = Math.ceilDiv(usual.rows(), PIECE_ROWS);
    boolean enough = wanted.isPresent() || usual.pieces() >= pieces;
    return enough ? wanted : OptionalInt.of(Math.toIntExact(pieces));
  }

  /**
   * Lets executors write what is predicted.
   *
   * @param wanted how many pieces are computed, if that is said
   * @param results a folder that isn't there yet
   * @return how many rows the pieces have, before any is left out for nulls
   */
  Cuts compute(JavaSparkContext spark, OpenedData opened, OptionalInt wanted, Path results) {
    var data = opened.columns();
    int cores = Math.max(1, spark.defaultParallelism());
    var partitions = pieces(wanted, data, cores);
    var entry = application.planned().entry();
    var text = application.planned().text();
    try (var kept =
        ResultsFolder.open(entry.plan(), new ResultsFolder.Place(results, false), List.of())) {
      var given =
          JobEntries.explained(
              () -> entry.replicated(data.kept(), data.shapes(), application.arguments()));
      var caller = text.caller(Runtime.getRuntime().availableProcessors());
      try (var engine =
          SparkData.engine(spark, text, opened, partitions, new ArrowParts(kept.parts()))) {
        kept.complete(new PlanRunner(entry.plan(), engine, caller).run(given), _ -> {});
      }
    }
    return data.pieces(partitions, cores).get(data.first());
  }

  private Written write(JavaSparkContext spark, Rows of, Path folder, OptionalInt wanted)
      throws IOException {
    var data = of.data();
    var results = folder.resolve(RESULTS);
    var cuts = compute(spark, OpenedData.ofFiles(data), wanted, results);
    var batches = BatchRange.of(of.files(), cuts);
    var all = Cuts.ofRows(batches.stream().mapToLong(BatchRange::rows).toArray());
    var rows = application.drops() ? data.kept(List.of(all)).getFirst() : all;
    var columns = columns(results, rows.rows());
    var needed = new ArrayList<String>();
    if (application.drops()) {
      data.reading().arrays().forEach(a -> needed.addAll(a.columns()));
    }
    var parts = new ArrayList<ColumnsJob.Part>();
    for (int i = 0; i < batches.size(); i++) {
      var values = new ArrayList<ArrayList<RowRange>>();
      for (var c : columns) {
        var ranges = c.rows(rows.first(i), rows.first(i + 1)).ranges();
        values.add(new ArrayList<>(ranges));
      }
      var file = folder.resolve(String.format(Locale.ROOT, "part-%05d.arrow", i));
      parts.add(new ColumnsJob.Part(batches.get(i), values, file.toAbsolutePath().toString()));
    }
    ColumnsJob.run(spark, new AddedColumns(new ArrayList<>(names), needed), parts);
    delete(results);
    return new Written(all.rows(), all.rows() - rows.rows(), parts.size(), names);
  }

  /** Opens what was predicted: for each column, files that have its rows in order. */
  List<ArrowDataset> columns(Path results, long rows) {
    var columns = new ArrayList<ArrowDataset>();
    for (int i = 0; i < names.size(); i++) {
      var folder = results.resolve(ResultParts.name(i));
      var file = results.resolve(ResultParts.name(i) + ".arrow");
      var column = ArrowDataset.open((Files.isDirectory(folder) ? folder : file).toString());
      if (column.rowCount() != rows) {
        throw new UserError(
            K7402,
            application.model().function(JobFunction.PREDICT).span(),
            "predict gives %,d rows in %s, but the data has %,d"
                .formatted(column.rowCount(), names.get(i), rows),
            "predict gives arrays with a row for each row of the data");
      }
      columns.add(column);
    }
    return columns;
  }

  static void delete(Path folder) throws IOException {
    try (var all = Files.walk(folder)) {
      for (var p : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(p);
      }
    }
  }

  @Override
  public void close() {
    application.close();
  }
}
