package dev.kenaz.lower;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.EntryPoint.ExternalType;
import dev.kenaz.ir.EntryPoint.Flat;
import dev.kenaz.typing.SType;
import dev.kenaz.typing.TypeArg;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Makes the types of entry points as their callers see them. */
final class ExternalTypes {
  private ExternalTypes() {}

  /**
   * @param type the type as the checker has it
   * @param ty the same type, resolved
   * @param ascription the text that its author wrote for it
   */
  static ExternalType of(SType type, Ty ty, Optional<String> ascription) {
    return switch (type) {
      case SType.Unique(var t) -> of(t, ty, ascription);
      case SType.Scalar(var prim) -> new EntryPoint.Transparent(prim, 0);
      case SType.Array _ -> array(type, ty, ascription);
      case SType.Record(var fields) when fields.isEmpty() ->
          new EntryPoint.RecordType(ascription.orElse("()"), List.of());
      case SType.Record(var fields) -> {
        var resolved = ((Ty.Rec) ty).fields();
        var external = new ArrayList<EntryPoint.Field>();
        fields.forEach(
            (name, t) ->
                external.add(
                    new EntryPoint.Field(name, of(t, resolved.get(name), Optional.empty()))));
        yield new EntryPoint.RecordType(ascription.orElseGet(() -> text(type)), external);
      }
      case SType.Sum s -> sum(s, (Ty.Sum) ty, ascription.orElseGet(() -> text(type)));
      case SType.Named _, SType.Var _ ->
          new EntryPoint.Abstract(
              ascription.orElseGet(() -> text(type)), text(type, true), flat(ty));
      case SType.Arrow _, SType.Meta _ ->
          throw new CompilerBug("lower", "an entry point with a function");
    };
  }

  private static ExternalType array(SType type, Ty ty, Optional<String> ascription) {
    int rank = 0;
    while (type instanceof SType.Array(_, var elem) && ty instanceof Ty.Array(_, var rows)) {
      type = elem;
      ty = rows;
      rank++;
    }
    if (type instanceof SType.Scalar(var prim)) {
      return new EntryPoint.Transparent(prim, rank);
    }
    var prefix = "[]".repeat(rank);
    var name = ascription.filter(a -> a.startsWith(prefix)).map(a -> a.substring(prefix.length()));
    var elem = of(type, ty, name);
    return new EntryPoint.OpaqueArray(ascription.orElse(prefix + elem.text()), elem, rank);
  }

  private static ExternalType sum(SType.Sum type, Ty.Sum ty, String text) {
    var layout = SumLayout.of(ty);
    var variants = new ArrayList<EntryPoint.Variant>();
    type.constructors()
        .forEach(
            (name, payload) -> {
              var external = new ArrayList<ExternalType>();
              for (int i = 0; i < payload.size(); i++) {
                var resolved = ty.constructors().get(name).get(i);
                external.add(of(payload.get(i), resolved, Optional.empty()));
              }
              variants.add(new EntryPoint.Variant(name, external, layout.slots().get(name)));
            });
    return new EntryPoint.SumType(text, variants, flat(ty));
  }

  private static List<Flat> flat(Ty ty) {
    return ty.leaves().stream().map(t -> new Flat(t.elemPrim(), t.dims().size())).toList();
  }

  /** Prints the type as the source language writes it, without sizes. */
  private static String text(SType type) {
    return text(type, false);
  }

  /**
   * @param unique whether names are those that are unique in the program, with all arguments that
   *     are types
   */
  private static String text(SType type, boolean unique) {
    return switch (type) {
      case SType.Scalar(var prim) -> prim.text();
      case SType.Array(_, var elem) -> "[]" + text(elem, unique);
      case SType.Record r ->
          r.isTuple()
              ? r.fields().values().stream()
                  .map(t -> text(t, unique))
                  .collect(Collectors.joining(", ", "(", ")"))
              : r.fields().entrySet().stream()
                  .map(f -> f.getKey() + ": " + text(f.getValue(), unique))
                  .collect(Collectors.joining(", ", "{", "}"));
      case SType.Sum(var constructors) ->
          constructors.entrySet().stream()
              .map(
                  c ->
                      "#"
                          + c.getKey()
                          + c.getValue().stream()
                              .map(t -> " " + text(t, unique))
                              .collect(Collectors.joining()))
              .collect(Collectors.joining(" | "));
      case SType.Arrow(_, var param, var result) ->
          text(param, unique) + " -> " + text(result.type(), unique);
      case SType.Named(var name, var args) when unique -> name + types(args);
      case SType.Named(var name, _) -> name.base();
      case SType.Var(var name) -> unique ? name.toString() : name.base();
      case SType.Unique(var t) -> text(t, unique);
      case SType.Meta _ -> "_";
    };
  }

  private static String types(List<TypeArg> args) {
    return args.stream()
        .map(a -> a instanceof TypeArg.OfType(var t) ? " (" + text(t, true) + ")" : "")
        .collect(Collectors.joining());
  }
}
