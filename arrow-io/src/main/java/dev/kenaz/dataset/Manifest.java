package dev.kenaz.dataset;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6131;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.kenaz.arrow.ColumnInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * What a folder of data files says of itself, in the file {@value #NAME} beside them.
 *
 * @param columns the columns of all files
 * @param files the files in the order of their names
 */
public record Manifest(List<Column> columns, List<Entry> files) {
  /** The name of the file. */
  public static final String NAME = "_manifest.json";

  private static final int VERSION = 1;
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  public Manifest {
    columns = List.copyOf(columns);
    files = List.copyOf(files);
  }

  /**
   * A column.
   *
   * @param type as {@code kenaz dataset inspect} shows it
   */
  public record Column(String name, String type, boolean nullable) {
    static Column of(Field field) {
      return new Column(field.getName(), type(field), field.isNullable());
    }

    private static String type(Field field) {
      var info = ColumnInfo.of(field);
      return info.prim().isPresent()
          ? info.shownType()
          : field.getType() + (field.getChildren().isEmpty() ? "" : "<" + children(field) + ">");
    }

    private static String children(Field field) {
      return String.join(
          ", ", field.getChildren().stream().map(f -> f.getName() + ": " + type(f)).toList());
    }
  }

  /**
   * A file.
   *
   * @param name its path in the folder
   * @param checksum the CRC-32C of its bytes, in hexadecimal
   * @param statistics nulls, NaNs, and the range of numbers, by column
   */
  public record Entry(
      String name, long rows, long bytes, String checksum, Map<String, JsonNode> statistics) {
    public Entry {
      statistics = new TreeMap<>(statistics);
    }
  }

  /** Returns the columns of a schema. */
  public static List<Column> columns(Schema schema) {
    return schema.getFields().stream().map(Column::of).toList();
  }

  /** Returns the number of rows of all files. */
  public long rows() {
    return files.stream().mapToLong(Entry::rows).sum();
  }

  /** Returns the CRC-32C of a file's bytes, in hexadecimal. */
  static String checksum(DataFile file) throws IOException {
    var sum = new CRC32C();
    var bytes = new byte[1 << 20];
    try (var in = file.open()) {
      for (int n = in.read(bytes); n >= 0; n = in.read(bytes)) {
        sum.update(bytes, 0, n);
      }
    }
    return "%08x".formatted(sum.getValue());
  }

  /** Returns the text of the file; the same manifests have the same text. */
  public byte[] json() {
    var json = JsonNodeFactory.instance.objectNode();
    json.put("version", VERSION);
    json.put("rows", rows());
    json.set("columns", columnsJson());
    json.set("files", filesJson());
    return write(json);
  }

  static byte[] write(JsonNode json) {
    try {
      return JSON.writeValueAsBytes(json);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  private ArrayNode columnsJson() {
    var array = JsonNodeFactory.instance.arrayNode();
    for (var c : columns) {
      array.addObject().put("name", c.name()).put("type", c.type()).put("nullable", c.nullable());
    }
    return array;
  }

  private ArrayNode filesJson() {
    var array = JsonNodeFactory.instance.arrayNode();
    files.forEach(f -> array.add(json(f)));
    return array;
  }

  static ObjectNode json(Entry f) {
    var json = JsonNodeFactory.instance.objectNode();
    json.put("name", f.name()).put("rows", f.rows()).put("bytes", f.bytes());
    json.put("crc32c", f.checksum());
    f.statistics().forEach(json.putObject("columns")::set);
    return json;
  }

  /**
   * Reads a manifest.
   *
   * @throws dev.kenaz.error.UserError K6101 if it can't be read, K6131 if it is damaged
   */
  public static Manifest read(DataFile file) {
    try (var in = file.open()) {
      return of(JSON.readTree(in.readAllBytes()), file.name());
    } catch (JsonProcessingException e) {
      throw damaged(file.name(), e.getOriginalMessage());
    } catch (IOException e) {
      throw file.cannotRead(e);
    }
  }

  private static Manifest of(JsonNode json, String file) {
    if (json.path("version").asInt() != VERSION) {
      throw damaged(file, "it is of version " + json.path("version"));
    }
    var columns = new ArrayList<Column>();
    for (var c : json.path("columns")) {
      columns.add(
          new Column(
              c.path("name").asText(), c.path("type").asText(), c.path("nullable").asBoolean()));
    }
    var files = new ArrayList<Entry>();
    for (var f : json.path("files")) {
      files.add(entry(f));
    }
    var made = new Manifest(columns, files);
    if (made.rows() != json.path("rows").asLong(-1)) {
      throw damaged(file, "its files don't have its number of rows");
    }
    return made;
  }

  static Entry entry(JsonNode f) {
    var statistics = new TreeMap<String, JsonNode>();
    f.path("columns").properties().forEach(p -> statistics.put(p.getKey(), p.getValue()));
    return new Entry(
        f.path("name").asText(),
        f.path("rows").asLong(-1),
        f.path("bytes").asLong(-1),
        f.path("crc32c").asText(),
        statistics);
  }

  /** Reads what {@link #write} has written for one part. */
  static JsonNode read(byte[] bytes) throws IOException {
    return JSON.readTree(bytes);
  }

  private static dev.kenaz.error.UserError damaged(String file, String why) {
    return fault(K6131, file + " is no manifest: " + why, "remove it, or make the dataset again");
  }

  /** Writes it into a folder that isn't in its place yet. */
  void write(Path folder) throws IOException {
    Files.write(folder.resolve(NAME), json(), StandardOpenOption.CREATE_NEW);
  }
}
