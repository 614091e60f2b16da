package dev.kenaz.jobs.tools;

import dev.kenaz.error.NearestName;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.EntryPoint.ExternalType;
import dev.kenaz.ir.EntryPoint.Field;
import dev.kenaz.ir.EntryPoint.OpaqueArray;
import dev.kenaz.ir.EntryPoint.RecordType;
import dev.kenaz.ir.EntryPoint.SumType;
import dev.kenaz.ir.EntryPoint.Transparent;
import dev.kenaz.value.Prim;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The types of a program's entry points, by name. */
public final class ExternalTypes {
  private final Map<String, ExternalType> byName = new LinkedHashMap<>();

  public ExternalTypes(List<EntryPoint> entries) {
    for (var e : entries) {
      e.params().forEach(p -> add(p.type()));
      e.results().forEach(r -> add(r.type()));
    }
  }

  private void add(ExternalType type) {
    if (byName.putIfAbsent(type.text(), type) != null) {
      return;
    }
    switch (type) {
      case Transparent(var prim, var rank) -> {
        if (rank > 0) {
          add(new Transparent(prim, 0));
        }
      }
      case RecordType(_, var fields) -> fields.forEach(f -> add(f.type()));
      case SumType(_, var variants, _) -> variants.forEach(v -> v.payload().forEach(this::add));
      case OpaqueArray a -> {
        add(a.elem());
        rowFields(a).ifPresent(fields -> fields.forEach(f -> add(f.type())));
      }
      case EntryPoint.Abstract _ -> {}
    }
  }

  /** Returns the names in the order in which the entry points mention them. */
  public List<String> names() {
    return List.copyOf(byName.keySet());
  }

  /** Returns the type of that name; numbers and arrays of them are always known. */
  public ExternalType named(String name) {
    var known = byName.get(name);
    return known != null
        ? known
        : transparent(name)
            .orElseThrow(
                () ->
                    ToolFault.name(
                        "unknown type: " + name, NearestName.hint(name, byName.keySet())));
  }

  private static Optional<ExternalType> transparent(String name) {
    int rank = 0;
    while (name.startsWith("[]", 2 * rank)) {
      rank++;
    }
    int dims = rank;
    return Prim.named(name.substring(2 * rank)).map(p -> new Transparent(p, dims));
  }

  /** Returns the kind of a type in the words of the server protocol. */
  public static String kind(ExternalType type) {
    return switch (type) {
      case Transparent(_, var rank) -> rank == 0 ? "primitive" : "array";
      case OpaqueArray _ -> "array";
      case RecordType _ -> "record";
      case SumType _ -> "sum";
      case EntryPoint.Abstract _ -> "opaque";
    };
  }

  /** Returns the number of dimensions; 0 if the type isn't one of arrays. */
  public static int rank(ExternalType type) {
    return switch (type) {
      case Transparent(_, var rank) -> rank;
      case OpaqueArray(_, _, var rank) -> rank;
      case RecordType _, SumType _, EntryPoint.Abstract _ -> 0;
    };
  }

  /** Returns the type of an array's elements. */
  public static ExternalType elem(ExternalType type) {
    return switch (type) {
      case Transparent(var prim, _) -> new Transparent(prim, 0);
      case OpaqueArray(_, var elem, _) -> elem;
      case RecordType _, SumType _, EntryPoint.Abstract _ -> type;
    };
  }

  /** Returns an array type. */
  public static ExternalType arrayOf(ExternalType elem, int rank) {
    if (rank == 0) {
      return elem;
    }
    return switch (elem) {
      case Transparent(var prim, var inner) -> new Transparent(prim, inner + rank);
      case OpaqueArray(var text, var innermost, var inner) ->
          new OpaqueArray("[]".repeat(rank) + text, innermost, inner + rank);
      case SumType s -> new OpaqueArray("[]".repeat(rank) + "(" + s.text() + ")", elem, rank);
      case RecordType _, EntryPoint.Abstract _ ->
          new OpaqueArray("[]".repeat(rank) + elem.text(), elem, rank);
    };
  }

  /** Returns the fields of a record; for an array of records, each field is an array. */
  public static Optional<List<Field>> fields(ExternalType type) {
    return switch (type) {
      case RecordType(_, var fields) -> Optional.of(fields);
      case OpaqueArray a -> rowFields(a);
      case Transparent _, SumType _, EntryPoint.Abstract _ -> Optional.empty();
    };
  }

  private static Optional<List<Field>> rowFields(OpaqueArray type) {
    if (!(type.elem() instanceof RecordType(_, var fields))) {
      return Optional.empty();
    }
    List<Field> arrays =
        fields.stream().map(f -> new Field(f.name(), arrayOf(f.type(), type.rank()))).toList();
    return Optional.of(arrays);
  }
}
