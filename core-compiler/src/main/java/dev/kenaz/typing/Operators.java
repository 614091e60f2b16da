package dev.kenaz.typing;

import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Checks the overloaded operators. Until its type is known, an operator is the intrinsic of its own
 * symbol with that type as its one argument; {@link Zonker} then names the real one.
 */
final class Operators {
  /** Says how the type of an operator's result follows from its operands. */
  enum Shape {
    SAME,
    BOOL
  }

  /**
   * @param intrinsic the name of its scalar functions, without the type
   * @param operands the types that the operands may have
   */
  record Operator(String symbol, String intrinsic, Constraint operands, Shape shape) {}

  private static final Constraint NUMBER = Inference.oneOf(Prim::isInteger, Prim::isFloat);
  private static final Constraint INTEGER = Inference.oneOf(Prim::isInteger);
  private static final Constraint BITS = Inference.oneOf(Prim::isInteger, p -> p == Prim.BOOL);
  private static final Constraint ORDERED = Inference.oneOf(_ -> true);
  private static final Constraint EQUALITY = new Constraint.Any(Constraint.Ability.EQUALITY);
  private static final Map<String, Operator> TABLE = table();

  private Operators() {}

  private static Map<String, Operator> table() {
    List<Operator> all = new ArrayList<>();
    for (var e : List.of("+ add", "- sub", "* mul", "/ div", "% mod", "** pow")) {
      all.add(operator(e, NUMBER, Shape.SAME));
    }
    for (var e : List.of("// quot", "%% rem", "<< shl", ">> shr", ">>> ushr")) {
      all.add(operator(e, INTEGER, Shape.SAME));
    }
    List.of("& and", "| or", "^ xor").forEach(e -> all.add(operator(e, BITS, Shape.SAME)));
    for (var e : List.of("< lt", "<= le", "> gt", ">= ge")) {
      all.add(operator(e, ORDERED, Shape.BOOL));
    }
    List.of("== eq", "!= ne").forEach(e -> all.add(operator(e, EQUALITY, Shape.BOOL)));
    Map<String, Operator> out = new HashMap<>();
    all.forEach(o -> out.put(o.symbol(), o));
    return out;
  }

  private static Operator operator(String text, Constraint operands, Shape shape) {
    var parts = text.split(" ");
    return new Operator(parts[0], parts[1], operands, shape);
  }

  static Iterable<Operator> all() {
    return TABLE.values();
  }

  /** Returns the operator of an intrinsic that is still a symbol; null for any other. */
  static Operator of(String intrinsic) {
    return TABLE.get(intrinsic);
  }

  /**
   * Returns the symbol with which a size expression writes an intrinsic; null if it is written as a
   * call.
   */
  static String symbol(String intrinsic) {
    if (TABLE.containsKey(intrinsic)) {
      return intrinsic;
    }
    int end = intrinsic.lastIndexOf('_');
    if (end < 0) {
      return null;
    }
    var family = intrinsic.substring(0, end);
    for (var o : TABLE.values()) {
      if (o.intrinsic().equals(family)) {
        return o.symbol();
      }
    }
    return null;
  }

  /** Whether two names are the same function on i64; either may still be a symbol. */
  static boolean same(String a, String b) {
    var x = symbol(a);
    return a.equals(b) || x != null && x.equals(symbol(b));
  }

  static SType type(Operator o, SType operand) {
    return Types.arrows(List.of(operand, operand), o.shape() == Shape.BOOL ? Types.BOOL : operand);
  }
}
