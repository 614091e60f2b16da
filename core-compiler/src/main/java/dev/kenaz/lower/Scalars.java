package dev.kenaz.lower;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.value.Prim;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Lowers the intrinsic functions on scalars, by the names that {@code typing.Intrinsics} gives
 * them.
 */
final class Scalars {
  private static final Map<String, UnaryOp> UNARY = named(UnaryOp.values());
  private static final Map<String, BinaryOp> BINARY = named(BinaryOp.values());
  private static final Map<String, CompareOp> COMPARE = named(CompareOp.values());

  private Scalars() {}

  private static <E extends Enum<E>> Map<String, E> named(E[] ops) {
    var map = new HashMap<String, E>();
    Arrays.stream(ops).forEach(op -> map.put(op.name().toLowerCase(Locale.ROOT), op));
    return map;
  }

  /**
   * Returns the function of that name; nothing if the name is not that of a function on scalars.
   */
  static Optional<Static> named(String name) {
    int at = name.lastIndexOf('_');
    var prim = at < 0 ? Optional.<Prim>empty() : Prim.named(name.substring(at + 1));
    if (prim.isEmpty()) {
      return Optional.empty();
    }
    var op = name.substring(0, at);
    if (op.startsWith("conv_")) {
      return Optional.of(function(1, (s, x) -> s.convert(prim.get(), x.get(0))));
    }
    if (op.equals("fma")) {
      return Optional.of(
          function(3, (s, x) -> s.compute(new Exp.Fma(x.get(0), x.get(1), x.get(2)))));
    }
    if (COMPARE.containsKey(op)) {
      return Optional.of(function(2, (s, x) -> s.compare(COMPARE.get(op), x.get(0), x.get(1))));
    }
    if (UNARY.containsKey(op)) {
      return Optional.of(function(1, (s, x) -> unary(UNARY.get(op), prim.get(), x.get(0), s)));
    }
    if (BINARY.containsKey(op)) {
      boolean logical = op.equals("shr") && prim.get().isUnsigned();
      var binary = logical ? BinaryOp.USHR : BINARY.get(op);
      return Optional.of(function(2, (s, x) -> s.binary(binary, x.get(0), x.get(1))));
    }
    return Optional.empty();
  }

  private static Atom unary(UnaryOp op, Prim prim, Atom x, Scope scope) {
    return switch (op) {
      // An unsigned number is its own absolute value.
      case ABS -> prim.isUnsigned() ? x : scope.unary(op, x);
      case SGN ->
          prim.isUnsigned() ? scope.binary(BinaryOp.MIN, x, Atom.of(prim, 1)) : scope.unary(op, x);
      default -> scope.unary(op, x);
    };
  }

  private interface OnAtoms {
    Atom apply(Scope scope, List<Atom> arguments);
  }

  private static Static function(int arity, OnAtoms code) {
    return Static.fun(
        arity, (s, args) -> Static.core(code.apply(s, args.stream().map(Static::atom).toList())));
  }
}
