package dev.kenaz;

import static dev.kenaz.error.ErrorCode.K6304;

import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.EntryPoint.OpaqueArray;
import dev.kenaz.ir.EntryPoint.RecordType;
import dev.kenaz.ir.EntryPoint.Transparent;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Optional;

/** Converts values to objects of Java. */
final class JavaResults {
  private JavaResults() {}

  static Object as(Value value, Class<?> wanted) {
    if (wanted == Value.class) {
      return value;
    }
    return find(value, wanted)
        .orElseThrow(
            () ->
                fault(
                    "a value of type " + value.type() + " is no " + wanted.getTypeName(),
                    "in Java, it is " + JavaTypes.text(value.external())));
  }

  private static Optional<?> find(Value value, Class<?> wanted) {
    return switch (value.external()) {
      case Transparent(_, var rank) when rank == 0 ->
          Scalars.as((ScalarValue) value.flat().getFirst(), wanted);
      case Transparent _ when wanted == MemorySegment.class -> Optional.of(value.array().data());
      case Transparent(var prim, var rank) -> {
        var component =
            JavaArrays.components(prim).stream()
                .filter(c -> JavaArrays.arrayOf(c, rank) == wanted)
                .findFirst();
        component.ifPresent(_ -> requirePossible(value));
        yield component.map(c -> JavaArrays.toJava(value.array(), c));
      }
      case RecordType r when wanted.isRecord() -> record(value, r, JavaRecords.of(wanted));
      case OpaqueArray a when JavaArrays.rank(wanted) >= a.rank() -> {
        requirePossible(value);
        yield Optional.of(elements(value, a, wanted, 0, new long[a.rank()]));
      }
      default -> Optional.empty();
    };
  }

  private static Optional<?> record(Value value, RecordType type, JavaRecords record) {
    return record
        .positions(type)
        .map(
            positions -> {
              var components = new Object[positions.size()];
              for (int i = 0; i < components.length; i++) {
                int p = positions.get(i);
                var field = value.field(type.fields().get(i).name());
                components[p] = as(field, record.types().get(p));
              }
              return record.create(components);
            });
  }

  private static Object elements(
      Value value, OpaqueArray type, Class<?> wanted, int dim, long[] at) {
    if (dim == type.rank()) {
      var flat = new ArrayList<dev.kenaz.value.Value>();
      value.flat().forEach(x -> flat.add(((ArrayValue) x).at(at)));
      return as(value.part(type.elem(), flat), wanted);
    }
    var array = Array.newInstance(wanted.getComponentType(), (int) value.shape()[dim]);
    for (int i = 0; i < Array.getLength(array); i++) {
      at[dim] = i;
      Array.set(array, i, elements(value, type, wanted.getComponentType(), dim + 1, at));
    }
    return array;
  }

  private static void requirePossible(Value value) {
    if (!JavaArrays.possible(value.shape())) {
      throw fault(
          "an array of shape "
              + Arrays.toString(value.shape())
              + " is too long for an array of Java",
          "ask for a MemorySegment");
    }
  }

  static UserError fault(String message, String... hints) {
    return new UserError(K6304, Span.NONE, message, hints);
  }
}
