package dev.kenaz.jobs.tools.bind;

import dev.kenaz.bind.JavaNames;
import dev.kenaz.ir.EntryPoint.Abstract;
import dev.kenaz.ir.EntryPoint.ExternalType;
import dev.kenaz.ir.EntryPoint.OpaqueArray;
import dev.kenaz.ir.EntryPoint.RecordType;
import dev.kenaz.ir.EntryPoint.SumType;
import dev.kenaz.ir.EntryPoint.Transparent;
import dev.kenaz.value.Prim;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Chooses the types that a stub has for those of a program. Records get classes of their own. */
final class StubTypes {
  static final String VALUE = "dev.kenaz.Value";

  /** The records by the names of their classes. */
  private final Map<String, RecordType> records = new LinkedHashMap<>();

  private final StringBuilder declarations = new StringBuilder();

  /**
   * @param taken the stub's own name, which no record may have
   */
  StubTypes(String taken) {
    records.put(taken, null);
  }

  /**
   * Returns the type in Java.
   *
   * @param place a name for a record that has no name of its own
   */
  String of(ExternalType type, String place) {
    return switch (type) {
      case Transparent(var prim, var rank) when rank == 0 -> scalar(prim);
      case Transparent(var prim, var rank) -> element(prim) + "[]".repeat(rank);
      case RecordType r -> record(r, place);
      case OpaqueArray(_, RecordType r, var rank) -> {
        var elem = record(r, place);
        yield elem.equals(VALUE) ? VALUE : elem + "[]".repeat(rank);
      }
      case OpaqueArray _, SumType _, Abstract _ -> VALUE;
    };
  }

  private static String scalar(Prim prim) {
    return switch (prim) {
      case BOOL -> "boolean";
      case I8 -> "byte";
      case I16 -> "short";
      case I32, U8, U16 -> "int";
      case I64, U32, U64 -> "long";
      case F16, F32 -> "float";
      case F64 -> "double";
    };
  }

  private static String element(Prim prim) {
    return switch (prim) {
      case BOOL -> "boolean";
      case I8, U8 -> "byte";
      case I16, U16 -> "short";
      case I32, U32 -> "int";
      case I64, U64 -> "long";
      case F16, F32 -> "float";
      case F64 -> "double";
    };
  }

  private String record(RecordType type, String place) {
    var components = JavaNames.components(type);
    if (components.stream().distinct().count() < components.size()) {
      return VALUE;
    }
    var named = type.text().matches("[\\p{L}_][\\p{L}\\p{N}_'.]*");
    var wanted = named ? className(type.text()) : type.fields().isEmpty() ? "Unit" : place;
    var name = wanted;
    for (int i = 2; records.containsKey(name) && !type.equals(records.get(name)); i++) {
      name = wanted + i;
    }
    if (records.putIfAbsent(name, type) == null) {
      declare(name, type, components);
    }
    return name;
  }

  private void declare(String name, RecordType type, List<String> components) {
    var parts = new StringBuilder();
    for (int i = 0; i < components.size(); i++) {
      var component = components.get(i);
      parts
          .append(i == 0 ? "" : ", ")
          .append(of(type.fields().get(i).type(), name + className(component)))
          .append(' ')
          .append(component);
    }
    declarations.append(
        """

          /** %s in the program. */
          public record %s(%s) {}
        """
            .formatted(Javadoc.code(type.text()), name, parts)
            .indent(0));
  }

  /** Returns the declarations of all record classes that were needed. */
  String declarations() {
    return declarations.toString();
  }

  /** Turns a name into one of a class: {@code k_means} is {@code KMeans}. */
  static String className(String name) {
    var text = new StringBuilder();
    for (var part : name.split("[^\\p{L}\\p{N}]+")) {
      if (!part.isEmpty()) {
        text.append(part.substring(0, 1).toUpperCase(java.util.Locale.ROOT));
        text.append(part.substring(1));
      }
    }
    return JavaNames.of(text.isEmpty() ? "Program" : text.toString());
  }
}
