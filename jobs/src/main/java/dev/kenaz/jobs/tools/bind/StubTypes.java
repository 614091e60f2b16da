package dev.kenaz.jobs.tools.bind;

import dev.kenaz.bind.JavaNames;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.EntryPoint.Abstract;
import dev.kenaz.ir.EntryPoint.ExternalType;
import dev.kenaz.ir.EntryPoint.OpaqueArray;
import dev.kenaz.ir.EntryPoint.RecordType;
import dev.kenaz.ir.EntryPoint.SumType;
import dev.kenaz.ir.EntryPoint.Transparent;
import dev.kenaz.ir.SameType;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Chooses the types that a stub has for those of a program. Records get classes of their own. */
final class StubTypes {
  static final String VALUE = "dev.kenaz.Value";

  /** How many slots the parameters of a method or constructor have, besides the object. */
  private static final int SLOTS = 254;

  /** The records by the names of their classes, first those that have a name in the program. */
  private final Map<String, RecordType> records = new LinkedHashMap<>();

  private final Set<String> declared = new HashSet<>();
  private final StringBuilder declarations = new StringBuilder();

  /**
   * @param taken the stub's own name, which no record may have
   */
  StubTypes(String taken, List<EntryPoint> entries) {
    records.put(taken, null);
    for (var e : entries) {
      e.params().forEach(p -> named(p.type()));
      e.results().forEach(r -> named(r.type()));
    }
  }

  private void named(ExternalType type) {
    switch (type) {
      case RecordType r when r.text().matches("[\\p{L}_][\\p{L}\\p{N}_'.]*") ->
          free(className(r.text()), r);
      case OpaqueArray(_, var elem, _) -> named(elem);
      case RecordType _, Transparent _, SumType _, Abstract _ -> {}
    }
  }

  /** Returns the class of a record: of that name, or with a number if another record has it. */
  private String free(String wanted, RecordType type) {
    var name = wanted;
    for (int i = 2; records.containsKey(name) && !type.equals(records.get(name)); i++) {
      name = wanted + i;
    }
    records.put(name, type);
    return name;
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

  /**
   * Records that are equal in the program have one class, so that they can be passed on; those that
   * have names there have a class each.
   */
  private String record(RecordType type, String place) {
    var name =
        records.entrySet().stream()
            .filter(r -> type.equals(r.getValue()))
            .findFirst()
            .or(() -> records.entrySet().stream().filter(r -> same(type, r.getValue())).findFirst())
            .map(Map.Entry::getKey)
            .orElseGet(() -> free(type.fields().isEmpty() ? "Unit" : place, type));
    var components = JavaNames.components(type);
    var parameters = new ArrayList<String>();
    for (var f : type.fields()) {
      var component = components.get(parameters.size());
      parameters.add(of(f.type(), name + className(component)) + " " + component);
    }
    if (!fit(parameters)) {
      return VALUE;
    }
    if (declared.add(name)) {
      declare(name, type, parameters);
    }
    return name;
  }

  private static boolean same(RecordType type, RecordType other) {
    return other != null && SameType.same(type, other);
  }

  /** Whether a method or a constructor can have these parameters. */
  static boolean fit(List<String> parameters) {
    long wide = parameters.stream().filter(p -> p.matches("(long|double) .*")).count();
    return parameters.size() + wide <= SLOTS;
  }

  private void declare(String name, RecordType type, List<String> parameters) {
    var renamed = new ArrayList<String>();
    for (int i = 0; i < parameters.size(); i++) {
      var field = type.fields().get(i).name();
      var component = JavaNames.components(type).get(i);
      if (!JavaNames.isTuple(type) && !component.equals(field)) {
        renamed.add("@param " + component + " " + Javadoc.code(field));
      }
    }
    if (!renamed.isEmpty()) {
      renamed.addFirst("");
    }
    declarations
        .append('\n')
        .append(Javadoc.of(Javadoc.code(type.text()) + " in the program.", renamed))
        .append("  public record %s(%s) {}\n".formatted(name, String.join(", ", parameters)));
  }

  /** Returns the declarations of all record classes that were needed. */
  String declarations() {
    return declarations.toString();
  }

  /**
   * Turns a name into one of a class: {@code k_means} is {@code KMeans}. A name that would hide a
   * class of {@code java.lang} gets an underscore.
   */
  static String className(String name) {
    var text = new StringBuilder();
    for (var part : name.split("[^\\p{L}\\p{N}]+")) {
      if (!part.isEmpty()) {
        text.append(part.substring(0, 1).toUpperCase(Locale.ROOT));
        text.append(part.substring(1));
      }
    }
    var identifier = JavaNames.of(text.isEmpty() ? "Program" : text.toString());
    return hides(identifier) ? identifier + "_" : identifier;
  }

  private static boolean hides(String name) {
    try {
      Class.forName("java.lang." + name, false, null);
      return true;
    } catch (ClassNotFoundException _) {
      return false;
    }
  }
}
