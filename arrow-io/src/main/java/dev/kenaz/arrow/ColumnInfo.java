package dev.kenaz.arrow;

import dev.kenaz.value.Prim;
import java.util.List;
import java.util.Optional;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;

/**
 * This is a column of a schema.
 *
 * @param name its name
 * @param type the name of its Arrow type, which no other type has
 * @param prim the element type, or empty if Kenaz can't compute with such columns
 * @param width elements per row: 1, or the length of a fixed-size list
 * @param list whether it is a fixed-size list, even of length 1
 * @param nullable whether the schema allows nulls
 */
public record ColumnInfo(
    String name, String type, Optional<Prim> prim, int width, boolean list, boolean nullable) {

  /** Returns a column of numbers that are never null. */
  public static ColumnInfo scalar(String name, Prim prim) {
    return of(field(name, prim, 1, false));
  }

  /** Returns a column of fixed-size lists, each of which is a row of a matrix. */
  public static ColumnInfo list(String name, Prim prim, int width) {
    return of(field(name, prim, width, true));
  }

  /** Returns the same column under another name. */
  public ColumnInfo named(String other) {
    return new ColumnInfo(other, type, prim, width, list, nullable);
  }

  /** Returns what Kenaz can do with a column. */
  public static ColumnInfo of(Field field) {
    boolean list = field.getType() instanceof ArrowType.FixedSizeList;
    int width = field.getType() instanceof ArrowType.FixedSizeList l ? l.getListSize() : 1;
    var cell = list && field.getChildren().size() == 1 ? field.getChildren().getFirst() : field;
    boolean encoded = field.getDictionary() != null || cell.getDictionary() != null;
    return new ColumnInfo(
        field.getName(),
        TypeText.of(field),
        encoded ? Optional.empty() : prim(cell.getType()),
        width,
        list,
        field.isNullable());
  }

  /** Returns the type of the numbers that an Arrow type stands for; nothing for other types. */
  public static Optional<Prim> prim(ArrowType type) {
    return switch (type) {
      case ArrowType.Bool _ -> Optional.of(Prim.BOOL);
      case ArrowType.Int i -> Prim.named((i.getIsSigned() ? "i" : "u") + i.getBitWidth());
      case ArrowType.FloatingPoint f ->
          Optional.of(
              switch (f.getPrecision()) {
                case HALF -> Prim.F16;
                case SINGLE -> Prim.F32;
                case DOUBLE -> Prim.F64;
              });
      default -> Optional.empty();
    };
  }

  /**
   * Returns the Arrow field for a column of values. It is never nullable, as values have no nulls.
   */
  public static Field field(String name, Prim prim, int width, boolean list) {
    if (!list) {
      return new Field(name, FieldType.notNullable(arrowType(prim)), List.of());
    }
    var cell = new Field("item", FieldType.notNullable(arrowType(prim)), List.of());
    return new Field(
        name, FieldType.notNullable(new ArrowType.FixedSizeList(width)), List.of(cell));
  }

  /** Returns the type of Arrow that holds these numbers. */
  public static ArrowType arrowType(Prim prim) {
    return switch (prim) {
      case BOOL -> new ArrowType.Bool();
      case F16 -> new ArrowType.FloatingPoint(FloatingPointPrecision.HALF);
      case F32 -> new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE);
      case F64 -> new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE);
      case I8, I16, I32, I64, U8, U16, U32, U64 ->
          new ArrowType.Int(8 * prim.byteSize(), prim.isSigned());
    };
  }

  /** Returns the field, which is never null. */
  public Field field() {
    return field(name, prim.orElseThrow(), width, list);
  }

  /**
   * Returns the type as users see it: {@code f32}, or {@code [4]f32} for a list; the Arrow type if
   * Kenaz can't compute with it.
   */
  public String shownType() {
    return prim.map(p -> (list ? "[" + width + "]" : "") + p).orElse(type);
  }
}
