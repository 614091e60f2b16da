package dev.kenaz.jobs.ml;

import dev.kenaz.jobs.train.DatasetRows;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * What an estimator is about to do: to keep rows, to train, and to make a model of what was found.
 * Several of an estimator share what they can.
 *
 * @param <K> what must be known of the rows before the training begins
 * @param <M> the model
 * @param key those with the same key train over the same rows
 * @param rows what is trained on
 * @param untrained the model, where no training is needed to find it
 * @param training the training over these rows
 * @param model what becomes of the folder that the training has written
 */
public record Fitting<K, M>(
    Object key,
    Supplier<Rows<K>> rows,
    Function<Rows<K>, Optional<M>> untrained,
    Function<K, DatasetTraining> training,
    BiFunction<K, Path, M> model) {

  /** What always trains. */
  public Fitting(
      Object key,
      Supplier<Rows<K>> rows,
      Function<K, DatasetTraining> training,
      BiFunction<K, Path, M> model) {
    this(key, rows, _ -> Optional.empty(), training, model);
  }

  /**
   * The rows of a training.
   *
   * @param columns all of them are taken
   * @param known of them before the training begins
   */
  public record Rows<K>(Dataset<Row> columns, K known) {
    /** Returns rows of which nothing must be known. */
    public static Rows<Boolean> of(Dataset<Row> columns) {
      return new Rows<>(columns, true);
    }
  }

  /** Trains a model for each of some combinations of parameters. */
  public static <K, M> Seq<M> all(Seq<ParamMap> maps, Function<ParamMap, Fitting<K, M>> fitting) {
    var models = all(CollectionConverters.asJava(maps).stream().map(fitting).toList());
    return CollectionConverters.asScala(models).toSeq();
  }

  /** Trains the model. */
  public M fit() {
    return all(List.of(this)).getFirst();
  }

  /**
   * Trains the models of several. Rows are read once for each key, and passed over together as far
   * as a job of several models can.
   */
  public static <K, M> List<M> all(List<Fitting<K, M>> fittings) {
    var byRows = new LinkedHashMap<Object, List<Integer>>();
    for (int i = 0; i < fittings.size(); i++) {
      byRows.computeIfAbsent(fittings.get(i).key, _ -> new ArrayList<>()).add(i);
    }
    var models = new LinkedHashMap<Integer, M>();
    for (var which : byRows.values()) {
      var rows = fittings.get(which.getFirst()).rows.get();
      var trained = new ArrayList<Integer>();
      for (int i : which) {
        var known = fittings.get(i).untrained.apply(rows);
        known.ifPresentOrElse(m -> models.put(i, m), () -> trained.add(i));
      }
      if (!trained.isEmpty()) {
        train(fittings, trained, rows, models);
      }
    }
    var all = new ArrayList<M>();
    for (int i = 0; i < fittings.size(); i++) {
      all.add(models.get(i));
    }
    return all;
  }

  private static <K, M> void train(
      List<Fitting<K, M>> fittings, List<Integer> which, Rows<K> rows, Map<Integer, M> models) {
    var trainings = which.stream().map(i -> fittings.get(i).training.apply(rows.known())).toList();
    try (var all = new DatasetRows(rows.columns())) {
      var folders = TrainedTogether.train(all, trainings);
      for (int i = 0; i < folders.size(); i++) {
        var f = fittings.get(which.get(i));
        models.put(which.get(i), f.model.apply(rows.known(), folders.get(i)));
      }
    }
  }
}
