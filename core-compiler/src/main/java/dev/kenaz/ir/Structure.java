package dev.kenaz.ir;

import dev.kenaz.ir.EntryPoint.Abstract;
import dev.kenaz.ir.EntryPoint.ExternalType;
import dev.kenaz.ir.EntryPoint.OpaqueArray;
import dev.kenaz.ir.EntryPoint.RecordType;
import dev.kenaz.ir.EntryPoint.SumType;
import dev.kenaz.ir.EntryPoint.Transparent;
import dev.kenaz.typing.Fields;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What an external type is made of, by the names in the program, whatever the type itself is
 * called. So values can be kept in files for programs that come later.
 */
public final class Structure {
  private Structure() {}

  /**
   * One of the core values of which a value is made.
   *
   * @param path where it is in the value: {@code weights}, {@code layers[].bias}, {@code pair.0};
   *     empty for the value itself. A constructor is at {@code kind#}, and what constructors hold
   *     at {@code kind#scaled.0}, or at {@code kind#scaled.0|#shifted.0} where they share it. The
   *     parts of an abstract type are numbered like those of a tuple.
   * @param rank the number of dimensions, 0 for a scalar
   */
  public record Component(String path, Prim prim, int rank) {}

  /**
   * Returns the type with all its parts, as the source language writes it, without sizes; only
   * abstract types are called by their names.
   */
  public static String text(ExternalType type) {
    return switch (type) {
      case Transparent t -> t.text();
      case Abstract a -> a.text();
      case OpaqueArray(_, var elem, var rank) -> "[]".repeat(rank) + atom(elem);
      case RecordType(_, var fields) -> {
        boolean tuple = Fields.isTuple(fields.stream().map(EntryPoint.Field::name).toList());
        yield fields.stream()
            .map(f -> (tuple ? "" : f.name() + ": ") + text(f.type()))
            .collect(Collectors.joining(", ", tuple ? "(" : "{", tuple ? ")" : "}"));
      }
      case SumType(_, var variants, _) ->
          variants.stream()
              .map(
                  v ->
                      "#"
                          + v.name()
                          + v.payload().stream()
                              .map(p -> " " + atom(p))
                              .collect(Collectors.joining()))
              .collect(Collectors.joining(" | "));
    };
  }

  /** Returns the text of a part that something stands before. */
  private static String atom(ExternalType type) {
    return type instanceof SumType ? "(" + text(type) + ")" : text(type);
  }

  /** Returns the core values that make one value of the type, those of {@code flat()} in order. */
  public static List<Component> components(ExternalType type) {
    return components(type, "", 0);
  }

  private static List<Component> components(ExternalType type, String path, int outer) {
    return switch (type) {
      case Transparent(var prim, var rank) -> List.of(new Component(path, prim, outer + rank));
      case RecordType(_, var fields) when fields.isEmpty() ->
          List.of(new Component(path, Prim.BOOL, outer));
      case RecordType(_, var fields) ->
          fields.stream()
              .flatMap(f -> components(f.type(), inside(path, f.name()), outer).stream())
              .toList();
      case OpaqueArray(_, var elem, var rank) ->
          components(elem, path + "[]".repeat(rank), outer + rank);
      case SumType s -> sum(s, path, outer);
      case Abstract(_, _, var flat) -> {
        var parts = new ArrayList<Component>();
        for (var f : flat) {
          var part = inside(path, Integer.toString(parts.size()));
          parts.add(new Component(part, f.prim(), outer + f.rank()));
        }
        yield parts;
      }
    };
  }

  private static String inside(String path, String name) {
    return path.isEmpty() ? name : path + "." + name;
  }

  private static List<Component> sum(SumType sum, String path, int outer) {
    var places = new ArrayList<List<String>>();
    sum.flat().forEach(_ -> places.add(new ArrayList<>()));
    places.getFirst().add("#");
    for (var v : sum.variants()) {
      int at = 0;
      for (int i = 0; i < v.payload().size(); i++) {
        for (var c : components(v.payload().get(i), "#" + v.name() + "." + i, 0)) {
          places.get(1 + v.slots().get(at++)).add(c.path());
        }
      }
    }
    var parts = new ArrayList<Component>();
    for (var f : sum.flat()) {
      var part = path + String.join("|", places.get(parts.size()));
      parts.add(new Component(part, f.prim(), outer + f.rank()));
    }
    return parts;
  }
}
