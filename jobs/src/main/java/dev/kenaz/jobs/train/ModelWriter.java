package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K7102;

import com.fasterxml.jackson.databind.JsonNode;
import dev.kenaz.arrow.ArrowOutput;
import dev.kenaz.error.UserError;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Writes a trained model: its centres as Arrow and JSON, and the cost curve as a picture.
 *
 * @param columns the names of the columns
 * @param config the configuration, as it was given
 */
public record ModelWriter(OutputFolder output, List<String> columns, int k, JsonNode config) {

  /** The contents of model.json. */
  record Document(
      List<String> columns,
      List<double[]> centres,
      double cost,
      int iterations,
      long rows,
      List<Double> costs,
      List<Double> seconds,
      JsonNode config) {
    boolean isWhole() {
      return centres != null
          && centres.stream().allMatch(Objects::nonNull)
          && Stream.of(costs, seconds).allMatch(l -> l != null && !l.contains(null))
          && config != null;
    }

    /** Returns how the training ended, without what only a continuation would need. */
    TrainState state() {
      var parameters = centres.stream().flatMapToDouble(Arrays::stream).toArray();
      return new TrainState(iterations, parameters, costs, seconds, Optimiser.Memory.NONE);
    }
  }

  /**
   * Writes all three files. The JSON is the last one, as it marks a finished training.
   *
   * @return lines that say where they are
   */
  public List<String> write(TrainState state, long rows, Prim type) {
    int width = state.parameters().length / k;
    var centres =
        IntStream.range(0, k)
            .mapToObj(c -> Arrays.copyOfRange(state.parameters(), c * width, (c + 1) * width))
            .toList();
    var names = columnNames(width);
    var table = new LinkedHashMap<String, ArrayValue>();
    for (int j = 0; j < width; j++) {
      int column = j;
      var numbers = centres.stream().mapToDouble(c -> c[column]).toArray();
      table.put(names.get(j), ArrayValue.ofDoubles(type, numbers, numbers.length));
    }
    try {
      ArrowOutput.write(output.path().resolve(OutputFolder.MODEL_ARROW), table, true);
    } catch (UserError e) {
      throw new UserError(K7102, e.diagnostics().getFirst().message(), output.kept());
    }
    var lines = new java.util.ArrayList<String>();
    lines.add("model    " + output.path().resolve(OutputFolder.MODEL_ARROW));
    lines.add("         " + output.path().resolve(OutputFolder.MODEL_JSON));
    lines.add(picture(state.costs()));
    output.writeJson(
        OutputFolder.MODEL_JSON,
        new Document(
            names,
            centres,
            state.costs().getLast(),
            state.iteration(),
            rows,
            state.costs(),
            state.seconds(),
            config));
    return lines;
  }

  /**
   * Writes the picture. A machine without fonts can't draw text; that is no error, as the model is
   * worth more than its picture.
   */
  private String picture(List<Double> costs) {
    try {
      output.write(OutputFolder.PICTURE, out -> CostPicture.write("cost by iteration", costs, out));
      return "picture  " + output.path().resolve(OutputFolder.PICTURE);
    } catch (LinkageError | InternalError | NullPointerException e) {
      return "picture  none: Java can't draw here (" + e + "); are fonts installed?";
    }
  }

  /**
   * Returns the names of columns. A single column of lists gives a name with a number for each
   * element.
   */
  private List<String> columnNames(int width) {
    return columns.size() == width
        ? columns
        : IntStream.range(0, width).mapToObj(i -> String.join("_", columns) + "_" + i).toList();
  }
}
