package dev.kenaz.typing;

import dev.kenaz.source.Literal;
import dev.kenaz.value.Prim;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Prints types as the source language writes them. */
public final class TypePrinter {
  /** Names that are not written as they are. */
  private final Map<VName, String> names;

  private final boolean apart;

  public TypePrinter() {
    this(Map.of(), false);
  }

  private TypePrinter(Map<VName, String> names, boolean apart) {
    this.names = names;
    this.apart = apart;
  }

  /** Returns a printer of two types, which writes them differently if they differ. */
  static TypePrinter ofTwo(SType a, SType b) {
    var plain = new TypePrinter();
    return plain.type(a).equals(plain.type(b)) ? apart(a, b) : plain;
  }

  /**
   * Returns a printer that writes numbers after those names in the types that are spelt alike but
   * mean different things.
   */
  private static TypePrinter apart(SType... types) {
    Map<String, Set<VName>> spelt = new LinkedHashMap<>();
    for (var t : types) {
      names(t, v -> spelt.computeIfAbsent(v.base(), _ -> new LinkedHashSet<>()).add(v));
    }
    Map<VName, String> names = new HashMap<>();
    for (var alike : spelt.values()) {
      int i = 0;
      for (var v : alike.size() > 1 ? alike : Set.<VName>of()) {
        i++;
        names.put(v, v.base() + subscript(i));
      }
    }
    return new TypePrinter(names, true);
  }

  private static String subscript(int number) {
    return Integer.toString(number)
        .chars()
        .mapToObj(c -> Character.toString('₀' + c - '0'))
        .collect(Collectors.joining());
  }

  /** Calls back for the names in a type, from left to right, but not for the names of fields. */
  private static void names(SType type, Consumer<VName> each) {
    switch (Types.resolve(type)) {
      case SType.Scalar _, SType.Meta _ -> {}
      case SType.Var v -> each.accept(v.name());
      case SType.Unique u -> names(u.type(), each);
      case SType.Array a -> {
        SizeExps.eachName(a.size(), each, _ -> {});
        names(a.element(), each);
      }
      case SType.Record r -> r.fields().values().forEach(t -> names(t, each));
      case SType.Sum s -> s.constructors().values().forEach(ts -> ts.forEach(t -> names(t, each)));
      case SType.Arrow f -> {
        names(f.param(), each);
        names(f.result().type(), each);
      }
      case SType.Named n -> {
        each.accept(n.name());
        for (var arg : n.args()) {
          switch (arg) {
            case TypeArg.OfSize(var size) -> SizeExps.eachName(size, each, _ -> {});
            case TypeArg.OfType(var t) -> names(t, each);
          }
        }
      }
    }
  }

  private String name(VName v) {
    return names.getOrDefault(v, v.base());
  }

  public String type(SType type) {
    return switch (Types.resolve(type)) {
      case SType.Arrow f -> arrow(f);
      case SType.Sum s ->
          s.constructors().entrySet().stream()
              .map(e -> "#" + e.getKey() + payload(e.getValue()))
              .collect(Collectors.joining(" | "));
      case SType t -> closed(t);
    };
  }

  private String payload(List<SType> types) {
    return types.stream().map(t -> " " + argument(t)).collect(Collectors.joining());
  }

  private String arrow(SType.Arrow f) {
    var mentioned = f.name().isPresent() && Types.mentions(f.result().type(), f.name().get());
    var param =
        mentioned
            ? "(" + name(f.name().get()) + ": " + type(f.param()) + ")"
            : Types.resolve(f.param()) instanceof SType.Arrow
                ? "(" + type(f.param()) + ")"
                : type(f.param());
    return param + " -> " + result(f.result());
  }

  /** Prints the type with the sizes that it binds. */
  public String result(ReturnType r) {
    if (r.sizes().isEmpty()) {
      return type(r.type());
    }
    return r.sizes().stream()
            .map(v -> "[" + name(v) + "]")
            .collect(Collectors.joining("", "?", "."))
        + type(r.type());
  }

