package dev.kenaz.typing;

import dev.kenaz.value.Prim;
import java.util.List;
import java.util.stream.Collectors;

/** Types as the source language writes them. */
public final class TypePrinter {
  private final boolean sizes;

  public TypePrinter() {
    this(true);
  }

  private TypePrinter(boolean sizes) {
    this.sizes = sizes;
  }

  /** Prints {@code []} for every size. */
  public static TypePrinter withoutSizes() {
    return new TypePrinter(false);
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
    var mentioned =
        f.name().isPresent() && sizes && Types.mentions(f.result().type(), f.name().get());
    var param =
        mentioned
            ? "(" + f.name().get().base() + ": " + type(f.param()) + ")"
            : Types.resolve(f.param()) instanceof SType.Arrow
                ? "(" + type(f.param()) + ")"
                : type(f.param());
    return param + " -> " + result(f.result());
  }

  /** With the sizes that it binds. */
  public String result(ReturnType r) {
    if (r.sizes().isEmpty() || !sizes) {
      return type(r.type());
    }
    return r.sizes().stream()
            .map(v -> "[" + v.base() + "]")
            .collect(Collectors.joining("", "?", "."))
        + type(r.type());
  }

  /** A type that needs no parentheses before another one. */
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
          n.name().base() + n.args().stream().map(this::arg).collect(Collectors.joining());
      case SType.Var v -> v.name().base();
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
    if (!sizes) {
      return "";
    }
    return switch (Types.resolve(size)) {
      case Size.Const c -> Long.toString(c.value());
      case Size.Var v -> v.name().base();
      case Size.Of o -> exp(o.exp(), false);
      case Size.Any _ -> "";
      case Size.Meta m -> m.hint.isEmpty() ? "" : m.hint;
    };
  }

  private String exp(TypedExp e, boolean nested) {
    return switch (e) {
      case TypedExp.Constant c -> Long.toString(c.bits());
      case TypedExp.Pending p ->
          p.literal() instanceof dev.kenaz.source.Literal.Int i
              ? (p.negative() ? "-" : "") + i.value()
              : "...";
      case TypedExp.Var v -> v.name().base();
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
