package dev.kenaz.typing;

import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Everything that the compiler provides, as one table from names to type schemes. Only the prelude
 * sees these as members of the module {@code intrinsics}; programs reach them through the prelude's
 * definitions.
 *
 * <p>A scheme is written as in a module type: type parameters, then {@code :}, then the type. The
 * order of the parameters is that of {@link TypedExp.Intrinsic#instantiation}.
 *
 * <p>Scalar functions are named {@code OP_TYPE}, where {@code OP} is a name of {@code ir.UnaryOp}
 * or {@code ir.BinaryOp} in lower case, or {@code eq}, {@code lt}, {@code le}; {@code conv_FROM_TO}
 * converts. The checker resolves the overloaded operators to these once the operands' type is
 * known, and {@code ==} on compound types to {@code equal}.
 */
public final class Intrinsics {
  private static final List<String> FLOAT_UNARY =
      List.of(
          "sqrt", "cbrt", "exp", "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p", "sin",
          "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
          "gamma", "lgamma", "erf", "erfc", "floor", "ceil", "round", "trunc");
  private static final List<String> ARITHMETIC =
      List.of("add", "sub", "mul", "div", "mod", "pow", "min", "max");
  private static final List<String> INT_BINARY =
      List.of("quot", "rem", "and", "or", "xor", "shl", "shr", "ushr", "mul_hi");
  private static final List<String> FLOAT_BINARY =
      List.of("atan2", "hypot", "copysign", "nextafter");
  private static final List<String> COMPARISONS = List.of("eq", "lt", "le");
  private static final Map<String, String> TABLE = table();

  private Intrinsics() {}

  /** Returns the text of each scheme by its name. Iteration is in a fixed order. */
  public static Map<String, String> all() {
    return TABLE;
  }

  private static Map<String, String> table() {
    Map<String, String> t = new LinkedHashMap<>();
    for (var p : Prim.values()) {
      scalar(t, p);
    }
    arrays(t);
    histograms(t);
    derivatives(t);
    components(t);
    // This one is for debugging; the text is the label.
    t.put("trace", "'~a : a -> a");
    t.put("break", "'~a : a -> a");
    // This is the identity, which optimisation doesn't look through.
    t.put("opaque", "'~a : a -> a");
    // Its result is equal to the argument and shares nothing with it.
    t.put("copy", "'~a : a -> *a");
    // This is structural equality of values of any type without functions.
    t.put("equal", "'a : a -> a -> bool");
    return Collections.unmodifiableMap(t);
  }

  private static void scalar(Map<String, String> t, Prim p) {
    List<String> unary = new ArrayList<>();
    List<String> binary = new ArrayList<>();
    if (p == Prim.BOOL) {
      unary.add("not");
      binary.addAll(List.of("and", "or", "xor"));
    } else {
      unary.addAll(List.of("neg", "abs", "sgn"));
      binary.addAll(ARITHMETIC);
    }
    if (p.isFloat()) {
      unary.addAll(FLOAT_UNARY);
      binary.addAll(FLOAT_BINARY);
      t.put("isnan_" + p, p + " -> bool");
      t.put("isinf_" + p, p + " -> bool");
      t.put("ldexp_" + p, p + " -> i32 -> " + p);
      t.put("fma_" + p, p + " -> " + p + " -> " + p + " -> " + p);
      var bits = "u" + 8 * p.byteSize();
      t.put("to_bits_" + p, p + " -> " + bits);
      t.put("from_bits_" + p, bits + " -> " + p);
    }
    if (p.isInteger()) {
      unary.add("not");
      binary.addAll(INT_BINARY);
      List.of("popc", "clz", "ctz").forEach(op -> t.put(op + "_" + p, p + " -> i32"));
    }
    unary.forEach(op -> t.put(op + "_" + p, p + " -> " + p));
    binary.forEach(op -> t.put(op + "_" + p, p + " -> " + p + " -> " + p));
    COMPARISONS.forEach(op -> t.put(op + "_" + p, p + " -> " + p + " -> bool"));
    for (var to : Prim.values()) {
      t.put("conv_" + p + "_" + to, p + " -> " + to);
    }
  }

  private static void arrays(Map<String, String> t) {
    t.put("iota", "(n: i64) -> *[n]i64");
    // The array has unspecified contents; only the prelude uses this.
    t.put("scratch", "'a : (n: i64) -> *[n]a");
    t.put("replicate", "'a : (n: i64) -> a -> *[n]a");
    t.put("map", "'a 'b [n] : (a -> b) -> [n]a -> *[n]b");
    t.put("reduce", "'a [n] : (a -> a -> a) -> a -> [n]a -> *a");
    t.put("reduce_comm", "'a [n] : (a -> a -> a) -> a -> [n]a -> *a");
    t.put("scan", "'a [n] : (a -> a -> a) -> a -> [n]a -> *[n]a");
    t.put("filter", "'a [n] : (a -> bool) -> [n]a -> ?[m].*[m]a");
    // The results are the elements, class by class and in their order, and the size of each class.
    t.put("partition", "'a [n] : (k: i64) -> (a -> i64) -> [n]a -> (*[n]a, *[k]i64)");
    t.put("zip", "'a 'b [n] : [n]a -> [n]b -> *[n](a, b)");
    t.put("unzip", "'a 'b [n] : [n](a, b) -> ([n]a, [n]b)");
    t.put("concat", "'a [n] [m] : [n]a -> [m]a -> *[n + m]a");
    t.put("flatten", "'a [n] [m] : [n][m]a -> [n * m]a");
    t.put("unflatten", "'a [n] [m] : [n * m]a -> [n][m]a");
    t.put("transpose", "'a [n] [m] : [n][m]a -> [m][n]a");
    t.put("rotate", "'a [n] : i64 -> [n]a -> *[n]a");
    t.put("reverse", "'a [n] : [n]a -> *[n]a");
    t.put("manifest", "'a : a -> *a");
  }

  private static void histograms(Map<String, String> t) {
    var tail = " -> (a -> a -> a) -> a -> ";
    t.put("hist_1d", "'a [m] [n] : *[m]a" + tail + "[n]i64 -> [n]a -> *[m]a");
    t.put("hist_2d", "'a [m] [k] [n] : *[m][k]a" + tail + "[n](i64, i64) -> [n]a -> *[m][k]a");
    t.put(
        "hist_3d",
        "'a [m] [k] [l] [n] : *[m][k][l]a" + tail + "[n](i64, i64, i64) -> [n]a -> *[m][k][l]a");
    t.put("scatter_1d", "'a [m] [n] : *[m]a -> [n]i64 -> [n]a -> *[m]a");
    t.put("scatter_2d", "'a [m] [k] [n] : *[m][k]a -> [n](i64, i64) -> [n]a -> *[m][k]a");
    t.put(
        "scatter_3d",
        "'a [m] [k] [l] [n] : *[m][k][l]a -> [n](i64, i64, i64) -> [n]a -> *[m][k][l]a");
    t.put(
        "scatter_stream",
        "'a 'b [m] [n] : *[m]a -> (*acc ([m]a) -> b -> acc ([m]a)) -> [n]b -> *[m]a");
    t.put(
        "hist_stream",
        "'a 'b [m] [n] : *[m]a" + tail + "(*acc ([m]a) -> b -> acc ([m]a)) -> [n]b -> *[m]a");
    t.put("acc_write", "'a [m] : *acc ([m]a) -> i64 -> a -> *acc ([m]a)");
  }

  /** The floating-point components of a value of any type without functions, as a vector. */
  private static void components(Map<String, String> t) {
    for (var p : List.of(Prim.F32, Prim.F64)) {
      t.put("pack_" + p, "'a : a -> ?[p].*[p]" + p);
      t.put("unpack_" + p, "'a [p] : a -> [p]" + p + " -> a");
    }
  }

  private static void derivatives(Map<String, String> t) {
    t.put("jvp2", "'a 'b : (a -> b) -> a -> a -> *(b, b)");
    t.put("vjp2", "'a 'b : (a -> b) -> a -> b -> *(b, a)");
    t.put("jmp2", "'a 'b [k] : (a -> b) -> a -> [k]a -> *(b, [k]b)");
    t.put("mjp2", "'a 'b [k] : (a -> b) -> a -> [k]b -> *(b, [k]a)");
    // The first argument is the function, which also returns what its rule needs; the second is the
    // rule, whose parameters are that and the adjoint of the result.
    t.put("with_vjp", "'a 'b 't : (a -> (b, t)) -> (t -> b -> a) -> a -> b");
  }
}
