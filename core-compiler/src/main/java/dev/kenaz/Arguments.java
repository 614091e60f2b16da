package dev.kenaz;

import static dev.kenaz.error.ErrorCode.K6301;

import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.EntryPoint.ExternalType;
import dev.kenaz.ir.EntryPoint.Flat;
import dev.kenaz.ir.EntryPoint.OpaqueArray;
import dev.kenaz.ir.EntryPoint.RecordType;
import dev.kenaz.ir.EntryPoint.Transparent;
import dev.kenaz.ir.ExternalForm;
import dev.kenaz.ir.FunDef;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Converts objects of Java to the core values that an entry point takes. */
final class Arguments {
  private final Object origin;
  private final boolean view;
  private final List<dev.kenaz.value.Value> flat = new ArrayList<>();

  /**
   * Of an array without elements, the inner lengths may not be known yet. The map says for each
   * such array how many outer lengths are known. The key is its position in {@link #flat}.
   */
  private final Map<Integer, Integer> open = new HashMap<>();

  /** Names what is being converted, for messages. */
  private String what = "";

  private Arguments(Object origin, boolean view) {
    this.origin = origin;
    this.view = view;
  }

  /**
   * Returns one core value for each of the parameters' flat components.
   *
   * @param origin stands for the program of the entry point
   * @param function the function that the entry point calls
   * @throws UserError K6301 if the number of arguments is wrong, or an argument has another type
   *     than its parameter
   */
  static List<dev.kenaz.value.Value> of(
      Object origin, EntryPoint entry, FunDef function, List<?> given) {
    var params = entry.params();
    if (given.size() != params.size()) {
      throw new UserError(
          K6301,
          Span.NONE,
          "%s takes %d %s, not %d"
              .formatted(
                  entry.name(),
                  params.size(),
                  params.size() == 1 ? "argument" : "arguments",
                  given.size()));
    }
    var arguments = new Arguments(origin, true);
    for (int i = 0; i < given.size(); i++) {
      var p = params.get(i);
      var name = p.name().equals("_") ? "" : " (" + p.name() + ")";
      arguments.what = "argument " + (i + 1) + name + " of " + entry.name();
      arguments.add(p.type(), given.get(i), "");
    }
    var leaves = function.params().subList(entry.sizeParams(), function.params().size());
    return arguments.open.isEmpty()
        ? arguments.flat
        : arguments.completed(leaves.stream().map(v -> v.type().dims()).toList(), leaves);
  }

  /** Converts a Java array of numbers or truth values that is no argument of a call. */
  static Value array(ElementType type, Object array) {
    var arguments = new Arguments(Value.NOWHERE, false);
    arguments.what = "the array";
    int rank = array == null ? 1 : Math.max(1, JavaArrays.rank(array.getClass()));
    var transparent = new Transparent(type.prim(), rank);
    arguments.add(transparent, array, "");
    return new Value(Value.NOWHERE, transparent, arguments.flat);
  }

  private void add(ExternalType type, Object given, String place) {
    switch (given) {
      case null -> throw fault(place, "is null", type);
      case Value v when v.is(type, origin) ->
          v.flat().forEach(x -> flat.add(Segments.usable(x, what)));
      case Value v -> throw fault(place, v.otherThan(type, origin), type);
      default -> convert(type, given, place);
    }
  }

  private void convert(ExternalType type, Object given, String place) {
    switch (type) {
      case Transparent(var prim, var rank) when rank == 0 ->
          flat.add(
              Scalars.of(prim, given)
                  .orElseThrow(() -> fault(place, "is " + described(given), type)));
      case Transparent t when given instanceof MemorySegment s -> segment(t, s, place);
      case Transparent t -> numbers(t, given, place);
      case RecordType(_, var fields) when fields.isEmpty() -> {
        if (!(given instanceof Record r) || r.getClass().getRecordComponents().length > 0) {
          throw fault(place, "is " + described(given), type);
        }
        flat.add(ExternalForm.NOTHING);
      }
      case RecordType r -> record(r, given, place);
      case OpaqueArray a -> elements(a, given, place);
      case EntryPoint.SumType _, EntryPoint.Abstract _ ->
          throw fault(place, "is " + described(given), type);
    }
  }

  private void segment(Transparent type, MemorySegment segment, String place) {
    if (type.rank() > 1) {
      throw fault(place, "is a memory segment, which tells no shape", type);
    }
    int size = type.prim().byteSize();
    if (segment.byteSize() % size != 0) {
      throw fault(
          place,
          "is a memory segment of %d bytes, and elements of type %s take %d each"
              .formatted(segment.byteSize(), type.prim(), size),
          type);
    }
    flat.add(ArrayValue.of(type.prim(), Segments.usable(segment, what), segment.byteSize() / size));
  }

  private void numbers(Transparent type, Object given, String place) {
    var array = given.getClass();
    boolean fits =
        JavaArrays.rank(array) == type.rank()
            && JavaArrays.components(type.prim()).contains(JavaArrays.element(array, type.rank()));
    if (!fits) {
      throw fault(place, "is " + described(given), type);
    }
    var shape = shape(given, type.rank(), type.rank(), place, type);
    flat.add(JavaArrays.of(type.prim(), given, shape, view));
  }

