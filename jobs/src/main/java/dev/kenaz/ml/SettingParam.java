package dev.kenaz.ml;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.util.Identifiable;

/**
 * A setting of a training job, by its path, as a parameter of spark.ml. Its values are what JSON
 * has: numbers, truth values, strings, and lists and maps of these.
 */
public final class SettingParam extends Param<Object> {
  private static final long serialVersionUID = 1;
  private static final ObjectMapper JSON = new ObjectMapper();

  SettingParam(Identifiable parent, String path) {
    super(parent, path, "a setting of the training job, as docs/training.md has it");
  }

  /** Returns a value as it is when it is read from a file: there is no long that is small. */
  static JsonNode node(Object value) {
    try {
      return JSON.readTree(JSON.writeValueAsString(value));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not JSON: " + value, e);
    }
  }

  /** Returns the object that a text has. */
  static ObjectNode object(Object text) {
    try {
      if (text instanceof String s && JSON.readTree(s) instanceof ObjectNode object) {
        return object;
      }
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not JSON: " + text, e);
    }
    throw new IllegalArgumentException("not the text of an object of JSON: " + text);
  }

  /** Returns what a text of JSON has. */
  static Object value(String json) {
    try {
      return JSON.readValue(json, Object.class);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not JSON: " + json, e);
    }
  }

  @Override
  public String jsonEncode(Object value) {
    return node(value).toString();
  }

  @Override
  public Object jsonDecode(String json) {
    return value(json);
  }
}
