package dev.kenaz;

import static dev.kenaz.error.ErrorCode.K6302;
import static java.util.Objects.requireNonNull;

import dev.kenaz.bind.JavaNames;
import dev.kenaz.error.NearestName;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.EntryPoint.ExternalType;
import dev.kenaz.ir.EntryPoint.OpaqueArray;
import dev.kenaz.ir.EntryPoint.RecordType;
import dev.kenaz.ir.EntryPoint.Transparent;
import dev.kenaz.ir.SameType;
import dev.kenaz.value.ArrayValue;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * This is a value of a program: the result of a call, which can be an argument of another call as
 * it is, without a copy. A value of a type that has no counterpart in Java, such as a sum or an
 * abstract type, can only be passed on to other calls. Values are immutable, and several threads
 * may use one at once.
 *
 * <p>The elements of an array are in native memory outside of Java's heap, which is freed when the
 * value is garbage. On a GPU they are in the GPU's memory until somebody asks for them.
 */
public final class Value {
  /** The origin of what is made in Java. */
  static final Object NOWHERE = new Object();

  private final ExternalType type;
  private final List<dev.kenaz.value.Value> flat;

  /** Stands for the program that the type belongs to. */
  private final Object origin;

  Value(Object origin, ExternalType type, List<dev.kenaz.value.Value> flat) {
    this.origin = origin;
    this.type = type;
    this.flat = List.copyOf(flat);
  }

  // Making values

  /**
   * Returns an array over the caller's memory, without a copy. The memory stays the caller's: it
   * must stay alive and unchanged as long as the value is used.
   *
   * @param elements the elements in row-major order and in this machine's byte order; truth values
   *     are bytes 0 or 1
   * @param shape the lengths of the dimensions in elements, outermost first; if none is given, the
   *     array has one dimension
   * @throws UserError K6302 if the segment doesn't hold as many elements
   */
  public static Value view(ElementType type, MemorySegment elements, long... shape) {
    requireNonNull(type, "type");
    requireNonNull(elements, "elements");
    requireNonNull(shape, "shape");
    long there = elements.byteSize() / type.byteSize();
    var dims = shape.length == 0 ? new long[] {there} : shape.clone();
    requireFilled(dims, there, elements.byteSize() % type.byteSize());
    var array = ArrayValue.of(type.prim(), elements, dims);
    return new Value(NOWHERE, new Transparent(type.prim(), dims.length), List.of(array));
  }

  /**
   * Returns an array that is a copy of a Java array of any number of dimensions.
   *
   * @throws UserError K6301 if its elements can't stand for that type, or its rows differ in length
   */
  public static Value copyOf(ElementType type, Object array) {
    return Arguments.array(requireNonNull(type, "type"), array);
  }

  /**
   * Returns the elements of this array of numbers in another shape, without a copy.
   *
   * @throws UserError K6302 if an array of that shape has another number of elements
   */
  public Value reshape(long... shape) {
    requireNonNull(shape, "shape");
    var array = array();
    requireFilled(shape, array.count(), 0);
    return new Value(
        origin, new Transparent(array.elem(), shape.length), List.of(array.reshape(shape)));
  }

  private static void requireFilled(long[] shape, long elements, long rest) {
    boolean negative = Arrays.stream(shape).anyMatch(d -> d < 0);
    if (shape.length == 0 || negative || rest != 0 || ArrayValue.count(shape) != elements) {
      throw new UserError(
          K6302,
          Span.NONE,
          elements + " elements don't fill an array of shape " + Arrays.toString(shape),
          "the product of the lengths must be the number of elements");
    }
  }

  // What it is

  /**
   * Returns the type as in the program, without sizes: {@code [][]f64}, {@code (i32, f32)}, {@code
   * point}.
   */
  public String type() {
    return type.text();
  }

  /**
   * Returns the lengths of the array's dimensions, outermost first; an empty array if the value is
   * no array.
   */
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
   * Returns the type of the number, or of the array's elements.
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

