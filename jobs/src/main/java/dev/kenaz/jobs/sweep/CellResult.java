package dev.kenaz.jobs.sweep;

import static dev.kenaz.error.ErrorCode.K5900;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.kenaz.error.Limitation;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.HiddenText;
import dev.kenaz.jobs.config.Settings;
import dev.kenaz.jobs.train.TrainJob;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/**
 * Says what became of a cell, which is a line of the table. A cell that failed doesn't have all
 * components.
 *
 * @param settings the settings by their paths in the job
 * @param cost the last cost
 * @param costs the costs before each step
 * @param secondsPerIteration the median time of an iteration
 * @param seconds the time of all iterations
 * @param times the seconds of each iteration; absent in tables of earlier versions
 * @param code the code of the fault; "bug" if it is a fault of Kenaz
 * @param folder the folder in that of the sweep; absent if nothing was written
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties({"bug", "done"})
public record CellResult(
    ObjectNode settings,
    Status status,
    Double cost,
    Integer iterations,
    Long rows,
    Double secondsPerIteration,
    Double seconds,
    Double rowsPerSecond,
    List<Double> costs,
    List<Double> times,
    String code,
    String message,
    String folder) {
  private static final String BUG = "bug";

  /** Says how a cell ended. */
  public enum Status {
    @JsonProperty("done")
    DONE,
    @JsonProperty("failed")
    FAILED
  }

  static CellResult done(Cell cell, TrainJob.Result result) {
    var sorted = result.seconds().stream().sorted().toList();
    double median = sorted.get(sorted.size() / 2);
    return new CellResult(
        cell.settings(),
        Status.DONE,
        result.losses().isEmpty() ? null : result.losses().getLast(),
        result.iterations(),
        result.rows(),
        median,
        sorted.stream().mapToDouble(s -> s).sum(),
        result.rows() / median,
        result.losses(),
        result.seconds(),
        null,
        null,
        cell.name());
  }

  static CellResult failed(Cell cell, Throwable failure, boolean folderExists) {
    return switch (failure) {
      case UserError e -> {
        var first = e.diagnostics().getFirst();
        yield failed(cell, first.code().name(), first.message(), folderExists);
      }
      case Limitation e ->
          failed(cell, e.diagnostic().code().name(), e.diagnostic().message(), folderExists);
      case OutOfMemoryError e ->
          failed(cell, K5900.name(), "out of memory: " + e.getMessage(), folderExists);
      default -> failed(cell, BUG, failure.toString(), folderExists);
    };
  }

  private static CellResult failed(Cell cell, String code, String message, boolean folderExists) {
    return new CellResult(
        cell.settings(),
        Status.FAILED,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        code,
        HiddenText.without(message),
        folderExists ? cell.name() : null);
  }

  /** Whether it failed because of a fault of Kenaz. */
  public boolean isBug() {
    return BUG.equals(code);
  }

  /** Whether it has a model. */
  public boolean isDone() {
    return status == Status.DONE;
  }

  /** Returns the value of each setting, as tables call it, by the last part of the path. */
  SequencedMap<String, String> axes() {
    var axes = new LinkedHashMap<String, String>();
    settings
        .properties()
        .forEach(
            s ->
                axes.put(
                    s.getKey().substring(s.getKey().lastIndexOf('.') + 1),
                    Settings.shown(s.getValue())));
    return axes;
  }
}