  /** Returns the lengths of an array, with zeros for those that no row tells. */
  private long[] shape(Object array, int rank, int whole, String place, ExternalType type) {
    List<Long> known;
    try {
      known = JavaArrays.shape(array, rank);
    } catch (JavaArrays.Irregular e) {
      throw fault(place, e.getMessage(), type);
    }
    if (known.size() < whole) {
      open.put(flat.size(), known.size());
    }
    var shape = new long[rank];
    for (int i = 0; i < known.size(); i++) {
      shape[i] = known.get(i);
    }
    return shape;
  }

  private void record(RecordType type, Object given, String place) {
    if (!(given instanceof Record)) {
      throw fault(place, "is " + described(given), type);
    }
    var record = JavaRecords.of(given.getClass());
    var positions =
        record
            .positions(type)
            .orElseThrow(() -> fault(place, "is a record with components " + record.names(), type));
    for (int i = 0; i < positions.size(); i++) {
      var name = record.names().get(positions.get(i));
      add(type.fields().get(i).type(), record.get(given, positions.get(i)), place + "." + name);
    }
  }

  /**
   * Converts an array of records or hidden values to one array for each component of its elements.
   */
  private void elements(OpaqueArray type, Object given, String place) {
    var array = given.getClass();
    if (JavaArrays.rank(array) < type.rank()) {
      throw fault(place, "is " + described(given), type);
    }
    var components = type.elem().flat();
    var outer = shape(given, type.rank(), type.rank(), place, type);
    open.remove(flat.size());
    var each = new ArrayList<List<dev.kenaz.value.Value>>();
    gather(type, given, type.rank(), place, each);
    for (int i = 0; i < components.size(); i++) {
      int component = i;
      flat.add(
          each.isEmpty()
              ? empty(components.get(i), outer)
              : stacked(each.stream().map(e -> e.get(component)).toList(), outer, place, type));
    }
  }

  private ArrayValue empty(Flat component, long[] outer) {
    var shape = Arrays.copyOf(outer, outer.length + component.rank());
    int known = 1;
    while (known < outer.length && outer[known - 1] > 0) {
      known++;
    }
    if (known < shape.length) {
      open.put(flat.size(), known);
    }
    return ArrayValue.of(component.prim(), ArrayValue.allocate(component.prim(), shape), shape);
  }

  private void gather(
      OpaqueArray type,
      Object array,
      int rank,
      String place,
      List<List<dev.kenaz.value.Value>> each) {
    for (int i = 0; i < Array.getLength(array); i++) {
      var there = place + "[" + i + "]";
      var x = Array.get(array, i);
      if (rank > 1) {
        gather(type, x, rank - 1, there, each);
      } else {
        var one = new Arguments(origin, view);
        one.what = what;
        one.add(type.elem(), x, there);
        each.add(one.flat);
      }
    }
  }

  private ArrayValue stacked(
      List<dev.kenaz.value.Value> rows, long[] outer, String place, ExternalType type) {
    var inner = rows.getFirst().shape();
    if (rows.stream().anyMatch(r -> !Arrays.equals(r.shape(), inner))) {
      throw fault(place, "holds arrays of different lengths", type);
    }
    var shape = Arrays.copyOf(outer, outer.length + inner.length);
    System.arraycopy(inner, 0, shape, outer.length, inner.length);
    return ArrayValue.stack(rows).reshape(shape);
  }

  /**
   * Returns the values, where arrays without elements have got the lengths that the parameters'
   * types give them: constants, or sizes that other arguments tell.
   */
  private List<dev.kenaz.value.Value> completed(
      List<List<Atom>> dims, List<? extends Atom> leaves) {
    var sizes = new HashMap<Atom, Long>();
    for (int i = 0; i < flat.size(); i++) {
      if (flat.get(i) instanceof ScalarValue s && !s.prim().isFloat()) {
        sizes.put(leaves.get(i), s.asLong());
      }
      int known = open.getOrDefault(i, flat.get(i).rank());
      for (int d = 0; d < known; d++) {
        sizes.putIfAbsent(dims.get(i).get(d), flat.get(i).shape()[d]);
      }
    }
    var all = new ArrayList<>(flat);
    open.forEach(
        (i, known) -> {
          var array = (ArrayValue) flat.get(i);
          var shape = array.shape();
          for (int d = known; d < shape.length; d++) {
            shape[d] =
                dims.get(i).get(d) instanceof Const(var c)
                    ? c.asLong()
                    : Math.max(0, sizes.getOrDefault(dims.get(i).get(d), 0L));
          }
          all.set(i, ArrayValue.of(array.elem(), ArrayValue.allocate(array.elem(), shape), shape));
        });
    return all;
  }

  private static String described(Object given) {
    return switch (given) {
      case Number n when n.getClass().getPackageName().equals("java.lang") ->
          "the " + n.getClass().getSimpleName().toLowerCase() + " " + n;
      case Boolean b -> "the boolean " + b;
      default -> "of the class " + given.getClass().getTypeName();
    };
  }

  private UserError fault(String place, String message, ExternalType type) {
    var where = place.isEmpty() ? what : what + " at " + place;
    return new UserError(
        K6301,
        Span.NONE,
        "%s %s; %s is wanted, in Java %s"
            .formatted(where, message, type.text(), JavaTypes.text(type)));
  }
}
