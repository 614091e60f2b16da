package dev.kenaz.arrow;

import dev.kenaz.value.Prim;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;

/**
 * The names of types for users: those of the language for numbers, and for everything else the
 * names that Arrow's other implementations use. Different types have different names.
 */
public final class TypeText {
  private TypeText() {}

  /** Returns the name of a column's type. */
  public static String of(Field field) {
    var type = of(field.getType(), field.getChildren());
    return field.getDictionary() == null ? type : "dictionary-encoded " + type;
  }

  private static String of(ArrowType type, List<Field> children) {
    return ColumnInfo.prim(type).map(Prim::text).orElseGet(() -> other(type, children));
  }

  private static String other(ArrowType type, List<Field> children) {
    return switch (type) {
      case ArrowType.Utf8 _ -> "string";
      case ArrowType.LargeUtf8 _ -> "large_string";
      case ArrowType.Utf8View _ -> "string_view";
      case ArrowType.Binary _ -> "binary";
      case ArrowType.LargeBinary _ -> "large_binary";
      case ArrowType.BinaryView _ -> "binary_view";
      case ArrowType.FixedSizeBinary b -> "binary[" + b.getByteWidth() + "]";
      case ArrowType.Null _ -> "null";
      case ArrowType.Date d -> d.getUnit() == DateUnit.DAY ? "date" : "date[ms]";
      case ArrowType.Time t -> "time[" + unit(t.getUnit()) + "]";
      case ArrowType.Timestamp t ->
          "timestamp["
              + unit(t.getUnit())
              + Optional.ofNullable(t.getTimezone()).map(z -> ", " + z).orElse("")
              + "]";
      case ArrowType.Duration d -> "duration[" + unit(d.getUnit()) + "]";
      case ArrowType.Interval i -> "interval[" + i.getUnit().name().toLowerCase(Locale.ROOT) + "]";
      case ArrowType.Decimal d ->
          (d.getBitWidth() == 128 ? "decimal" : "decimal" + d.getBitWidth())
              + "(%d, %d)".formatted(d.getPrecision(), d.getScale());
      case ArrowType.List _ -> "list<" + all(children) + ">";
      case ArrowType.LargeList _ -> "large_list<" + all(children) + ">";
      case ArrowType.FixedSizeList l -> "list[" + l.getListSize() + "]<" + all(children) + ">";
      case ArrowType.Map _ -> "map<" + all(children) + ">";
      case ArrowType.Struct _ ->
          children.stream()
              .map(c -> c.getName() + ": " + of(c))
              .collect(Collectors.joining(", ", "struct<", ">"));
      default -> type.toString();
    };
  }

  private static String all(List<Field> children) {
    return children.stream().map(TypeText::of).collect(Collectors.joining(", "));
  }

  private static String unit(TimeUnit unit) {
    return switch (unit) {
      case SECOND -> "s";
      case MILLISECOND -> "ms";
      case MICROSECOND -> "us";
      case NANOSECOND -> "ns";
    };
  }
}
