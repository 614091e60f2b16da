package dev.kenaz.dataset;

import static dev.kenaz.error.ErrorCode.K6141;
import static dev.kenaz.error.ErrorCode.K6142;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.kenaz.error.UserError;
import dev.kenaz.value.Prim;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Function;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Reads JSON lines: each object is a row, each of its members a value of a column. What is null or
 * missing is null.
 */
final class JsonReader extends BatchReader {
  /** So many bytes of text make a batch. */
  private static final long BATCH_BYTES = 32 << 20;

  /** So many characters of a wrong value are shown. */
  private static final int SHOWN = 40;

  private final JsonRows rows;
  private final JsonParser parser;
  private final JsonType.Members type;

  /** The places of the members of each type of objects by their names. */
  private final Map<JsonType.Members, Map<String, Integer>> places = new IdentityHashMap<>();

  /** The last column that was begun. */
  private String column;

  /**
   * Opens a file.
   *
   * @param type the columns; a row that has other ones throws {@link RowSource.Contradiction}
   */
  JsonReader(DataFile file, JsonType.Members type) {
    super(file.name(), new Schema(type.fields()));
    this.type = type;
    this.rows = new JsonRows(file);
    this.parser = rows.parser();
  }

  @Override
  int fill(VectorSchemaRoot batch) {
    batch.allocateNew();
    var vectors = batch.getFieldVectors();
    long start = parser.currentLocation().getByteOffset();
    int row = 0;
    try {
      while (row < BATCH_ROWS
          && parser.currentLocation().getByteOffset() - start < BATCH_BYTES
          && rows.next()) {
        members(type, vectors, row++);
      }
    } catch (IOException e) {
      throw rows.fault(e);
    }
    return row;
  }

  private Map<String, Integer> places(JsonType.Members of) {
    return places.computeIfAbsent(
        of,
        m -> {
          var found = new HashMap<String, Integer>();
          m.members().keySet().forEach(name -> found.put(name, found.size()));
          return found;
        });
  }

