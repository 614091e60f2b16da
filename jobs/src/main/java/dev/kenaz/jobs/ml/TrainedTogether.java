package dev.kenaz.jobs.ml;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.config.Settings;
import dev.kenaz.jobs.train.DatasetRows;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeSet;

/**
 * Several trainings over the same rows. Those that differ as the combinations of a grid do are one
 * job, whose models pass over the rows together; others follow each other.
 */
final class TrainedTogether {
  /** As many models as a job may have. */
  private static final int MOST = 1000;

  /** The settings of which models of a job may have different ones. */
  private static final List<String> VARIED =
      List.of("iterations", "passes", "tolerance", "init.rows", "batch.rows");

  private static final String OPTIMISER = "optimiser";
  private static final String PARAMETERS = "parameters";

  private TrainedTogether() {}

  /** Returns the folders of the models. */
  static List<Path> train(DatasetRows rows, List<DatasetTraining> trainings) {
    var alike = new LinkedHashMap<DatasetTraining, LinkedHashSet<DatasetTraining>>();
    for (var t : trainings) {
      alike.computeIfAbsent(shared(t), _ -> new LinkedHashSet<>()).add(t);
    }
    var trained = new HashMap<DatasetTraining, Path>();
    for (var some : alike.values()) {
      var grid = grid(List.copyOf(some));
      if (grid.isPresent() && some.iterator().next().canHaveModels()) {
        trained.putAll(together(rows, some.iterator().next(), grid.get()));
      }
      for (var t : some) {
        trained.computeIfAbsent(t, _ -> t.train(rows));
      }
    }
    return trainings.stream().map(trained::get).toList();
  }

  /** Returns what models of one job have in common. */
  private static DatasetTraining shared(DatasetTraining training) {
    var removed = new ArrayList<Settings.Setting>();
    for (var path : VARIED) {
      if (!at(training, path).isMissingNode()) {
        removed.add(new Settings.Setting(List.of(path.split("\\.")), NullNode.getInstance()));
      }
    }
    var job = ((ObjectNode) Settings.set(training.job(), removed)).deepCopy();
    job.remove(OPTIMISER);
    job.remove(PARAMETERS);
    return new DatasetTraining(job, training.folder());
  }

  private static JsonNode at(DatasetTraining training, String path) {
    return training.job().at("/" + path.replace('.', '/'));
  }

  /** Returns the grid whose combinations some different trainings are. */
  private static Optional<SequencedMap<String, List<JsonNode>>> grid(List<DatasetTraining> all) {
    var paths = new ArrayList<>(VARIED);
    paths.addAll(names(PARAMETERS, all));
    boolean sameOptions =
        all.stream().map(t -> names(OPTIMISER, List.of(t))).distinct().count() == 1;
    if (sameOptions) {
      paths.addAll(names(OPTIMISER, all));
    } else {
      paths.add(OPTIMISER);
    }
    var grid = new LinkedHashMap<String, List<JsonNode>>();
    for (var path : paths) {
      var values = all.stream().map(t -> at(t, path)).distinct().toList();
      if (values.size() > 1) {
        grid.put(path, values);
      }
    }
    // All trainings differ, and in these settings alone: if there are as many as combinations, they
    // are the combinations.
    long count = grid.values().stream().mapToLong(List::size).reduce(1, Math::multiplyExact);
    boolean known = grid.values().stream().flatMap(List::stream).noneMatch(JsonNode::isMissingNode);
    boolean whole = known && count == all.size() && count > 1 && count <= MOST;
    return whole ? Optional.of(grid) : Optional.empty();
  }

  private static TreeSet<String> names(String part, List<DatasetTraining> all) {
    var names = new TreeSet<String>();
    for (var t : all) {
      t.job().path(part).fieldNames().forEachRemaining(n -> names.add(part + "." + n));
    }
    return names;
  }

  private static Map<DatasetTraining, Path> together(
      DatasetRows rows, DatasetTraining first, SequencedMap<String, List<JsonNode>> grid) {
    var job = first.job().deepCopy();
    var written = job.putObject("models").putObject("grid");
    grid.forEach((path, values) -> written.putArray(path).addAll(values));
    var folder = new DatasetTraining(job, first.folder()).train(rows);
    var trained = new HashMap<DatasetTraining, Path>();
    int i = 0;
    for (var settings : Settings.combinations(grid)) {
      var at = folder.resolve("model-" + ++i);
      if (!Files.exists(at)) {
        throw new UserError(
            ErrorCode.K7301,
            "the training of one of the models has failed: that with "
                + Settings.title(settings, _ -> true),
            "leave it out, or train it alone to see why");
      }
      var its = (ObjectNode) Settings.set(first.job(), Settings.all(settings));
      trained.put(new DatasetTraining(its, first.folder()), at);
    }
    return trained;
  }
}
