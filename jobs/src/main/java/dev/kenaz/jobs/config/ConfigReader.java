package dev.kenaz.jobs.config;

import static dev.kenaz.error.ErrorCode.K7001;
import static dev.kenaz.error.ErrorCode.K7002;
import static dev.kenaz.error.ErrorCode.K7004;
import static dev.kenaz.error.ErrorCode.K7006;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.PathType;
import com.networknt.schema.SchemaValidatorsConfig;
import com.networknt.schema.SpecVersion;
import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** Reads a configuration, or throws an error that lists all its faults. */
public final class ConfigReader {
  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
          .enable(JsonReadFeature.ALLOW_JAVA_COMMENTS)
          .enable(JsonReadFeature.ALLOW_TRAILING_COMMA)
          // The schema knows how names are written; enums of the compiler have no annotations.
          .enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS)
          .addModule(new Jdk8Module())
          .build();

  private ConfigReader() {}

  /**
   * Reads the training job in a file.
   *
   * @throws UserError K7001 to K7007, one for each fault found
   */
  public static TrainConfig readTrain(Path file) {
    return train(document(file, List.of()), file.toString());
  }

  /**
   * Reads the training job in a document.
   *
   * @param document as {@link #document} has it
   * @param name the name of the document in messages
   * @throws UserError K7003 to K7007
   */
  public static TrainConfig train(JsonNode document, String name) {
    var job = OldTrainConfig.translated(Environment.resolved(document, name), name);
    return read(job, name, "train.schema.json", TrainConfig.class);
  }

  /**
   * Reads the sweep in a file. Its job and the values of its grid are as they are written.
   *
   * @throws UserError K7001 to K7007, one for each fault found
   */
  public static SweepConfig readSweep(Path file, List<Settings.Setting> settings) {
    var name = file.toString();
    var written = document(file, settings);
    var resolved = Environment.resolved(written, name);
    var sweep = read(resolved, name, "sweep.schema.json", SweepConfig.class);
    var job = sweep.job().isTextual() ? sweep.job() : written.get("job");
    return new SweepConfig(job, Settings.grid(written.path("grid")), sweep.output());
  }

  /**
   * Reads the sweep that measures in a file.
   *
   * @throws UserError K7001 to K7007, one for each fault found
   */
  public static BenchmarkConfig readBenchmark(Path file, List<Settings.Setting> settings) {
    var name = file.toString();
    var resolved = Environment.resolved(document(file, settings), name);
    return read(resolved, name, "benchmark.schema.json", BenchmarkConfig.class);
  }

  /**
   * Reads a configuration, with what it includes, as it was written: without the values of
   * environment variables.
   *
   * @param settings take the place of those in the file
   */
  public static JsonNode document(Path file, List<Settings.Setting> settings) {
    return Settings.set(Includes.read(file.toAbsolutePath().normalize()), settings);
  }

  /** Reads a value of a command line: JSON, or what else is written as a string. */
  static JsonNode value(String text, String name) {
    try {
      requireNumbers(text, Path.of(name));
      var value = JSON.readTree(text);
      return value.isMissingNode() ? TextNode.valueOf(text) : value;
    } catch (IOException e) {
      return TextNode.valueOf(text);
    }
  }

  private static <T> T read(JsonNode document, String name, String schemaName, Class<T> type) {
    var schema = schema(schemaName);
    var faults =
        schema.validate(document).stream()
            .map(m -> SchemaFault.explain(m, schema.getSchemaNode(), document, name))
            .distinct()
            .toList();
    if (!faults.isEmpty()) {
      throw new UserError(faults);
    }
    try {
      return JSON.treeToValue(document, type);
    } catch (JsonProcessingException e) {
      throw new UserError(K7004, name + ": " + e.getOriginalMessage());
    }
  }

  /** Reads the document in a file. */
  static JsonNode parse(Path file) {
    try {
      var text = Files.readString(file);
      if (UserPath.isLfsPointer(text.getBytes(StandardCharsets.UTF_8))) {
        throw UserPath.lfsPointer(file, K7002);
      }
      requireNumbers(text, file);
      var document = JSON.readTree(text);
      if (document.isMissingNode()) {
        throw new UserError(K7001, file + " is empty");
      }
      return document;
    } catch (JsonProcessingException e) {
      var place = place(file, e.getLocation());
      throw new UserError(
          List.of(Diagnostic.of(K7001, place, "not JSON: " + plain(e.getOriginalMessage()))));
    } catch (IOException e) {
      throw UserPath.cannotRead(file, K7002, e);
    }
  }

  private static Span place(Path file, JsonLocation at) {
    return at == null || at.getLineNr() < 1
        ? Span.NONE
        : new Span(
            file.toString(),
            at.getLineNr(),
            at.getColumnNr(),
            at.getLineNr(),
            at.getColumnNr() + 1);
  }

  /** Refuses numbers that would become infinite or 0: who writes 1e400 doesn't mean infinity. */
  private static void requireNumbers(String text, Path file) throws IOException {
    try (var tokens = JSON.createParser(text)) {
      for (var t = tokens.nextToken(); t != null; t = tokens.nextToken()) {
        boolean lost =
            switch (t) {
              case VALUE_NUMBER_INT -> tokens.getNumberType() == JsonParser.NumberType.BIG_INTEGER;
              case VALUE_NUMBER_FLOAT -> isLost(tokens.getText(), tokens.getDoubleValue());
              default -> false;
            };
        if (lost) {
          throw new UserError(
              K7006,
              place(file, tokens.currentTokenLocation()),
              shortened(tokens.getText()) + " is too large, or too near to 0, for a number");
        }
      }
    }
  }

  private static boolean isLost(String text, double number) {
    var digits = text.toLowerCase(Locale.ROOT).split("e")[0];
    return !Double.isFinite(number) || number == 0 && digits.matches(".*[1-9].*");
  }

  private static String shortened(String text) {
    return text.length() <= 40 ? text : text.substring(0, 37) + "...";
  }

  /** Returns the message without Jackson's remark on where the open brackets are. */
  private static String plain(String message) {
    return message.replaceFirst(" \\(start marker at .*", "");
  }

  private static JsonSchema schema(String name) {
    var options = SchemaValidatorsConfig.builder().pathType(PathType.JSON_PATH).build();
    try (var in = ConfigReader.class.getResourceAsStream("/dev/kenaz/configs/" + name)) {
      return JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
          .getSchema(JSON.readTree(in), options);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
