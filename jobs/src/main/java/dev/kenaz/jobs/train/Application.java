package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K7403;

import dev.kenaz.arrow.AtomicOutput;
import dev.kenaz.arrow.ListColumns;
import dev.kenaz.arrow.ParameterData;
import dev.kenaz.arrow.ReadOptions;
import dev.kenaz.arrow.TableInParts;
import dev.kenaz.error.NearestName;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.config.TrainConfig;
import dev.kenaz.options.Backend;
import dev.kenaz.spark.OpenedData;
import dev.kenaz.spark.sql.TableParts;
import dev.kenaz.spark.sql.TableRows;
import dev.kenaz.value.Value;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * Functions of a model's program, planned over the columns that they take.
 *
 * @param choice what is said besides the configuration
 * @param source where the data is
 */
public record Application(
    SavedModel model,
    List<JobFunction> used,
    Choice choice,
    TableRows.Source source,
    JobEntries entries,
    JobEntries.Planned planned)
    implements AutoCloseable {

  /**
   * What a command says besides the model.
   *
   * @param data where the data is; if it is empty, the data of the training is taken
   * @param copy a folder that executors see, for a copy of rows that Spark reads
   * @param columns for some parameters the columns that they are
   * @param nulls what happens to rows with nulls, if that isn't said by the configuration
   * @param nans what happens to NaNs, likewise
   * @param backend what runs programs, likewise
   */
  public record Choice(
      Optional<TableRows.Source> data,
      Optional<String> copy,
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
    choice.data().ifPresent(d -> TableCopy.require(d, "the command"));
    var backend = choice.backend().orElse(model.config().spark().backend());
    var entries = JobEntries.of(program, program.text().applied(used, expression), backend);
    try {
      var planned = entries.plan(JobText.APPLY, true);
      var folder = Path.of(model.folder().document().folder());
      var source =
          choice
              .data()
              .map(d -> TableCopy.in(Path.of(""), d))
              .orElseGet(() -> TableCopy.in(folder, model.config().data().source()));
      return new Application(model, used, choice, source, entries, planned);
    } catch (RuntimeException e) {
      entries.close();
      throw e;
    }
  }

  /**
   * Opens the data.
   *
   * @param files Arrow files: the source, or a copy of it
   */
  ParameterData open(String files) {
    return open(files, Map.of());
  }

  private ParameterData open(String files, Map<String, TableInParts> tables) {
    var sources = new ArrayList<ParameterData.Source>();
    for (var name : entries.columns()) {
      sources.add(new ParameterData.Source(name, files, names(name)));
    }
    var nulls = drops() ? ReadOptions.Nulls.DROP : ReadOptions.Nulls.ERROR;
    var nans = choice.nans().orElse(model.config().data().nans());
    boolean kept = nans == TrainConfig.Nans.KEEP;
    return ParameterData.open(planned.entry(), sources, tables, List.of(), nulls, kept);
  }

  /**
   * Opens the table that is the data; empty if its rows have to be copied.
   *
   * @param say is told why they have to be, unless the user wants it
   */
  Optional<OpenedData> kept(JavaSparkContext spark, Consumer<String> say) {
    boolean copies = choice.copy().or(() -> model.config().data().copy()).isPresent();
    var reason = reason(copies);
    if (reason.isEmpty()) {
      var kept = TableRows.keep(spark, source, patterns(), source.toString(), drops(), 1);
      if (kept.obstacle().isEmpty()) {
        return Optional.of(opened(kept.parts()));
      }
      reason = Optional.of(kept.obstacle());
    }
    if (!copies) {
      say.accept(copied(source, reason.get()));
    }
    return Optional.empty();
  }

  /** Returns what is said of rows that are copied. */
  static String copied(Object source, String reason) {
    return "the rows of %s are copied: %s".formatted(source, reason);
  }

  /** Opens the columns that executors keep. */
  OpenedData opened(TableParts parts) {
    var tables = Map.of(source.toString(), parts.inParts());
    return new OpenedData(open(source.toString(), tables), List.of(parts));
  }

  /**
   * Returns why rows are copied whatever they are computed from; empty if they need not be.
   *
   * @param named whether the user names a folder for copies
   */
  Optional<String> reason(boolean named) {
    return JobTables.reason(named, patterns(), drops(), planned.entry());
  }

  /** Returns what is said of the columns that the functions need. */
  List<String> patterns() {
    return entries.columns().stream().flatMap(n -> names(n).stream()).distinct().toList();
  }

  private List<String> names(String parameter) {
    var on = choice.columns().get(parameter);
    return on == null ? model.config().data().names(parameter) : on;
  }

  /** Returns the names of all columns of the data that the functions need. */
  List<String> columns() {
    return entries.columns().stream()
        .flatMap(name -> names(name).stream())
        .map(ListColumns::column)
        .distinct()
        .toList();
  }

  /** Returns a place for a copy of the data, which is removed when it is closed. */
  AtomicOutput place(JavaSparkContext spark) {
    var ofTraining = model.config().data().copy();
    boolean named = choice.copy().isPresent();
    var from = Path.of(named ? "" : model.folder().document().folder());
    var reason = "executors can't keep or compute them again";
    var folder =
        TableCopy.place(choice.copy().or(() -> ofTraining), from, Optional.empty(), spark, reason);
    return AtomicOutput.to(folder.resolve("kenaz-rows"), false);
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
