package dev.kenaz.jobs.config;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.PathType;
import com.networknt.schema.SchemaValidatorsConfig;
import com.networknt.schema.SpecVersion;
import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/** Reads a configuration, or says all that is wrong with it. */
public final class ConfigReader {
  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
          .addModule(new Jdk8Module())
          .build();

  private ConfigReader() {}

  /**
   * The training job in a file.
   *
   * @throws UserError K7001 to K7006, one for each fault found
   */
  public static TrainConfig readTrain(Path file) {
    return train(parse(file), file.toString());
  }

  /**
   * The training job in a document.
   *
   * @param name of the document, in messages
   * @throws UserError K7003 to K7006
   */
  public static TrainConfig train(JsonNode document, String name) {
    return read(document, name, "train.schema.json", TrainConfig.class);
  }

  /**
   * The sweep in a file.
   *
   * @throws UserError K7001 to K7006, one for each fault found
   */
  public static SweepConfig readSweep(Path file) {
    return read(parse(file), file.toString(), "sweep.schema.json", SweepConfig.class);
  }

  /** A configuration as it was written. */
  public static JsonNode document(Path file) {
    return parse(file);
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
      throw new UserError("K7004", Span.NONE, name + ": " + e.getOriginalMessage());
    }
  }

  private static JsonNode parse(Path file) {
    try {
      return JSON.readTree(Files.readString(file));
    } catch (JsonProcessingException e) {
      var at = e.getLocation();
      var place =
          at == null
              ? Span.NONE
              : new Span(
                  file.toString(),
                  at.getLineNr(),
                  at.getColumnNr(),
                  at.getLineNr(),
                  at.getColumnNr() + 1);
      throw new UserError(
          List.of(Diagnostic.of("K7001", place, "not JSON: " + plain(e.getOriginalMessage()))));
    } catch (NoSuchFileException e) {
      throw new UserError("K7002", Span.NONE, "no such file: " + file);
    } catch (IOException e) {
      throw new UserError("K7002", Span.NONE, "can't read " + file + ": " + e.getMessage());
    }
  }

  /** Without Jackson's remark on where the brackets that are still open were. */
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
