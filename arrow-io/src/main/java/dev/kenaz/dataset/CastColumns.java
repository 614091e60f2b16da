package dev.kenaz.dataset;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6108;
import static dev.kenaz.error.ErrorCode.K6130;

import dev.kenaz.arrow.ColumnData;
import dev.kenaz.arrow.ColumnInfo;
import dev.kenaz.arrow.Faults;
import dev.kenaz.error.UserError;
import dev.kenaz.value.Elements;
import dev.kenaz.value.Prim;
import dev.kenaz.value.TextPrinter;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Gives columns other types. Numbers, and lists of them, become numbers of another type; strings
 * become numbers, days or points of time, and any of these a string. Decimal fractions become and
 * are made of numbers and strings.
 *
 * @param types the new types by name; of a list, of its elements
 */
public record CastColumns(Map<String, CsvType> types) implements RowChange {
  public CastColumns {
    types = Map.copyOf(types);
  }

  @Override
  public Schema schema(Schema in) {
    var known = in.getFields().stream().map(Field::getName).toList();
    for (var name : types.keySet()) {
      if (!known.contains(name)) {
        throw Faults.noColumn("the data", name, known);
      }
    }
    return new Schema(in.getFields().stream().map(this::field).toList(), in.getCustomMetadata());
  }

  private Field field(Field from) {
    var type = types.get(from.getName());
    if (type == null) {
      return from;
    }
    var info = ColumnInfo.of(from);
    boolean text = from.getType() instanceof ArrowType.Utf8;
    boolean possible =
        switch (type) {
          case CsvType.Number _ -> info.prim().isPresent() || text || isDecimal(from);
          case CsvType.Date _, CsvType.Timestamp _ -> text;
          case CsvType.Text _ -> hasText(from);
          case CsvType.Decimal _ ->
              text || isDecimal(from) || info.prim().filter(p -> !info.list()).isPresent();
        };
    if (!possible) {
      throw fault(
          K6130,
          "column \"%s\" is %s, which can't become %s"
              .formatted(from.getName(), info.shownType(), type.text()),
          "numbers become numbers, decimals or strings; strings become these, date or timestamp");
    }
    if (info.list()) {
      var cell = ColumnInfo.field("item", ((CsvType.Number) type).prim(), 1, false).getType();
      var item = new Field("item", new FieldType(from.isNullable(), cell, null), List.of());
      return new Field(
          from.getName(), new FieldType(from.isNullable(), from.getType(), null), List.of(item));
    }
    var to = type.field(from.getName(), from.isNullable());
    return new Field(to.getName(), new FieldType(from.isNullable(), to.getType(), null), List.of());
  }

  private static boolean isDecimal(Field from) {
    return from.getType() instanceof ArrowType.Decimal;
  }

  private static boolean hasText(Field from) {
    try (var empty = from.createVector(BatchMemory.root())) {
      return CellText.of(empty).isPresent();
    }
  }

  @Override
  public Step begin(Schema in, int part, String name) {
    return new Casting(in, schema(in), name);
  }

  private final class Casting implements Step {
    private final Schema schema;
    private final String name;
    private final BufferAllocator memory;
    private final List<FieldVector> made = new ArrayList<>();
    private long row;

    Casting(Schema in, Schema schema, String name) {
      this.schema = schema;
      this.name = name;
      this.memory = BatchMemory.of(name);
      for (int i = 0; i < in.getFields().size(); i++) {
        boolean same = !types.containsKey(in.getFields().get(i).getName());
        made.add(same ? null : schema.getFields().get(i).createVector(memory));
      }
    }

    @Override
    public VectorSchemaRoot apply(VectorSchemaRoot batch) {
      var vectors = new ArrayList<FieldVector>();
      for (int i = 0; i < made.size(); i++) {
        var to = made.get(i);
        if (to != null) {
          cast(batch.getVector(i), to, batch.getRowCount(), schema.getFields().get(i).getName());
        }
        vectors.add(to == null ? batch.getVector(i) : to);
      }
      row += batch.getRowCount();
      return new VectorSchemaRoot(schema, vectors, batch.getRowCount());
    }

