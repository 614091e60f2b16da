package dev.kenaz;

import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Converts numbers and truth values of Java to scalars of programs, and back. */
final class Scalars {
  private static final long EXACT_IN_FLOAT = 1L << 24;
  private static final long EXACT_IN_DOUBLE = 1L << 53;

  private static final Map<Class<?>, Class<?>> BOXES =
      Map.of(
          boolean.class, Boolean.class,
          byte.class, Byte.class,
          short.class, Short.class,
          char.class, Character.class,
          int.class, Integer.class,
          long.class, Long.class,
          float.class, Float.class,
          double.class, Double.class);

  private Scalars() {}

  /** Returns the scalar; nothing if the object is no number, or none that the type has. */
  static Optional<ScalarValue> of(Prim prim, Object java) {
    return switch (java) {
      case Boolean b when prim == Prim.BOOL -> Optional.of(ScalarValue.bool(b));
      case Byte x -> integer(prim, x);
      case Short x -> integer(prim, x);
      case Integer x -> integer(prim, x);
      case Long x -> integer(prim, x);
      case Float x when prim.isFloat() -> Optional.of(ScalarValue.ofDouble(prim, x));
      case Double x when prim == Prim.F64 || prim == Prim.F16 ->
          Optional.of(ScalarValue.ofDouble(prim, x));
      default -> Optional.empty();
    };
  }

  private static Optional<ScalarValue> integer(Prim prim, long x) {
    boolean fits =
        switch (prim) {
          case BOOL -> false;
          case I8, I16, I32, U8, U16, U32 -> prim.normalise(x) == x;
          case I64, U64 -> true;
          case F16 -> Math.abs(x) <= 1 << 11;
          case F32 -> Math.abs(x) <= EXACT_IN_FLOAT;
          case F64 -> Math.abs(x) <= EXACT_IN_DOUBLE && x != Long.MIN_VALUE;
        };
    return fits ? Optional.of(ScalarValue.ofLong(prim, x)) : Optional.empty();
  }

  /** Returns the class in Java that stands for the type, and holds all its values. */
  static Class<?> natural(Prim prim) {
    return switch (prim) {
      case BOOL -> boolean.class;
      case I8 -> byte.class;
      case I16 -> short.class;
      case I32, U8, U16 -> int.class;
      case I64, U32, U64 -> long.class;
      case F16, F32 -> float.class;
      case F64 -> double.class;
    };
  }

  /** Whether the class holds all values of the type. */
  static boolean fits(Prim prim, Class<?> wanted) {
    return classes(prim).contains(BOXES.getOrDefault(wanted, wanted));
  }

  /** Returns the scalar as an object of a class that holds all values of its type. */
  static Object as(ScalarValue x, Class<?> wanted) {
    return switch (BOXES.getOrDefault(wanted, wanted).getSimpleName()) {
      case "Boolean" -> x.asBoolean();
      case "Byte" -> (byte) x.bits();
      case "Short" -> (short) x.bits();
      case "Integer" -> (int) x.bits();
      case "Long" -> x.bits();
      case "Float" -> (float) x.asDouble();
      default -> x.asDouble();
    };
  }

  private static List<Class<?>> classes(Prim prim) {
    return switch (prim) {
      case BOOL -> List.of(Boolean.class);
      case I8 ->
          List.of(Byte.class, Short.class, Integer.class, Long.class, Float.class, Double.class);
      case I16, U8 -> List.of(Short.class, Integer.class, Long.class, Float.class, Double.class);
      case U16 -> List.of(Integer.class, Long.class, Float.class, Double.class);
      case I32 -> List.of(Integer.class, Long.class, Double.class);
      case U32 -> List.of(Long.class, Double.class);
      case I64, U64 -> List.of(Long.class);
      case F16, F32 -> List.of(Float.class, Double.class);
      case F64 -> List.of(Double.class);
    };
  }
}
