package dev.kenaz.jobs.measure;

import static dev.kenaz.error.ErrorCode.K7006;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.tools.repl.Session;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import java.io.Serializable;

/**
 * How much a call computes and moves.
 *
 * @param operations how many operations on scalars; absent if they couldn't be counted
 * @param bytes how many bytes must be moved at least; absent if that isn't known
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record CellWork(Double operations, Double bytes) implements Serializable {
  static final String OPERATIONS = "operations";
  static final String BYTES = "bytes";

  /** The setting that has the operations counted. */
  static final String COUNT = "count";

  /** Whether it says where a cell lies in a roofline picture. */
  boolean isWhole() {
    return operations != null && bytes != null && bytes > 0 && operations > 0;
  }

  /** Operations for each byte. */
  double intensity() {
    return operations / bytes;
  }

  /** Whether the settings ask for a roofline picture. */
  static boolean isWanted(ObjectNode settings) {
    return settings.has(OPERATIONS);
  }

  static boolean isCounted(ObjectNode settings) {
    return settings.path(OPERATIONS).asText().equals(COUNT);
  }

  /**
   * Returns what the settings say; what isn't in them is that of {@code counted}.
   *
   * @throws UserError K7006 if an expression is no number
   */
  static CellWork of(ObjectNode settings, CellWork counted) {
    var operations =
        isCounted(settings) ? counted.operations() : Double.valueOf(number(settings, OPERATIONS));
    return new CellWork(
        operations,
        settings.has(BYTES) ? Double.valueOf(number(settings, BYTES)) : counted.bytes());
  }

  private static double number(ObjectNode settings, String name) {
    var text = settings.path(name).asText();
    try {
      // Whole numbers are f64 too here, since products of sizes may be large.
      var expression = text.replaceAll("(?<![\\w.])(\\d+)(?![\\w.])", "$1f64");
      var session = new Session(CompileOptions.of(Backend.INTERPRET));
      return Double.parseDouble(session.evaluate("(" + expression + ") : f64").replace("f64", ""));
    } catch (UserError | NumberFormatException _) {
      throw new UserError(
          K7006,
          "\"" + name + "\" is " + text + ", which is not a number",
          "write a number, an expression such as 2 * $n * $k, or, for operations, \"count\"");
    }
  }
}
