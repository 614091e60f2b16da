package dev.kenaz.connect;

import static dev.kenaz.error.ErrorCode.K6115;
import static java.util.stream.Collectors.joining;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.train.ModelFunctions;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.spark.sql.KenazFunctions;
import dev.kenaz.spark.sql.KenazFunctions.Kind;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;

/**
 * A command that makes a function of SQL.
 *
 * @param register what it is a function of: {@code row}, {@code aggregate}, {@code gradient},
 *     {@code table}, or {@code model}
 * @param name what it is called in SQL
 * @param program the text of the program, or null
 * @param file a file with the program, where the driver runs, or null; for a model its folder
 * @param entry the entry point; none for a model
 * @param first the first arguments, which are the same for all rows: numbers, truth values, and
 *     lists of these
 */
public record FunctionCommand(
    String register, String name, String program, String file, String entry, List<JsonNode> first) {
  private static final String MODEL = "model";

  private static final ObjectMapper JSON =
      new ObjectMapper().enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

  /**
   * Makes the function that a command of JSON describes.
   *
   * @throws UserError K6115 if it isn't one; else as {@link KenazFunctions} does
   */
  public static void run(SparkSession session, String json) {
    read(json).run(session);
  }

  /**
   * Reads a command.
   *
   * @throws UserError K6115 if it isn't one
   */
  static FunctionCommand read(String json) {
    try {
      var command = JSON.readValue(json, FunctionCommand.class);
      boolean model = MODEL.equals(command.register);
      if (Stream.of(command.register, command.name).anyMatch(Objects::isNull)
          || command.program == null == (command.file == null)
          || model == (command.entry != null)
          || model && command.file == null) {
        throw new UserError(
            K6115,
            "the command lacks a part, or has one too many: " + json,
            "it has register, name, entry, and either program or file; that of a model has"
                + " register, name and file");
      }
      return command;
    } catch (JsonProcessingException e) {
      throw new UserError(
          K6115, "the command isn't one of Kenaz: " + e.getOriginalMessage(), "use kenaz.py");
    }
  }

  /**
   * Makes the function in a session.
   *
   * @throws UserError as {@link KenazFunctions} does
   */
  private void run(SparkSession session) {
    if (register.equals(MODEL)) {
      ModelFunctions.register(session, name, Path.of(file));
      return;
    }
    var kind = Stream.of(Kind.values()).filter(k -> kind(k).equals(register)).findFirst();
    if (kind.isEmpty()) {
      var kinds = Stream.of(Kind.values()).map(FunctionCommand::kind).collect(joining(", "));
      throw new UserError(
          K6115,
          "no function can be registered as \"" + register + "\"",
          "possible are " + kinds + ", and " + MODEL);
    }
    var source =
        file == null ? ProgramSource.of(name + ".fut", program) : ProgramSource.read(Path.of(file));
    var values = first == null ? List.<JsonNode>of() : first;
    KenazFunctions.register(
        session,
        kind.get(),
        name,
        source,
        entry,
        values.stream().map(FunctionCommand::value).toList());
  }

  private static String kind(Kind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  /** Returns a value as Java has it. Lists are of floats, of integers, or of truth values. */
  private static Serializable value(JsonNode node) {
    if (node.isArray()) {
      var elements = node.valueStream().map(FunctionCommand::value).toList();
      boolean floats = elements.stream().anyMatch(Double.class::isInstance);
      return floats || elements.isEmpty()
          ? elements.stream().mapToDouble(FunctionCommand::number).toArray()
          : array(elements, node);
    }
    if (node.isBoolean()) {
      return node.booleanValue();
    }
    if (node.isIntegralNumber() && node.canConvertToLong()) {
      return node.longValue();
    }
    if (node.isNumber()) {
      return node.doubleValue();
    }
    throw unknown(node);
  }

  private static double number(Serializable element) {
    if (element instanceof Number n) {
      return n.doubleValue();
    }
    throw new UserError(K6115, "a list of arguments has numbers and something else");
  }

  private static Serializable array(List<Serializable> elements, JsonNode node) {
    return switch (elements.getFirst()) {
      case Long _ when elements.stream().allMatch(Long.class::isInstance) ->
          elements.stream().mapToLong(e -> (Long) e).toArray();
      case Boolean _ when elements.stream().allMatch(Boolean.class::isInstance) -> {
        var all = new boolean[elements.size()];
        for (int i = 0; i < all.length; i++) {
          all[i] = (Boolean) elements.get(i);
        }
        yield all;
      }
      case double[] _ when elements.stream().allMatch(double[].class::isInstance) ->
          elements.toArray(double[][]::new);
      case long[] _ when elements.stream().allMatch(long[].class::isInstance) ->
          elements.toArray(long[][]::new);
      default -> throw unknown(node);
    };
  }

  private static UserError unknown(JsonNode node) {
    return new UserError(
        K6115,
        "not an argument of a function: " + node,
        "possible are numbers, truth values, and lists and matrices of one kind of these");
  }
}
