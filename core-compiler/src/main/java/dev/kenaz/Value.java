package dev.kenaz;

import static dev.kenaz.error.ErrorCode.K6302;

import dev.kenaz.bind.JavaNames;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.EntryPoint.ExternalType;
import dev.kenaz.ir.EntryPoint.OpaqueArray;
import dev.kenaz.ir.EntryPoint.RecordType;
import dev.kenaz.ir.EntryPoint.Transparent;
import dev.kenaz.value.ArrayValue;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A value of a program: what a call gives, and what can be given to one as it is, without a copy.
 * Of types that Java has nothing for, such as sums and abstract types, that is all that can be done
 * with one. Immutable; may be used from several threads at once.
 *
 * <p>Elements of arrays are in native memory, outside of Java's heap, which the garbage collector
 * frees; or in that of a GPU, until somebody asks for them.
 */
public final class Value {
  private final ExternalType type;
  private final List<dev.kenaz.value.Value> flat;

  Value(ExternalType type, List<dev.kenaz.value.Value> flat) {
    this.type = type;
    this.flat = List.copyOf(flat);
  }

  // Making values

  /**
   * An array over memory of yours, without a copy. As long as the value is used, the memory must
   * stay alive and unchanged.
   *
   * @param elements in row-major order and this machine's byte order; truth values are bytes 0 or 1
   * @param shape lengths of the dimensions, outermost first; none stands for one dimension
   * @throws UserError K6302 if the segment doesn't hold as many elements
   */
  public static Value view(ElementType type, MemorySegment elements, long... shape) {
    long there = elements.byteSize() / type.byteSize();
    var dims = shape.length == 0 ? new long[] {there} : shape.clone();
    requireFilled(dims, there, elements.byteSize() % type.byteSize());
    var array = ArrayValue.of(type.prim(), elements, dims);
    return new Value(new Transparent(type.prim(), dims.length), List.of(array));
  }

  /**
   * A copy of a Java array, of any number of dimensions.
   *
   * @throws UserError K6301 if its elements can't stand for that type, or its rows differ in length
   */
  public static Value copyOf(ElementType type, Object array) {
    return Arguments.array(type, array);
  }

  /**
   * The same elements of an array of numbers in another shape, without a copy.
   *
   * @throws UserError K6302 if such an array doesn't have as many elements
   */
  public Value reshape(long... shape) {
    var array = array();
    requireFilled(shape, array.count(), 0);
    return new Value(new Transparent(array.elem(), shape.length), List.of(array.reshape(shape)));
  }

  private static void requireFilled(long[] shape, long elements, long rest) {
    boolean negative = Arrays.stream(shape).anyMatch(d -> d < 0);
    if (shape.length == 0 || negative || rest != 0 || ArrayValue.count(shape) != elements) {
      throw new UserError(
          K6302,
          Span.NONE,
          elements + " elements don't fill an array of shape " + Arrays.toString(shape));
    }
  }

  // What it is

  /** As in the program, without sizes: {@code [][]f64}, {@code (i32, f32)}, {@code point}. */
  public String type() {
    return type.text();
  }

  /** The lengths of an array's dimensions, outermost first; none of what is no array. */
  public long[] shape() {
    return switch (type) {
      case Transparent _ -> flat.getFirst().shape();
      case OpaqueArray(_, _, var rank) -> Arrays.copyOf(flat.getFirst().shape(), rank);
      default -> new long[0];
    };
  }

  /** Whether it is a number, a truth value, or an array of those. */
  public boolean hasElements() {
    return type instanceof Transparent;
  }

  /**
   * The type of the number, or of the array's elements.
   *
   * @throws UserError K6304 if it {@linkplain #hasElements has no elements}
   */
  public ElementType elementType() {
    if (type instanceof Transparent(var prim, _)) {
      return ElementType.valueOf(prim.name());
    }
    throw JavaResults.fault("a value of type " + type() + " is neither a number nor an array");
  }

  ExternalType external() {
    return type;
  }

  List<dev.kenaz.value.Value> flat() {
    return flat;
  }

  // Parts

  /**
   * A field of a record, or of a tuple: {@code "0"}, {@code "1"} and so on.
   *
   * @throws UserError K6304 if it has no such field
   */
  public Value field(String name) {
    if (type instanceof RecordType(_, var fields)) {
      int at = 0;
      for (var f : fields) {
        int end = at + f.type().flat().size();
        if (f.name().equals(name)) {
          return new Value(f.type(), flat.subList(at, end));
        }
        at = end;
      }
    }
    throw JavaResults.fault("a value of type " + type() + " has no field " + name);
  }

  /** As {@link #field(String)}, of a tuple. */
  public Value field(int i) {
    return field(Integer.toString(i));
  }

  // In Java

  /**
   * The value as an object of Java: a number or truth value, where {@code double.class} and {@code
   * Double.class} mean the same; an array such as {@code float[][].class}; a read-only {@link
   * MemorySegment} over an array of numbers, without a copy; a record class for a record or a
   * tuple, an array of them for an array of those. Components of a record class have the names of
   * the fields, in any order; those of a tuple any names, in order. {@link ElementType} tells which
   * types of Java stand for which elements; numbers are widened as in Java.
   *
   * @throws UserError K6304 if the value is no such object, or too large for an array of Java
   */
  @SuppressWarnings("unchecked")
  public <T> T as(Class<T> wanted) {
    return (T) JavaResults.as(this, wanted);
  }

  /** As {@link #as}. */
  public double asDouble() {
    return as(double.class);
  }

  /** As {@link #as}. */
  public float asFloat() {
    return as(float.class);
  }

  /** As {@link #as}. */
  public long asLong() {
    return as(long.class);
  }

  /** As {@link #as}. */
  public int asInt() {
    return as(int.class);
  }

  /** As {@link #as}. */
  public boolean asBoolean() {
    return as(boolean.class);
  }

  ArrayValue array() {
    if (type instanceof Transparent && flat.getFirst() instanceof ArrayValue a) {
      return a;
    }
    throw JavaResults.fault("a value of type " + type() + " is no array of numbers");
  }

  /** As the language writes it, long arrays cut short; of hidden values the type alone. */
  @Override
  public String toString() {
    return switch (type) {
      case Transparent _ -> flat.getFirst().toString();
      case RecordType r -> {
        boolean tuple = JavaNames.isTuple(r);
        yield r.fields().stream()
            .map(f -> (tuple ? "" : f.name() + " = ") + field(f.name()))
            .collect(Collectors.joining(", ", tuple ? "(" : "{", tuple ? ")" : "}"));
      }
      default -> "<" + type() + ">";
    };
  }

  /** Whether types and elements are the same, NaN being the same as NaN. */
  @Override
  public boolean equals(Object other) {
    return other instanceof Value v && v.type.equals(type) && v.flat.equals(flat);
  }

  @Override
  public int hashCode() {
    return flat.hashCode();
  }
}
