package dev.kenaz;

import static dev.kenaz.error.ErrorCode.K6304;

import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.EntryPoint.ExternalType;
import dev.kenaz.ir.EntryPoint.OpaqueArray;
import dev.kenaz.ir.EntryPoint.RecordType;
import dev.kenaz.ir.EntryPoint.Transparent;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Converts values to objects of Java. Whether a class can hold the values of a type is decided
 * before any value is looked at, so that it doesn't depend on them.
 */
final class JavaResults {
  private JavaResults() {}

  static Object as(Value value, Class<?> wanted) {
    return converter(value.external(), wanted, "").apply(value);
  }

  /**
   * Returns what makes objects of the class from values of the type.
   *
   * @param place the part of a value that this is about, for the message
   */
  private static Function<Value, Object> converter(
      ExternalType type, Class<?> wanted, String place) {
    return find(type, wanted, place)
        .orElseThrow(
            () ->
                fault(
                    (place.isEmpty() ? "" : "at " + place + ", ")
                        + "a value of type "
                        + type.text()
                        + " is no "
                        + wanted.getTypeName(),
                    "in Java, it is " + JavaTypes.text(type)));
  }

  private static Optional<Function<Value, Object>> find(
      ExternalType type, Class<?> wanted, String place) {
    return switch (type) {
      case ExternalType _ when wanted == Value.class -> Optional.of(v -> v);
      case Transparent(var prim, var rank) when rank == 0 ->
          Scalars.fits(prim, wanted)
              ? Optional.of(v -> Scalars.as((ScalarValue) v.flat().getFirst(), wanted))
              : Optional.empty();
      case Transparent _ when wanted == MemorySegment.class -> Optional.of(v -> v.array().data());
      case Transparent(var prim, var rank) ->
          JavaArrays.components(prim).stream()
              .filter(c -> JavaArrays.arrayOf(c, rank) == wanted)
              .findFirst()
              .map(c -> v -> JavaArrays.toJava(possible(v).array(), c));
      case RecordType r when wanted.isRecord() -> {
        var record = JavaRecords.of(wanted);
        yield record.positions(r).map(p -> recordConverter(r, record, p, place));
      }
      case OpaqueArray a when JavaArrays.rank(wanted) >= a.rank() -> {
        var elem = JavaArrays.element(wanted, a.rank());
        var element = converter(a.elem(), elem, place + "[]".repeat(a.rank()));
        yield Optional.of(v -> elements(possible(v), a, elem, element, 0, new long[a.rank()]));
      }
      default -> Optional.empty();
    };
  }

  private static Function<Value, Object> recordConverter(
      RecordType type, JavaRecords record, List<Integer> positions, String place) {
    var parts = new ArrayList<Function<Value, Object>>();
    for (var f : type.fields()) {
      var component = record.types().get(positions.get(parts.size()));
      parts.add(converter(f.type(), component, place + "." + f.name()));
    }
    return v -> {
      var components = new Object[parts.size()];
      for (int i = 0; i < components.length; i++) {
        components[positions.get(i)] = parts.get(i).apply(v.part(i));
      }
      return record.create(components);
    };
  }

  private static Object elements(
      Value value,
      OpaqueArray type,
      Class<?> elem,
      Function<Value, Object> element,
      int dim,
      long[] at) {
    if (dim == type.rank()) {
      var flat = new ArrayList<dev.kenaz.value.Value>();
      value.flat().forEach(x -> flat.add(((ArrayValue) x).at(at)));
      return element.apply(value.part(type.elem(), flat));
    }
    var rows = JavaArrays.arrayOf(elem, type.rank() - dim - 1);
    var array = Array.newInstance(rows, (int) value.shape()[dim]);
    for (int i = 0; i < Array.getLength(array); i++) {
      at[dim] = i;
      Array.set(array, i, elements(value, type, elem, element, dim + 1, at));
    }
    return array;
  }

  private static Value possible(Value value) {
    if (!JavaArrays.possible(value.shape())) {
      throw fault(
          "an array of shape "
              + Arrays.toString(value.shape())
              + " is too long for an array of Java",
          "ask for a MemorySegment");
    }
    return value;
  }

  static UserError fault(String message, String... hints) {
    return new UserError(K6304, Span.NONE, message, hints);
  }
}
