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
import dev.kenaz.spark.SparkData;
import dev.kenaz.spark.SparkStart;
import dev.kenaz.spark.sql.TableOutput;
import dev.kenaz.spark.sql.TableRows;
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
import org.apache.spark.api.java.JavaSparkContext;

/**
 * Writes data with what a model predicts for its rows. Executors write the predictions first, as
 * the plan gives them, then the data's record batches with their rows of the predictions.
 *
 * @param names of the columns that are predicted
 */
public record Prediction(Application application, List<String> names) implements AutoCloseable {
  private static final String WHOLE = "prediction";

  /** Where the predictions are until the data is written with them. */
  private static final String RESULTS = "results";

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
    AddedColumns.requireNew(files, names, "call what is predicted otherwise: --as NAME=COLUMN");
    var data = application.open(files);
    if (application.drops() && data.kept().size() > 1) {
      throw new Limitation(
          application.model().function(JobFunction.PREDICT).span(),
          "a prediction by columns of several sizes, whose rows with nulls are dropped",
          "give all columns of predict the same size");
    }
    return new Rows(files, data);
  }

  /**
   * Computes and writes. Faults of Arrow files are found before Spark starts.
   *
   * @param partitions how many pieces are computed, if that is said
   * @param master the Spark master, if the configuration isn't to say it
   */
  public Written run(Place place, OptionalInt partitions, Optional<String> master) {
    var source = application.source();
    var there = source.isTable() ? Optional.<Rows>empty() : Optional.of(open(source.path().get()));
    try (var output = AtomicOutput.to(place.folder(), overwrite(place, there))) {
      return run(place, partitions, master, there, output);
    } catch (IOException e) {
      throw new UserError(
          K6111,
          "can't write " + place.folder() + ": " + UserPath.reason(place.folder(), e),
          "nothing was left behind");
    }
  }

  private Written run(
      Place place,
      OptionalInt partitions,
      Optional<String> master,
      Optional<Rows> there,
      AtomicOutput output)
      throws IOException {
    try {
      Files.createDirectory(output.path());
      var spark = application.model().config().spark();
      try (var context =
          SparkStart.open("kenaz predict", master.or(spark::master), spark.backend())) {
        place.format().ifPresent(f -> f.require(context));
        var rows = there.isPresent() ? there.get() : copied(context, output.path().resolve(ROWS));
        if (place.format().isPresent()) {
          var check = Files.createDirectory(output.path().resolve(ARROW));
          var file = rows.data().files().getFirst();
          place.format().get().requireColumns(context, file, added(), check);
        }
        var folder = place.format().isEmpty() ? output.path() : output.path().resolve(ARROW);
        Files.createDirectories(folder);
        var written = write(context, rows, folder, partitions);
        if (there.isEmpty()) {
          delete(output.path().resolve(ROWS));
        }
        if (place.format().isPresent()) {
          place.format().get().write(context, folder, output.path());
          delete(folder);
        }
        output.commit();
        return written;
      }
    } catch (UserError e) {
      throw there.isPresent()
          ? e
          : TableCopy.told(e, output.path().resolve(ROWS), application.source());
    }
  }

  /** Returns the columns that are predicted, each with the number of dimensions of its rows. */
  private Map<String, Integer> added() {
    var added = new LinkedHashMap<String, Integer>();
    for (var result : application.planned().entry().type().results()) {
      for (var c : Structure.components(result.type())) {
        added.put(names.get(added.size()), c.rank() - 1);
      }
    }
    return added;
  }

  /** Copies all columns of rows that Spark reads; what is wrong with them is found before. */
  private Rows copied(JavaSparkContext spark, Path folder) {
    TableRows.open(spark, application.source(), application.columns());
    TableCopy.write(spark, application.source(), List.of(), folder);
    return open(folder.toString());
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

  private Written write(JavaSparkContext spark, Rows of, Path folder, OptionalInt wanted)
      throws IOException {
    var data = of.data();
    int cores = Math.max(1, spark.defaultParallelism());
    var partitions = pieces(wanted, data, cores);
    var entry = application.planned().entry();
    var text = application.planned().text();
    var results = folder.resolve(RESULTS);
    try (var kept =
        ResultsFolder.open(entry.plan(), new ResultsFolder.Place(results, false), List.of())) {
      var given =
          JobEntries.explained(
              () -> entry.replicated(data.kept(), data.shapes(), application.arguments()));
      var caller = text.caller(Runtime.getRuntime().availableProcessors());
      try (var engine =
          SparkData.engine(spark, text, data, partitions, new ArrowParts(kept.parts()))) {
        kept.complete(new PlanRunner(entry.plan(), engine, caller).run(given), _ -> {});
      }
    }
    var cuts = data.pieces(partitions, cores).get(data.first());
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
  private List<ArrowDataset> columns(Path results, long rows) {
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

  private static void delete(Path folder) throws IOException {
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