  /** Whether it is a value of that type of that program. */
  boolean is(ExternalType wanted, Object of) {
    return SameType.same(wanted, type) && (origin == of || !SameType.hidden(type));
  }

  /** Says, for messages, how its type differs from one that it doesn't have. */
  String otherThan(ExternalType wanted, Object of) {
    boolean alike = type.text().equals(wanted.text());
    return origin != of && (alike || SameType.hidden(type))
        ? "has type " + type.text() + " of another program"
        : (alike ? "has another type named " : "has type ") + type.text();
  }

  /** Returns the field at that position in the record's type. */
  Value part(int i) {
    var fields = ((RecordType) type).fields();
    int at = 0;
    for (int k = 0; k < i; k++) {
      at += fields.get(k).type().flat().size();
    }
    var its = fields.get(i).type();
    return part(its, flat.subList(at, at + its.flat().size()));
  }

  /** Returns a part of the value. */
  Value part(ExternalType its, List<dev.kenaz.value.Value> components) {
    return new Value(origin, its, components);
  }

  List<dev.kenaz.value.Value> flat() {
    return flat;
  }

  // Parts

  /**
   * Returns a field of a record or a tuple; the fields of a tuple are {@code "0"}, {@code "1"} and
   * so on.
   *
   * @throws UserError K6304 if it has no such field
   */
  public Value field(String name) {
    requireNonNull(name, "name");
    var names =
        type instanceof RecordType(_, var fields)
            ? fields.stream().map(EntryPoint.Field::name).toList()
            : List.<String>of();
    if (!names.contains(name)) {
      throw JavaResults.fault(
          "a value of type " + type() + " has no field " + name,
          NearestName.hintOrFew(name, names, "its fields are"));
    }
    return part(names.indexOf(name));
  }

  /** Returns a field of a tuple, whose fields are counted from 0. */
  public Value field(int i) {
    return field(Integer.toString(i));
  }

  // In Java

  /**
   * Returns the value as an object of a Java class. For a number or a truth value the class is one
   * of Java's, where {@code double.class} and {@code Double.class} mean the same. For an array of
   * numbers it is an array class such as {@code float[][].class}, whose object is a copy; or {@link
   * MemorySegment}, whose object is read-only and no copy. For a record or a tuple it is a record
   * class, and for an array of those an array of a record class. The components of a record class
   * have the names of the record's fields, in any order; for a tuple they have any names, in the
   * tuple's order. {@link ElementType} tells which types of Java stand for which elements; numbers
   * are widened as in Java.
   *
   * @throws UserError K6304 if the class can't hold the value, or the value is too large for an
   *     array of Java
   */
  @SuppressWarnings("unchecked")
  public <T> T as(Class<T> wanted) {
    return (T) JavaResults.as(this, requireNonNull(wanted, "wanted"));
  }

  /** Returns the number as {@link #as} does. */
  public double asDouble() {
    return as(double.class);
  }

  /** Returns the number as {@link #as} does. */
  public float asFloat() {
    return as(float.class);
  }

  /** Returns the number as {@link #as} does. */
  public long asLong() {
    return as(long.class);
  }

  /** Returns the number as {@link #as} does. */
  public int asInt() {
    return as(int.class);
  }

  /** Returns the truth value as {@link #as} does. */
  public boolean asBoolean() {
    return as(boolean.class);
  }

  ArrayValue array() {
    if (type instanceof Transparent && flat.getFirst() instanceof ArrayValue a) {
      return a;
    }
    throw JavaResults.fault("a value of type " + type() + " is no array of numbers");
  }

  /**
   * Returns the value as the language writes it; long arrays are cut short, and of abstract values
   * only the type is shown.
   */
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

  /** Returns whether types and elements are the same, where NaN is the same as NaN. */
  @Override
  public boolean equals(Object other) {
    return other instanceof Value v && v.is(type, origin) && v.flat.equals(flat);
  }

  @Override
  public int hashCode() {
    return flat.hashCode();
  }
}
