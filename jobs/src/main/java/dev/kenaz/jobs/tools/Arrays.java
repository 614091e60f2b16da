package dev.kenaz.jobs.tools;

import dev.kenaz.ir.EntryPoint.ExternalType;
import dev.kenaz.ir.EntryPoint.Flat;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Elements;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Puts arrays of any type together, and takes them apart. */
public final class Arrays {
  private Arrays() {}

  private static int rank(ExternalType type) {
    int rank = ExternalTypes.rank(type);
    if (rank == 0) {
      throw ToolFault.type("not an array type: " + type.text());
    }
    return rank;
  }

  /** Returns the dimensions, outermost first. */
  public static long[] shape(Item array) {
    return commonShape(array.flat(), rank(array.type()));
  }

  /** Returns the outermost dimensions, in which all components must agree. */
  static long[] commonShape(List<Value> flat, int rank) {
    if (flat.isEmpty()) {
      throw ToolFault.type("arrays of empty records have no shape here");
    }
    var shape = java.util.Arrays.copyOf(flat.getFirst().shape(), rank);
    for (var v : flat) {
      if (!java.util.Arrays.equals(shape, java.util.Arrays.copyOf(v.shape(), rank))) {
        throw ToolFault.type("arrays of different sizes");
      }
    }
    return shape;
  }

  private static void inBounds(Item array, List<Long> indices) {
    var shape = shape(array);
    if (indices.size() != shape.length) {
      throw ToolFault.command(
          array.type().text() + " takes " + shape.length + " indices, not " + indices.size());
    }
    for (int i = 0; i < shape.length; i++) {
      if (indices.get(i) < 0 || indices.get(i) >= shape[i]) {
        throw ToolFault.bounds(
            "Index %s out of bounds for array of shape %s."
                .formatted(indices, java.util.Arrays.toString(shape)));
      }
    }
  }

  /** Returns the element at as many indices as there are dimensions. */
  public static Item index(Item array, List<Long> indices) {
    inBounds(array, indices);
    var at = indices.stream().mapToLong(i -> i).toArray();
    var flat = array.flat().stream().map(v -> ((ArrayValue) v).at(at)).toList();
    return new Item(ExternalTypes.elem(array.type()), flat);
  }

  /** Returns the array with another element at this place. */
  public static Item set(Item array, Item element, List<Long> indices) {
    inBounds(array, indices);
    Records.require(ExternalTypes.elem(array.type()), element, "an element");
    var flat = new ArrayList<Value>();
    for (int i = 0; i < array.flat().size(); i++) {
      flat.add(replaced((ArrayValue) array.flat().get(i), element.flat().get(i), indices));
    }
    return new Item(array.type(), flat);
  }

  private static ArrayValue replaced(ArrayValue array, Value element, List<Long> indices) {
    var shape = array.shape();
    var inner = java.util.Arrays.copyOfRange(shape, indices.size(), shape.length);
    if (!java.util.Arrays.equals(inner, element.shape())) {
      throw ToolFault.type("an element of another size than the others");
    }
    long at = 0;
    for (int i = 0; i < indices.size(); i++) {
      at = at * shape[i] + indices.get(i);
    }
    var data = ArrayValue.allocate(array.elem(), shape);
    data.copyFrom(array.data());
    put(element, data, at * ArrayValue.count(inner));
    return ArrayValue.of(array.elem(), data, shape);
  }

  /** Copies a value to the place of its first element. */
  private static void put(Value value, MemorySegment data, long at) {
    switch (value) {
      case ScalarValue s -> Elements.setBits(data, s.prim(), at, s.bits());
      case ArrayValue a ->
          MemorySegment.copy(a.data(), 0, data, at * a.elem().byteSize(), a.data().byteSize());
    }
  }

  /** Makes an array of that shape from its elements, which are in row-major order. */
  public static Item create(ExternalType type, List<Long> dims, List<Item> elements) {
    int rank = rank(type);
    var shape = dims.stream().mapToLong(d -> d).toArray();
    if (shape.length != rank || dims.stream().anyMatch(d -> d < 0)) {
      throw ToolFault.command(type.text() + " takes " + rank + " sizes, none of them negative");
    }
    if (ArrayValue.count(shape) != elements.size()) {
      throw ToolFault.command(
          elements.size() + " elements for an array of shape " + java.util.Arrays.toString(shape));
    }
    var elem = ExternalTypes.elem(type);
    elements.forEach(e -> Records.require(elem, e, "an element"));
    var flat = new ArrayList<Value>();
    for (int i = 0; i < elem.flat().size(); i++) {
      int component = i;
      var parts = elements.stream().map(e -> e.flat().get(component)).toList();
      flat.add(stacked(elem.flat().get(i), parts, shape));
    }
    return new Item(type, flat);
  }

  private static ArrayValue stacked(Flat type, List<Value> parts, long[] shape) {
    var inner = parts.isEmpty() ? new long[type.rank()] : parts.getFirst().shape();
    var whole = java.util.Arrays.copyOf(shape, shape.length + inner.length);
    System.arraycopy(inner, 0, whole, shape.length, inner.length);
    var data = ArrayValue.allocate(type.prim(), whole);
    long at = 0;
    for (var p : parts) {
      if (!java.util.Arrays.equals(inner, p.shape())) {
        throw ToolFault.type("elements of different sizes");
      }
      put(p, data, at);
      at += ArrayValue.count(inner);
    }
    return ArrayValue.of(type.prim(), data, whole);
  }
}
