package dev.kenaz.dataset;

import static dev.kenaz.error.ErrorCode.K6141;
import static dev.kenaz.error.ErrorCode.K6142;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Goes through the objects of a file of JSON lines, or of one JSON array of objects. Numbers may be
 * {@code NaN}, {@code Infinity} and {@code -Infinity}, as other writers of JSON lines write them.
 */
final class JsonRows implements AutoCloseable {
  private static final JsonFactory JSON =
      JsonFactory.builder()
          .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
          .enable(StreamReadFeature.USE_FAST_DOUBLE_PARSER)
          .enable(StreamReadFeature.USE_FAST_BIG_NUMBER_PARSER)
          .build();

  private final DataFile file;
  private final Unpacked in;
  private final JsonParser parser;
  private boolean array;
  private boolean begun;

  JsonRows(DataFile file) {
    this.file = file;
    try {
      this.in = Unpacked.open(file);
      this.parser = JSON.createParser(in.stream());
    } catch (IOException e) {
      throw file.cannotRead(e);
    }
  }

  /** Returns what gives the tokens of the file. */
  JsonParser parser() {
    return parser;
  }

  /** Goes to the beginning of the next object; false at the end. */
  boolean next() {
    var token = token();
    if (!begun) {
      begun = true;
      array = token == JsonToken.START_ARRAY;
      token = array ? token() : token;
    }
    if (array && token == JsonToken.END_ARRAY) {
      if (token() != null) {
        throw at(K6141, "the file goes on after its array of objects");
      }
      return false;
    }
    if (token == null) {
      return false;
    }
    if (token != JsonToken.START_OBJECT) {
      throw at(K6141, "a row is an object: {\"column\": value, ...}");
    }
    return true;
  }

  /** Goes to the next token; null at the end. */
  JsonToken token() {
    try {
      return parser.nextToken();
    } catch (IOException e) {
      throw fault(e);
    }
  }

  /** Returns the fault of what the parser can't read. */
  UserError fault(IOException e) {
    return switch (e) {
      case JsonEOFException eof ->
          at(K6141, eof, "the file ends within a row", "make it again; it was probably cut off");
      case JsonProcessingException json ->
          at(K6141, json, "this is no JSON: " + json.getOriginalMessage());
      default -> file.cannotRead(e);
    };
  }

  private UserError at(ErrorCode code, JsonProcessingException e, String message, String... hints) {
    var place = e.getLocation();
    return place == null
        ? at(code, message, hints)
        : at(code, place.getLineNr(), place.getColumnNr(), message, hints);
  }

  /** Returns the error for a fault of the current token. */
  UserError at(ErrorCode code, String message, String... hints) {
    var place = parser.currentTokenLocation();
    return at(code, place.getLineNr(), place.getColumnNr(), message, hints);
  }

  private UserError at(ErrorCode code, int line, int column, String message, String... hints) {
    int row = Math.max(1, line);
    int place = Math.max(1, column);
    return new UserError(code, new Span(file.name(), row, place, row, place), message, hints);
  }

  /**
   * Returns the columns that the first rows have.
   *
   * @param rows how many rows are looked at
   * @param told the types that the user tells, by the names of columns
   */
  static JsonType.Members infer(DataFile file, long rows, Map<String, CsvType> told) {
    try (var in = new JsonRows(file)) {
      var type = JsonType.Members.NONE;
      for (long row = 0; row < rows && in.next(); row++) {
        type = in.members(type, told);
      }
      return type;
    }
  }

  /** Reads the object that was begun, and returns a type that it and those before it have. */
  private JsonType.Members members(JsonType.Members before, Map<String, CsvType> told) {
    var all = new LinkedHashMap<>(before.members());
    boolean changed = false;
    while (token() == JsonToken.FIELD_NAME) {
      var name = name();
      token();
      var old = all.getOrDefault(name, JsonType.UNKNOWN);
      var joined = widened(name, old, told.get(name));
      changed |= !all.containsKey(name) || joined != old;
      all.put(name, joined);
    }
    return changed ? new JsonType.Members(all) : before;
  }

  private String name() {
    try {
      return parser.currentName();
    } catch (IOException e) {
      throw fault(e);
    }
  }

  /**
   * Reads a value, and returns a type that it and those before it have.
   *
   * @param told its type, or that of the elements of arrays, if the user tells it; otherwise null
   */
  private JsonType widened(String name, JsonType before, CsvType told) {
    var found = found(name, before, told);
    return JsonType.join(before, found)
        .orElseThrow(
            () ->
                at(
                    K6142,
                    "\"%s\" is %s here, and %s in rows before"
                        .formatted(name, found.text(), before.text()),
                    "values of one name must be of one type"));
  }

  private JsonType found(String name, JsonType before, CsvType told) {
    var token = parser.currentToken();
    if (told != null && token == JsonToken.START_OBJECT) {
      throw at(
          K6142,
          "\"%s\" is an object, which is no %s".formatted(name, told.text()),
          "types are told of numbers, strings, truth values, and arrays of these");
    }
    if (told != null && token.isScalarValue() && token != JsonToken.VALUE_NULL) {
      return new JsonType.Told(told);
    }
    return switch (token) {
      case VALUE_NULL -> JsonType.UNKNOWN;
      case VALUE_TRUE, VALUE_FALSE -> JsonType.BOOL;
      case VALUE_NUMBER_FLOAT -> JsonType.F64;
      case VALUE_NUMBER_INT -> integer();
      case VALUE_STRING -> JsonType.TEXT;
      case START_OBJECT ->
          members(before instanceof JsonType.Members m ? m : JsonType.Members.NONE, Map.of());
      case START_ARRAY -> {
        var element = before instanceof JsonType.Array a ? a.element() : JsonType.UNKNOWN;
        int width = 0;
        for (; token() != JsonToken.END_ARRAY; width++) {
          element = widened(name, element, told);
        }
        yield new JsonType.Array(element, width);
      }
      case NOT_AVAILABLE, END_OBJECT, END_ARRAY, FIELD_NAME, VALUE_EMBEDDED_OBJECT ->
          throw at(K6141, "expected a value");
    };
  }

  private JsonType integer() {
    try {
      return parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER
          ? JsonType.INTEGERS
          : JsonType.I64;
    } catch (IOException e) {
      throw fault(e);
    }
  }

  double fraction() {
    return in.fraction();
  }

  @Override
  public void close() {
    try {
      parser.close();
      in.close();
    } catch (IOException e) {
      throw file.cannotRead(e);
    }
  }
}
