package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K6101;
import static dev.kenaz.error.ErrorCode.K7403;

import dev.kenaz.arrow.ParameterData;
import dev.kenaz.arrow.ReadOptions;
import dev.kenaz.error.NearestName;
import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.jobs.config.TrainConfig;
import dev.kenaz.options.Backend;
import dev.kenaz.value.Value;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Functions of a model's program, planned over the columns that they take.
 *
 * @param choice what is said besides the configuration
 * @param data the path of the data
 */
public record Application(
    SavedModel model,
    List<JobFunction> used,
    Choice choice,
    String data,
    JobEntries entries,
    JobEntries.Planned planned)
    implements AutoCloseable {

  /**
   * What a command says besides the model.
   *
   * @param data the path of the data; if it is empty, the data of the training is taken
   * @param columns for some parameters the columns that they are
   * @param nulls what happens to rows with nulls, if that isn't said by the configuration
   * @param nans what happens to NaNs, likewise
   * @param backend what runs programs, likewise
   */
  public record Choice(
      Optional<String> data,
      Map<String, List<String>> columns,
      Optional<TrainConfig.Nulls> nulls,
      Optional<TrainConfig.Nans> nans,
      Optional<Backend> backend) {}

  /**
   * Plans an expression.
   *
   * @param used the functions that it calls
   * @throws UserError K7403 for names of columns that no function takes
   * @throws dev.kenaz.error.Limitation K8001 if it can't be computed in pieces
   */
  static Application of(
      SavedModel model, List<JobFunction> used, String expression, Choice choice) {
    var program = model.program().over(used);
    for (var name : choice.columns().keySet()) {
      if (!program.columns().contains(name)) {
        throw new UserError(
            K7403,
            "--on names \"%s\", which is no parameter that is data".formatted(name),
            NearestName.hintOrFew(name, program.columns(), "there are"));
      }
    }
    var backend = choice.backend().orElse(model.config().spark().backend());
    var entries = JobEntries.of(program, program.text().applied(used, expression), backend);
    try {
      var planned = entries.plan(JobText.APPLY, true);
      var folder = Path.of(model.folder().document().folder());
      var data = choice.data().orElseGet(() -> trained(model.config().data(), folder));
      return new Application(model, used, choice, data, entries, planned);
    } catch (RuntimeException e) {
      entries.close();
      throw e;
    }
  }

  /** Returns the files that the model was trained on. */
  private static String trained(TrainConfig.Data data, Path folder) {
    if (data.isTable()) {
      throw new UserError(
          K6101,
          "the model was trained on rows of Spark, of which there is no copy",
          "name Arrow files; write them by Spark's format arrow");
    }
    return UserPath.in(folder, data.path().orElseThrow(), K6101).toString();
  }

  /** Opens the data. */
  ParameterData open() {
    var config = model.config().data();
    var sources = new ArrayList<ParameterData.Source>();
    for (var name : entries.columns()) {
      var on = choice.columns().get(name);
      var names = on == null ? config.names(name) : on;
      sources.add(new ParameterData.Source(name, data, names));
    }
    var nulls = drops() ? ReadOptions.Nulls.DROP : ReadOptions.Nulls.ERROR;
    boolean nans = choice.nans().orElse(config.nans()) == TrainConfig.Nans.KEEP;
    return ParameterData.open(planned.entry(), sources, List.of(), nulls, nans);
  }

  /** Whether rows with nulls are left out. */
  boolean drops() {
    return choice.nulls().orElse(model.config().data().nulls()) == TrainConfig.Nulls.DROP;
  }

  /** Returns the arguments that aren't data. */
  List<Value> arguments() {
    var arguments = new ArrayList<>(model.model());
    var values = model.hyperparameters();
    JobText.hyperparameters(used).forEach(name -> arguments.add(values.get(name)));
    return arguments;
  }

  @Override
  public void close() {
    entries.close();
  }
}