  /** Prints a type, in parentheses if it needs them before another one. */
  private String closed(SType type) {
    return switch (Types.resolve(type)) {
      case SType.Scalar s -> s.prim().text();
      case SType.Array a -> "[" + size(a.size()) + "]" + closed(a.element());
      case SType.Record r when r.isTuple() ->
          r.fields().values().stream().map(this::type).collect(Collectors.joining(", ", "(", ")"));
      case SType.Record r ->
          r.fields().entrySet().stream()
              .map(e -> e.getKey() + ": " + type(e.getValue()))
              .collect(Collectors.joining(", ", "{", "}"));
      case SType.Named n ->
          name(n.name()) + n.args().stream().map(this::arg).collect(Collectors.joining());
      case SType.Var v -> name(v.name());
      case SType.Unique u -> "*" + closed(u.type());
      case SType.Meta m -> unknown(m);
      case SType.Arrow _, SType.Sum _ -> "(" + type(type) + ")";
    };
  }

  private String argument(SType type) {
    return Types.resolve(type) instanceof SType.Named n && !n.args().isEmpty()
        ? "(" + type(n) + ")"
        : closed(type);
  }

  private String arg(TypeArg a) {
    return switch (a) {
      case TypeArg.OfSize s -> " [" + size(s.size()) + "]";
      case TypeArg.OfType t -> " " + argument(t.type());
    };
  }

  private String unknown(SType.Meta m) {
    return switch (m.constraint) {
      case Constraint.HasFields(var fields) ->
          fields.entrySet().stream()
              .map(e -> e.getKey() + ": " + type(e.getValue()))
              .collect(Collectors.joining(", ", "{", ", ...}"));
      case Constraint.HasConstructors(var cs) ->
          cs.entrySet().stream()
              .map(e -> "#" + e.getKey() + payload(e.getValue()))
              .collect(Collectors.joining(" | ", "(", " | ...)"));
      case Constraint.OneOf(var prims) when prims.stream().noneMatch(Prim::isInteger) -> "float";
      case Constraint.OneOf(var prims) when prims.stream().noneMatch(Prim::isFloat) -> "integer";
      case Constraint.OneOf _ -> "number";
      case Constraint.Any _ -> "t" + m.id;
    };
  }

  public String size(Size size) {
    return switch (Types.resolve(size)) {
      case Size.Const c -> Long.toString(c.value());
      case Size.Var v -> name(v.name());
      case Size.Of o -> exp(o.exp(), false);
      case Size.Any _ -> "";
      // A size that is not known yet is printed without its name, which some other size may have
      // too.
      case Size.Meta m -> apart ? "" : m.hint;
    };
  }

  private String exp(TypedExp e, boolean nested) {
    return switch (e) {
      case TypedExp.Constant c -> Long.toString(c.bits());
      case TypedExp.Pending p ->
          p.literal() instanceof Literal.Int i ? (p.negative() ? "-" : "") + i.value() : "...";
      case TypedExp.Var v -> name(v.name());
      case TypedExp.Intrinsic i -> i.name();
      case TypedExp.SizeValue s -> {
        var text = size(s.size());
        yield text.isEmpty() ? "_" : text;
      }
      case TypedExp.Attributed a -> exp(a.exp(), nested);
      case TypedExp.Project p -> exp(p.record(), true) + "." + p.field();
      case TypedExp.Record r ->
          r.fields().values().stream()
              .map(x -> exp(x, false))
              .collect(Collectors.joining(", ", "(", ")"));
      case TypedExp.Apply a -> {
        var text =
            a.function() instanceof TypedExp.Intrinsic i
                    && a.arguments().size() == 2
                    && Operators.symbol(i.name()) != null
                ? exp(a.arguments().get(0), true)
                    + " "
                    + Operators.symbol(i.name())
                    + " "
                    + exp(a.arguments().get(1), true)
                : exp(a.function(), true)
                    + a.arguments().stream()
                        .map(x -> " " + exp(x, true))
                        .collect(Collectors.joining());
        yield nested ? "(" + text + ")" : text;
      }
      default -> "...";
    };
  }
}
