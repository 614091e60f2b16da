package dev.kenaz.arrow;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.junit.jupiter.api.Test;

final class TypeTextTest {
  private static final ArrowType F64 = new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE);

  private static Field field(String name, ArrowType type, Field... children) {
    return new Field(name, FieldType.nullable(type), List.of(children));
  }

  private static void named(String text, ArrowType type, Field... children) {
    assertEquals(text, TypeText.of(field("c", type, children)));
  }

  @Test
  void typesHaveTheNamesThatUsersKnow() {
    named("u16", new ArrowType.Int(16, false));
    named("bool", ArrowType.Bool.INSTANCE);
    named("date", new ArrowType.Date(DateUnit.DAY));
    named("date[ms]", new ArrowType.Date(DateUnit.MILLISECOND));
    named("timestamp[ns]", new ArrowType.Timestamp(TimeUnit.NANOSECOND, null));
    named("timestamp[us, UTC]", new ArrowType.Timestamp(TimeUnit.MICROSECOND, "UTC"));
    named("decimal(10, 2)", new ArrowType.Decimal(10, 2, 128));
    named("decimal256(50, 2)", new ArrowType.Decimal(50, 2, 256));
    named("list<f64>", ArrowType.List.INSTANCE, field("item", F64));
    named("list[3]<f64>", new ArrowType.FixedSizeList(3), field("item", F64));
    named(
        "struct<a: f64, b: list<string>>",
        ArrowType.Struct.INSTANCE,
        field("a", F64),
        field("b", ArrowType.List.INSTANCE, field("item", ArrowType.Utf8.INSTANCE)));
    var coded = new DictionaryEncoding(1, false, new ArrowType.Int(32, true));
    assertEquals(
        "dictionary-encoded string",
        TypeText.of(
            new Field("c", new FieldType(true, ArrowType.Utf8.INSTANCE, coded), List.of())));
  }
}
