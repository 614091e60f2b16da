package dev.kenaz.ad;

import dev.kenaz.analysis.BackwardSlice;
import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Attr;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Undoes operators (003 §3.3). If ⊙ is commutative and x is determined by {@code x ⊙ a} and a, then
 * {@code l_i ⊙ a_i ⊙ r_i = b_i ⊙ a_i} with {@code b_i = y ⊙⁻¹ a_i}, and no scans are needed: {@code
 * ā_i += ∂(b_i ⊙ a_i)/∂a_i · ȳ}.
 *
 * <p>The paper lets the user declare inverses and leaves this unimplemented. Where we differ: the
 * compiler finds them. Component i of {@code x ⊙ a} has derivative exactly 1 by x_i, so it is
 * {@code x_i + h_i(x, a)}, and h_i depends only on components x_j that come earlier in some order;
 * then {@code x_i = z_i - h_i(x, a)} in that order, where h_i is the operator itself at {@code x_i
 * = 0}. Sums are of this form, and sums of products. Commutativity is proved by comparing normal
 * forms.
 *
 * <p>With {@code #[invertible]} the user declares that an operator is commutative and can be
 * undone. Component i need then only be linear in x_i, {@code s_i(x, a) x_i + h_i(x, a)}, so that
 * {@code x_i = (z_i - h_i) / s_i}; and the operator's code may be any. {@code #[invertible(check)]}
 * has the program check, whenever it runs, that combining an element with what undoing it gives is
 * the result, in either order.
 *
 * @param op a commutative operator on tuples of floats without active free variables
 * @param order the order in which the components are undone
 * @param declared whether the user has declared that the operator can be undone
 */
record Invertible(Lambda op, List<Integer> order, boolean declared) {

  static Optional<Invertible> of(Reverse r, Lambda op) {
    int k = op.returns().size();
    boolean declared = r.declaredInvertible().isPresent();
    boolean scalars = op.returns().stream().allMatch(t -> t.isScalar() && t.elemPrim().isFloat());
    if (!scalars
        || r.activity.anyActive(FreeVars.of(op))
        || !declared && op.body().stms().stream().anyMatch(s -> !isArithmetic(s.exp()))
        || !declared && !commutes(op)) {
      return Optional.empty();
    }
    var later = new ArrayList<TreeSet<Integer>>();
    for (int i = 0; i < k; i++) {
      later.add(new TreeSet<>());
    }
    for (int j = 0; j < k; j++) {
      var column = column(op, j);
      for (int i = 0; i < k; i++) {
        var entry = column.get(i);
        if (i == j && (entry == null || !(declared ? isLinear(op, j) : entry.isConst(1)))) {
          return Optional.empty();
        }
        if (i != j && entry != null) {
          later.get(i).add(j);
        }
      }
    }
    return sorted(later).map(order -> new Invertible(op, order, declared));
  }

  /** Whether the derivative of component j by x_j doesn't depend on x_j. */
  private static boolean isLinear(Lambda op, int j) {
    var b = new Builder(Span.NONE);
    var x = Names.like(op.params().get(j));
    var arguments = new ArrayList<Atom>(op.params());
    arguments.set(j, x);
    var slope = slope(b, op, arguments, j).get(1);
    return !BackwardSlice.of(b.stms(), List.of(slope)).used().contains(x);
  }

  /**
   * Returns component i of the operator's result, and its derivative by the argument i, a variable.
   */
  private static List<Atom> slope(Builder b, Lambda op, List<? extends Atom> arguments, int i) {
    var operand = (Var) arguments.get(i);
    var body = Renaming.call(op, arguments);
    var activity = new Activity();
    activity.mark(operand);
    activity.body(body);
    var forward = new Forward(activity);
    forward.set(operand, Atom.of(operand.type().elemPrim(), 1));
    forward.stms(b, body.stms());
    var y = body.results().get(i);
    return List.of(y, forward.tangent(b, y));
  }

  /** Returns whether the user wants the declaration checked. */
  static boolean isChecked(Reverse r) {
    var check = Attr.of("check");
    return r.declaredInvertible().filter(a -> a.arguments().contains(check)).isPresent();
  }

  /**
   * Emits the check that was asked for, given the results that belong to each element.
   *
   * @param totals arrays of results, which have one row for each element
   * @param combined tells which elements are combined at all
   */
  void check(Builder b, Atom n, List<Var> elements, List<Var> totals, Var combined) {
    int k = elements.size();
    var all = Lists.concat(elements, totals, List.of(combined));
    var rows = all.stream().map(v -> Builder.rowType(v.type())).toList();
    var map =
        b.lambda(
            rows,
            (in, p) -> {
              var a = p.subList(0, k);
              var z = p.subList(k, 2 * k);
              var others = undo(in, z, a);
              var again = in.call(op, Lists.concat(others, a));
              var swapped = in.call(op, Lists.concat(a, others));
              Atom ok = in.not(p.getLast());
              Atom same = Atom.bool(true);
              for (int i = 0; i < k; i++) {
                same = in.binary(BinaryOp.AND, same, close(in, z.get(i), again.get(i)));
                same = in.binary(BinaryOp.AND, same, close(in, z.get(i), swapped.get(i)));
              }
              return List.of(in.binary(BinaryOp.OR, ok, same));
            });
    var and = new Reduce(b.operator(BinaryOp.AND, Prim.BOOL), List.of(Atom.bool(true)), true);
    var fine = b.screma(n, all, List.of(), List.of(and), map).getFirst();
    b.check(fine, "an operator declared invertible can't be undone", List.of());
  }

  private static Atom close(Builder b, Atom x, Atom y) {
    var prim = x.type().elemPrim();
    var far = b.unary(UnaryOp.ABS, b.sub(x, y));
    var size = b.add(Atom.of(prim, 1), b.unary(UnaryOp.ABS, x));
    return b.compare(CompareOp.LE, far, b.mul(Atom.of(prim, 1e-3), size));
  }

  private static boolean isArithmetic(Exp exp) {
    return exp instanceof Binary || exp instanceof Unary || exp instanceof Fma;
  }

  /** The derivatives of all components by x_j; null where that is always zero. */
  private static List<Atom> column(Lambda op, int j) {
    var copy = new Renaming().lambda(op);
    var operand = copy.params().get(j);
    var activity = new Activity();
    activity.mark(operand);
    activity.body(copy.body());
    var forward = new Forward(activity);
    forward.set(operand, Atom.of(operand.type().elemPrim(), 1));
    var b = new Builder(Span.NONE);
    forward.stms(b, copy.body().stms());
    return copy.body().results().stream()
        .map(y -> forward.has(y) ? forward.tangent(b, y) : null)
        .toList();
  }

  /** Returns an order in which everything comes after what it depends on, if there is one. */
  private static Optional<List<Integer>> sorted(List<TreeSet<Integer>> dependencies) {
    var order = new ArrayList<Integer>();
    while (order.size() < dependencies.size()) {
      int before = order.size();
      for (int i = 0; i < dependencies.size(); i++) {
        if (!order.contains(i) && order.containsAll(dependencies.get(i))) {
          order.add(i);
        }
      }
      if (order.size() == before) {
        return Optional.empty();
      }
    }
    return Optional.of(order);
  }

  private static boolean commutes(Lambda op) {
    int k = op.returns().size();
    var straight = new HashMap<Var, String>();
    var swapped = new HashMap<Var, String>();
    for (int i = 0; i < k; i++) {
      straight.put(op.params().get(i), "x" + i);
      straight.put(op.params().get(k + i), "y" + i);
      swapped.put(op.params().get(i), "y" + i);
      swapped.put(op.params().get(k + i), "x" + i);
    }
    return normal(op, straight).equals(normal(op, swapped));
  }

  /**
   * Returns the results as text in which the order of operands that commute makes no difference.
   */
  private static List<String> normal(Lambda op, Map<Var, String> names) {
    for (var stm : op.body().stms()) {
      names.put(
          stm.var(),
          switch (stm.exp()) {
            case Binary(var o, var x, var y) when o.isCommutativeMonoid() ->
                commutative(o, name(names, x), name(names, y));
            case Binary(var o, var x, var y) ->
                o + "(" + name(names, x) + ";" + name(names, y) + ")";
            case Unary(var o, var x) -> o + "(" + name(names, x) + ")";
            default -> stm.var().toString();
          });
    }
    return op.body().results().stream().map(x -> name(names, x)).toList();
  }

  private static String name(Map<Var, String> names, Atom x) {
    return x instanceof Var v ? names.getOrDefault(v, v.toString()) : x.toString();
  }

  /** Nested sums (or products, …) become one list of operands in alphabetical order. */
  private static String commutative(BinaryOp op, String x, String y) {
    var head = op + "{";
    var operands = new ArrayList<String>();
    for (var s : List.of(x, y)) {
      if (s.startsWith(head)) {
        operands.addAll(split(s.substring(head.length(), s.length() - 1)));
      } else {
        operands.add(s);
      }
    }
    operands.sort(null);
    return head + String.join(",", operands) + "}";
  }

  /** Splits at commas outside braces. */
  private static List<String> split(String text) {
    var parts = new ArrayList<String>();
    int depth = 0;
    int from = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      depth += c == '{' || c == '(' ? 1 : c == '}' || c == ')' ? -1 : 0;
      if (c == ',' && depth == 0) {
        parts.add(text.substring(from, i));
        from = i + 1;
      }
    }
    parts.add(text.substring(from));
    return parts;
  }

  /** Emits code for the x for which {@code x ⊙ a = z}. */
  List<Atom> undo(Builder b, List<? extends Atom> z, List<? extends Atom> a) {
    var x = new ArrayList<Atom>();
    z.forEach(v -> x.add(Atom.of(v.type().elemPrim(), 0)));
    for (int i : order) {
      if (declared) {
        var arguments = Lists.concat(x, a);
        arguments.set(i, b.bind("x", new Alias(x.get(i))));
        var at = slope(b, op, arguments, i);
        x.set(i, b.div(b.sub(z.get(i), at.get(0)), at.get(1)));
      } else {
        var rest = b.call(op, Lists.concat(x, a)).get(i);
        x.set(i, b.sub(z.get(i), rest));
      }
    }
    return x;
  }

  /** The function {@code (a, a') -> (z ⊙⁻¹ a') ⊙ a}; z may depend on a further index parameter. */
  List<Atom> around(
      Builder b, List<? extends Atom> z, List<? extends Atom> a, List<? extends Atom> constants) {
    return b.call(op, Lists.concat(undo(b, z, constants), a));
  }

  /** Other names for arrays, under which they are inactive. */
  static List<Var> constants(Builder b, List<Var> arrays) {
    var result = new ArrayList<Var>();
    for (var v : arrays) {
      var copy = Names.like(v);
      b.bindAll(List.of(copy), new Alias(v));
      result.add(copy);
    }
    return result;
  }
}