  /** Reads the object that was begun. */
  private void members(JsonType.Members of, List<FieldVector> vectors, int row) throws IOException {
    var byName = places(of);
    var types = new ArrayList<>(of.members().values());
    var seen = new boolean[types.size()];
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      var place = byName.get(parser.currentName());
      if (place == null) {
        throw new RowSource.Contradiction();
      }
      if (seen[place]) {
        throw rows.at(K6141, "\"" + parser.currentName() + "\" stands twice in an object");
      }
      seen[place] = true;
      column = parser.currentName();
      parser.nextToken();
      value(types.get(place), vectors.get(place), row);
    }
    for (int i = 0; i < seen.length; i++) {
      if (!seen[i]) {
        vectors.get(i).setNull(row);
      }
    }
  }

  private void value(JsonType of, FieldVector vector, int i) throws IOException {
    if (parser.currentToken() == JsonToken.VALUE_NULL) {
      vector.setNull(i);
      return;
    }
    switch (of) {
      case JsonType.Unknown _ -> throw new RowSource.Contradiction();
      case JsonType.Number(var prim) -> NumberVector.of(vector).orElseThrow().set(i, number(prim));
      case JsonType.Text(var integers) -> {
        require(integers ? JsonToken.VALUE_NUMBER_INT : JsonToken.VALUE_STRING);
        text((VarCharVector) vector, i);
      }
      case JsonType.Told(var type) -> told(type, vector, i);
      case JsonType.Array a -> {
        require(JsonToken.START_ARRAY);
        if (a.width() > 0) {
          vector(a, (FixedSizeListVector) vector, i);
        } else {
          list(a, (ListVector) vector, i);
        }
      }
      case JsonType.Members m -> {
        require(JsonToken.START_OBJECT);
        var struct = (StructVector) vector;
        struct.setIndexDefined(i);
        members(m, struct.getChildrenFromFields(), i);
      }
    }
  }

  /** Reads a value as one of a type that the user tells. */
  private void told(CsvType type, FieldVector vector, int i) throws IOException {
    if (!parser.currentToken().isScalarValue()) {
      throw new RowSource.Contradiction();
    }
    switch (type) {
      case CsvType.Number(var prim) -> NumberVector.of(vector).orElseThrow().set(i, told(prim));
      case CsvType.Text _ -> text((VarCharVector) vector, i);
      case CsvType.Date _ ->
          ((DateDayVector) vector).setSafe(i, (int) checked(type, CsvTimes::date));
      case CsvType.Timestamp t ->
          ((TimeStampVector) vector)
              .setSafe(i, checked(type, text -> CsvTimes.timestamp(text, t.zoned())));
      case CsvType.Decimal d ->
          ((DecimalVector) vector)
              .setSafe(i, d.exact(parser.getText()).orElseThrow(() -> notOfType(type)));
    }
  }

  /** Returns the number that stands here. It is rounded at most once, from its text. */
  private long told(Prim prim) throws IOException {
    if (parser.currentToken() == JsonToken.VALUE_NUMBER_INT
        && prim.isInteger()
        && prim != Prim.U64
        && parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER) {
      long x = parser.getLongValue();
      if (prim.normalise(x) == x) {
        return x;
      }
    }
    return checked(new CsvType.Number(prim), text -> CsvField.parse(text, prim));
  }

  private long checked(CsvType type, Function<String, OptionalLong> parse) throws IOException {
    return parse.apply(parser.getText()).orElseThrow(() -> notOfType(type));
  }

  private UserError notOfType(CsvType type) {
    try {
      var text = parser.getText();
      var shown = text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "...";
      boolean string = parser.currentToken() == JsonToken.VALUE_STRING;
      return rows.at(
          K6142,
          "column \"%s\": %s is no %s"
              .formatted(column, string ? "\"" + shown + "\"" : shown, type.text()),
          "give the column another type, or correct the line");
    } catch (IOException e) {
      return rows.fault(e);
    }
  }

  private void require(JsonToken token) {
    if (parser.currentToken() != token) {
      throw new RowSource.Contradiction();
    }
  }

  /** Returns the number that stands here, in normal form. */
  private long number(Prim prim) throws IOException {
    var token = parser.currentToken();
    if (prim == Prim.BOOL) {
      if (!token.isBoolean()) {
        throw new RowSource.Contradiction();
      }
      return token == JsonToken.VALUE_TRUE ? 1 : 0;
    }
    boolean integer = token == JsonToken.VALUE_NUMBER_INT;
    if (!integer && (prim == Prim.I64 || token != JsonToken.VALUE_NUMBER_FLOAT)) {
      throw new RowSource.Contradiction();
    }
    if (prim == Prim.F64) {
      return Double.doubleToRawLongBits(parser.getDoubleValue());
    }
    if (parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER) {
      throw new RowSource.Contradiction();
    }
    return parser.getLongValue();
  }

  private void text(VarCharVector vector, int i) throws IOException {
    var text = parser.getText();
    for (int at = 0; at < text.length(); at += Character.charCount(text.codePointAt(at))) {
      if (Character.isSurrogate(text.charAt(at))
          && Character.charCount(text.codePointAt(at)) == 1) {
        throw rows.at(K6141, "a string has half of a character, which UTF-8 can't hold");
      }
    }
    vector.setSafe(i, text.getBytes(StandardCharsets.UTF_8));
  }

  private void vector(JsonType.Array of, FixedSizeListVector lists, int i) throws IOException {
    int from = lists.startNewValue(i);
    int n = 0;
    for (; parser.nextToken() != JsonToken.END_ARRAY; n++) {
      if (n == of.width()) {
        throw new RowSource.Contradiction();
      }
      value(of.element(), lists.getDataVector(), from + n);
    }
    if (n < of.width()) {
      throw new RowSource.Contradiction();
    }
  }

  private void list(JsonType.Array of, ListVector lists, int i) throws IOException {
    int from = lists.startNewValue(i);
    int n = 0;
    for (; parser.nextToken() != JsonToken.END_ARRAY; n++) {
      value(of.element(), lists.getDataVector(), from + n);
    }
    lists.endValue(i, n);
  }

  @Override
  public double fraction() {
    return rows.fraction();
  }

  @Override
  public void close() {
    super.close();
    rows.close();
  }
}