    private void cast(FieldVector from, FieldVector to, int rows, String column) {
      var type = types.get(column);
      if (type instanceof CsvType.Text) {
        texts(from, (VarCharVector) to, rows);
      } else if (type instanceof CsvType.Decimal d) {
        decimals(from, (DecimalVector) to, rows, d, column);
      } else if (from instanceof VarCharVector || isDecimal(from.getField())) {
        parsed(from, (BaseFixedWidthVector) to, rows, type, column);
      } else if (to instanceof FixedSizeListVector lists) {
        lists.setInitialCapacity(rows);
        lists.allocateNew();
        for (int i = 0; i < rows; i++) {
          if (from.isNull(i)) {
            lists.setNull(i);
          } else {
            lists.setNotNull(i);
          }
        }
        var cells = ((FixedSizeListVector) from).getDataVector();
        numbers(cells, lists.getDataVector(), rows * lists.getListSize(), type, column);
        lists.setValueCount(rows);
      } else {
        numbers(from, to, rows, type, column);
      }
    }

    private void texts(FieldVector from, VarCharVector to, int rows) {
      var texts = new BatchText();
      var printer = CellText.of(from).orElseThrow().printer();
      for (int i = 0; i < rows; i++) {
        if (from.isNull(i)) {
          texts.addNull();
        } else {
          texts.add(printer.text(i).getBytes(StandardCharsets.UTF_8));
        }
      }
      texts.flush(to);
    }

    private void decimals(
        FieldVector from, DecimalVector to, int rows, CsvType.Decimal type, String column) {
      var printer = CellText.of(from).orElseThrow().printer();
      to.allocateNew(rows);
      for (int i = 0; i < rows; i++) {
        if (from.isNull(i)) {
          to.setNull(i);
          continue;
        }
        var text = printer.text(i);
        long at = row + i;
        to.set(i, type.exact(text).orElseThrow(() -> wrong(column, at, text, type)));
      }
      to.setValueCount(rows);
    }

    private void parsed(
        FieldVector from, BaseFixedWidthVector to, int rows, CsvType type, String column) {
      boolean decimal = isDecimal(from.getField());
      var printer = CellText.of(from).orElseThrow().printer();
      var numbers =
          new BatchNumbers(
              to,
              switch (type) {
                case CsvType.Number n -> n.prim();
                case CsvType.Date _ -> Prim.I32;
                case CsvType.Timestamp _, CsvType.Decimal _, CsvType.Text _ -> Prim.I64;
              },
              rows);
      for (int i = 0; i < rows; i++) {
        if (from.isNull(i)) {
          numbers.setNull(i);
          continue;
        }
        var text = printer.text(i);
        var value =
            switch (type) {
              case CsvType.Number n -> number(text, n.prim(), decimal);
              case CsvType.Date _ -> CsvTimes.date(text);
              case CsvType.Timestamp t -> CsvTimes.timestamp(text, t.zoned());
              case CsvType.Decimal _, CsvType.Text _ -> OptionalLong.empty();
            };
        if (value.isEmpty()) {
          throw wrong(column, row + i, decimal ? text : "\"" + text + "\"", type);
        }
        numbers.set(i, value.getAsLong());
      }
      to.setValueCount(rows);
    }

    /** Of a decimal fraction, zeros behind the point don't keep it from being an integer. */
    private static OptionalLong number(String text, Prim prim, boolean decimal) {
      boolean whole = decimal && !prim.isFloat();
      return CsvField.parse(
          whole ? new BigDecimal(text).stripTrailingZeros().toPlainString() : text, prim);
    }

    private void numbers(FieldVector from, FieldVector to, int count, CsvType type, String column) {
      var prim = ((CsvType.Number) type).prim();
      var data = ColumnData.of(from);
      var numbers = new BatchNumbers((BaseFixedWidthVector) to, prim, count);
      for (int i = 0; i < count; i++) {
        if (data.mayHaveNulls() && data.isNull(i)) {
          numbers.setNull(i);
          continue;
        }
        long bits =
            data.prim() == Prim.BOOL
                ? ColumnData.bit(data.data(), i) ? 1 : 0
                : Elements.bits(data.data(), data.prim(), i);
        var value = NumberCast.cast(bits, data.prim(), prim);
        if (value.isEmpty()) {
          int width = Math.max(1, count / Math.max(1, to.getValueCount()));
          throw wrong(column, row + i / width, TextPrinter.digits(data.prim(), bits), type);
        }
        numbers.set(i, value.getAsLong());
      }
      to.setValueCount(count);
    }

    private UserError wrong(String column, long at, String value, CsvType type) {
      return fault(
          K6108,
          "%s: column \"%s\" is %s in row %d, which is no %s"
              .formatted(name, column, value, at, type.text()),
          "cast to a wider type, or leave such rows out (--where)");
    }

    @Override
    public void close() {
      made.stream().filter(v -> v != null).forEach(FieldVector::close);
      memory.close();
    }
  }
}
