package dev.kenaz.spark.sql;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.EntryPoint.ExternalType;
import dev.kenaz.ir.EntryPoint.OpaqueArray;
import dev.kenaz.ir.EntryPoint.RecordType;
import dev.kenaz.ir.EntryPoint.Transparent;
import dev.kenaz.value.Prim;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** The type of a cell of a column, as the program and as Spark have it. */
sealed interface Cell extends Serializable {
  /** The digits of the largest u64. */
  int DIGITS_OF_U64 = 20;

  /** Returns Spark's type. */
  DataType sqlType();

  /** Returns how many core values a column of such cells is. */
  int width();

  /**
   * A number or a truth value, or an array of them.
   *
   * @param rank the number of dimensions
   */
  record Plain(Prim prim, int rank) implements Cell {
    @Override
    public DataType sqlType() {
      DataType type = element();
      for (int i = 0; i < rank; i++) {
        type = new ArrayType(type, true);
      }
      return type;
    }

    /** Returns Spark's type of a number; it has no unsigned ones. */
    DataType element() {
      return switch (prim) {
        case BOOL -> DataTypes.BooleanType;
        case I8 -> DataTypes.ByteType;
        case I16, U8 -> DataTypes.ShortType;
        case I32, U16 -> DataTypes.IntegerType;
        case I64, U32 -> DataTypes.LongType;
        case U64 -> new DecimalType(DIGITS_OF_U64, 0);
        case F16, F32 -> DataTypes.FloatType;
        case F64 -> DataTypes.DoubleType;
      };
    }

    @Override
    public int width() {
      return 1;
    }
  }

  /** A record, or a tuple, whose fields are called {@code _1}, {@code _2} and so on. */
  record Struct(ArrayList<String> names, ArrayList<Cell> cells) implements Cell {
    @Override
    public DataType sqlType() {
      var fields = new StructField[names.size()];
      for (int i = 0; i < fields.length; i++) {
        fields[i] = new StructField(names.get(i), cells.get(i).sqlType(), true, Metadata.empty());
      }
      return new StructType(fields);
    }

    @Override
    public int width() {
      return cells.stream().mapToInt(Cell::width).sum();
    }
  }

  /**
   * Returns the cells of a parameter.
   *
   * @param outer how many dimensions of the type are rows
   * @throws UserError K6115 if no column has such cells
   */
  static Plain ofParameter(ExternalType type, int outer, String what) {
    if (type instanceof Transparent(var prim, var rank) && rank >= outer && rank <= outer + 1) {
      return new Plain(prim, rank - outer);
    }
    throw refused(type, what);
  }

  /**
   * Returns the cells of a result; several are those of a tuple.
   *
   * @param outer how many dimensions of the type are rows
   * @throws UserError K6115 if no column has such cells
   */
  static Cell ofResult(List<ExternalType> types, int outer, String what) {
    if (types.size() == 1) {
      var only = types.getFirst();
      return of(only, outer).orElseThrow(() -> refused(only, what));
    }
    var names = new ArrayList<String>();
    var cells = new ArrayList<Cell>();
    for (var type : types) {
      names.add(fieldName(Integer.toString(names.size())));
      cells.add(of(type, outer).orElseThrow(() -> refused(type, what)));
    }
    return new Struct(names, cells);
  }

  private static Optional<Cell> of(ExternalType type, int outer) {
    return switch (type) {
      case Transparent(var prim, var rank) when rank >= outer ->
          Optional.of(new Plain(prim, rank - outer));
      case RecordType r when !r.fields().isEmpty() -> struct(r, outer);
      case OpaqueArray(_, var elem, var rank) when rank == outer -> of(elem, 0);
      default -> Optional.empty();
    };
  }

  private static Optional<Cell> struct(RecordType type, int outer) {
    var names = new ArrayList<String>();
    var cells = new ArrayList<Cell>();
    for (var f : type.fields()) {
      var cell = of(f.type(), outer);
      if (cell.isEmpty()) {
        return Optional.empty();
      }
      names.add(fieldName(f.name()));
      cells.add(cell.get());
    }
    return Optional.of(new Struct(names, cells));
  }

  /** Returns what a field is called in SQL: Spark counts those of tuples from 1. */
  static String fieldName(String name) {
    return name.matches("[0-9]+") ? "_" + (Integer.parseInt(name) + 1) : name;
  }

  private static UserError refused(ExternalType type, String what) {
    return new UserError(
        ErrorCode.K6115,
        "%s has type %s, which no column has".formatted(what, type.text()),
        "parameters are numbers, truth values, and arrays of these; results may be records and"
            + " tuples of these, too");
  }
}
