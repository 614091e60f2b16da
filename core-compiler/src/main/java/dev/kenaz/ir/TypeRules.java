package dev.kenaz.ir;

import dev.kenaz.ir.Exp.*;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What the parts of a statement or a lambda have to do with each other. What doesn't fit is {@link
 * IllFormed}. The verifiers go by these rules. So do statements, lambdas and functions when they
 * are made, where {@link #WHEN_MADE} says so.
 *
 * <p>Sizes are compared only as far as constants tell: two different atoms may be equal at run time
 * because the program asserted it.
 */
public final class TypeRules {
  /**
   * Whether a wrong statement fails where it is made, and not only in the verifier: where Java's
   * assertions are enabled, as tests have them. It takes a sixth of the time that passes take.
   */
  static final boolean WHEN_MADE = TypeRules.class.desiredAssertionStatus();

  private TypeRules() {}

  /** Checks what a statement binds, and what it is bound to but for calls' callees. */
  static void statement(List<Var> pattern, Exp exp) {
    expression(exp);
    switch (exp) {
      case Apply _ -> {}
      case Filter f -> pattern(pattern, filter(f.map().returns(), pattern));
      default -> pattern(pattern, ResultTypes.of(exp));
    }
  }

  /** Checks the parts of an expression against each other, but not a call against its callee. */
  public static void expression(Exp exp) {
    switch (exp) {
      case Alias _, Trace _, Apply _ -> {}
      case Unary(var op, var x) -> unary(op, x);
      case Binary(var op, var x, var y) -> binary(op, x, y);
      case Compare(_, var x, var y) -> sameScalars(x, y);
      case Fma(var x, var y, var z) -> sameScalars(x, y, z);
      case Convert(_, var x) -> prim(x);
      case Assert a -> condition(a.condition());
      case Index(var a, var is, _) -> index(a, is);
      case Slice(var a, var dims, _) -> slice(a, dims);
      case Update(var a, var dims, var x, _) -> update(a, dims, x);
      case Iota(var n, var start, var step) -> {
        index(n);
        sameScalars(start, step);
      }
      case Replicate(var shape, _) -> indices(shape);
      case Scratch(_, var shape) -> indices(shape);
      case ArrayLit(var xs, var row) -> xs.forEach(x -> agree("element", row, x.type()));
      case Concat(var dim, var xs, var size) -> concat(dim, xs, size);
      case Rearrange(var perm, var a) -> rearrange(perm, a);
      case Reshape(var shape, var a) -> {
        indices(shape);
        array(a);
      }
      case Copy(var a) -> array(a);
      case If(var c, var then, var otherwise) -> {
        condition(c);
        branches(then.results(), otherwise.results());
      }
      case Loop(var params, var form, var body) -> loop(params, form, body.results());
      case Screma s -> {
        inputs(s.width(), s.inputs(), s.map());
        screma(s.scans(), s.reduces(), s.map().returns());
      }
      case Hist h -> {
        inputs(h.width(), h.inputs(), h.map());
        hist(h.ops(), h.map().returns());
      }
      case Scatter s -> {
        inputs(s.width(), s.inputs(), s.map());
        scatter(s.dests(), s.map().returns());
      }
      case Filter f -> inputs(f.width(), f.inputs(), f.map());
      case WithAcc(var ins, var body) -> withAcc(ins, body.params(), body.returns());
      case UpdateAcc(var acc, var is, var xs) -> updateAcc(acc, is, xs);
      case Jvp(var f, var xs, var ts, var width) -> jvp(f, xs, ts, width);
      case Vjp(var f, var xs, var as, var width) -> vjp(f, xs, as, width);
      case WithVjp(var f, var tape, var rule, var xs) -> withVjp(f, tape, rule, xs);
    }
  }

  // Scalars

  private static void unary(UnaryOp op, Atom x) {
    takes(op, op.takes(prim(x)), x);
  }

  private static void binary(BinaryOp op, Atom x, Atom y) {
    var prim = prim(x);
    takes(op, op.takes(prim), x);
    scalar(op == BinaryOp.LDEXP ? Prim.I32 : prim, y);
  }

  private static void sameScalars(Atom x, Atom... others) {
    var prim = prim(x);
    for (var y : others) {
      scalar(prim, y);
    }
  }

  private static void takes(Enum<?> op, boolean ok, Atom x) {
    if (!ok) {
      throw new IllFormed(op + " of " + x + " of type " + x.type());
    }
  }

  private static Prim prim(Atom x) {
    if (x.type() instanceof Type.Scalar(var prim)) {
      return prim;
    }
    throw new IllFormed(x + " of type " + x.type() + " is no scalar");
  }

  private static void scalar(Prim expected, Atom x) {
    if (prim(x) != expected) {
      throw new IllFormed(x + " has type " + x.type() + ", expected " + expected.text());
    }
  }

  public static void condition(Atom x) {
    scalar(Prim.BOOL, x);
  }

  // Arrays

  public static void index(Atom x) {
    scalar(Prim.I64, x);
  }

  public static void indices(List<? extends Atom> xs) {
    xs.forEach(x -> index(x));
  }

  /** Checks that the variable is an array, and returns its rank. */
  private static int array(Var x) {
    if (x.type() instanceof Type.Array a) {
      return a.rank();
    }
    throw new IllFormed(x + " of type " + x.type() + " is no array");
  }

  private static Type.Acc acc(Type type) {
    if (type instanceof Type.Acc a) {
      return a;
    }
    throw new IllFormed(type + " is no accumulator");
  }

  private static void index(Var a, List<Atom> indices) {
    indices(indices);
    if (indices.size() > array(a)) {
      throw new IllFormed(indices.size() + " indices into " + array(a) + " dimensions");
    }
  }

  private static void slice(Var a, List<DimSlice> dims) {
    same("slice's dimensions", array(a), dims.size());
    for (var d : dims) {
      switch (d) {
        case DimSlice.Fix(var i) -> index(i);
        case DimSlice.Range(var start, var count, var stride) -> {
          index(start);
          index(count);
          index(stride);
        }
      }
    }
  }

  private static void update(Var a, List<DimSlice> dims, Atom x) {
    slice(a, dims);
    agree("update", ResultTypes.slice(a, dims), x.type());
  }

  private static void concat(int dim, List<Var> arrays, Atom size) {
    index(size);
    int rank = array(arrays.getFirst());
    for (var a : arrays) {
      same("rank", rank, array(a));
      scalars("element", arrays.getFirst().type().elemPrim(), a.type().elemPrim());
    }
    if (dim < 0 || dim >= rank) {
      throw new IllFormed("no dimension " + dim);
    }
  }

  private static void rearrange(List<Integer> perm, Var a) {
    same("rank", array(a), perm.size());
    for (int i = 0; i < perm.size(); i++) {
      if (!perm.contains(i)) {
        throw new IllFormed(perm + " is no permutation");
      }
    }
  }

  // Control

  public static void branches(List<Atom> then, List<Atom> otherwise) {
    same("results", then.size(), otherwise.size());
    for (int i = 0; i < then.size(); i++) {
      // Sizes may differ: an earlier result then is the size.
      agreeButSizes("branch", then.get(i).type(), otherwise.get(i).type());
    }
  }

  public static void loop(List<LoopParam> params, LoopForm form, List<Atom> results) {
    same("loop's results", params.size(), results.size());
    for (int i = 0; i < params.size(); i++) {
      var type = params.get(i).var().type();
      agree("loop's start", type, params.get(i).init().type());
      agree("loop's result", type, results.get(i).type());
    }
    switch (form) {
      case For(var i, var bound) -> counter(i, bound);
      case While(var c) -> {
        condition(c);
        if (params.stream().noneMatch(p -> p.var().equals(c))) {
          throw new IllFormed("the loop's condition is no parameter of it");
        }
      }
    }
  }

  private static void counter(Var i, Atom bound) {
    sameScalars(i, bound);
    if (!prim(i).isInteger()) {
      throw new IllFormed("a loop counts integers");
    }
  }

  // Operators

  /** A lambda that combines what such a neutral element stands for. */
  private static void operator(Lambda op, List<Atom> neutral) {
    int n = neutral.size();
    same("operator's parameters", 2 * n, op.params().size());
    same("operator's results", n, op.returns().size());
    for (int i = 0; i < n; i++) {
      var type = neutral.get(i).type();
      agree("operator's argument", type, op.params().get(i).type());
      agree("operator's argument", type, op.params().get(n + i).type());
      agree("operator's result", type, op.returns().get(i));
    }
  }

  /**
   * @param operands what the scans, then the reductions combine, then others
   */
  public static void screma(List<Scan> scans, List<Reduce> reduces, List<Type> operands) {
    int at = 0;
    for (var scan : scans) {
      operator(scan.op(), scan.neutral());
      at = operands(scan.neutral(), operands, at);
    }
    for (var reduce : reduces) {
      operator(reduce.op(), reduce.neutral());
      at = operands(reduce.neutral(), operands, at);
    }
  }

  /** Checks an operator's neutral element against its operands; where the next ones start. */
  private static int operands(List<Atom> neutral, List<Type> operands, int at) {
    for (var x : neutral) {
      if (at == operands.size()) {
        throw new IllFormed("too few operands");
      }
      agree("neutral element", operands.get(at++), x.type());
    }
    return at;
  }

  /**
   * @param returns the indices, then the values
   */
  public static void hist(List<HistOp> ops, List<Type> returns) {
    int at = 0;
    for (var op : ops) {
      indices(op.shape());
      operator(op.op(), op.neutral());
      same("destinations", op.neutral().size(), op.dests().size());
      at = indexResults(returns, at, op.shape().size());
    }
    for (var op : ops) {
      int end = operands(op.neutral(), returns, at);
      for (int i = 0; i < op.dests().size(); i++) {
        agree("destination", op.dests().get(i).type(), returns.get(at + i).under(op.shape()));
      }
      at = end;
    }
    same("hist's results", returns.size(), at);
  }

  /**
   * @param returns the indices, then the values
   */
  public static void scatter(List<ScatterDest> dests, List<Type> returns) {
    int at = 0;
    for (var d : dests) {
      indices(d.shape());
      at = indexResults(returns, at, d.shape().size());
    }
    same("scatter's results", at + dests.size(), returns.size());
    for (var d : dests) {
      agree("destination", d.dest().type(), returns.get(at).under(d.shape()));
      at++;
    }
  }

  /**
   * Returns the results' types of a filter whose first result the pattern names.
   *
   * @param returns whether something is kept, and what
   */
  public static List<Type> filter(List<Type> returns, List<Var> pattern) {
    IllFormed.require(
        !returns.isEmpty() && returns.getFirst().equals(Type.BOOL),
        "a filter's first result says whether to keep the others");
    var types = new ArrayList<Type>(List.of(Type.I64));
    var size = pattern.isEmpty() ? Atom.i64(0) : pattern.getFirst();
    returns.stream().skip(1).forEach(t -> types.add(t.under(size)));
    for (var v : pattern.stream().skip(1).toList()) {
      IllFormed.require(
          v.type() instanceof Type.Array a && a.shape().getFirst().equals(size),
          "what is kept has type " + v.type() + ", not of size " + size);
    }
    return types;
  }

  private static int indexResults(List<Type> returns, int at, int n) {
    for (int i = at; i < at + n; i++) {
      if (i >= returns.size()) {
        throw new IllFormed("too few indices");
      }
      agree("index", Type.I64, returns.get(i));
    }
    return at + n;
  }

  /**
   * @param returns the accumulators, then other results
   */
  public static void withAcc(List<AccInput> inputs, List<Var> params, List<Type> returns) {
    same("accumulators", inputs.size(), params.size());
    if (params.size() > returns.size()) {
      throw new IllFormed("an accumulator is no result");
    }
    for (int i = 0; i < params.size(); i++) {
      var in = inputs.get(i);
      var acc = acc(params.get(i).type());
      same("arrays of an accumulator", in.arrays().size(), acc.elems().size());
      same("dimensions of an accumulator", in.space().size(), acc.space().size());
      for (int k = 0; k < in.arrays().size(); k++) {
        agree("array", in.arrays().get(k).type(), acc.elems().get(k).under(in.space()));
      }
      indices(in.space());
      in.combine()
          .ifPresent(
              c -> {
                operator(c.op(), c.neutral());
                operands(c.neutral(), acc.elems(), 0);
              });
      agree("accumulator's result", acc, returns.get(i));
    }
  }

  private static void updateAcc(Var acc, List<Atom> indices, List<Atom> values) {
    indices(indices);
    var type = acc(acc.type());
    same("indices", type.space().size(), indices.size());
    agreeAll("value", type.elems(), values);
  }

  private static void inputs(Atom width, List<Var> inputs, Lambda map) {
    index(width);
    same("map's parameters", inputs.size(), map.params().size());
    for (int i = 0; i < inputs.size(); i++) {
      var type = inputs.get(i).type();
      if (type instanceof Type.Array a) {
        agreeSize("input's outer size", width, a.shape().getFirst());
      } else {
        acc(type);
      }
      agree("map's argument", Builder.rowType(type), map.params().get(i).type());
    }
  }

  // Derivatives

  private static void jvp(
      Lambda f, List<Atom> arguments, List<Atom> tangents, Optional<Atom> width) {
    arguments("jvp", f, arguments);
    same("tangents", arguments.size(), tangents.size());
    for (int i = 0; i < arguments.size(); i++) {
      agree("tangent", widened(arguments.get(i).type(), width), tangents.get(i).type());
    }
  }

  private static void vjp(
      Lambda f, List<Atom> arguments, List<Atom> adjoints, Optional<Atom> width) {
    arguments("vjp", f, arguments);
    agreeAll("adjoint", f.returns().stream().map(t -> widened(t, width)).toList(), adjoints);
  }

  private static void withVjp(Lambda f, int tape, Lambda rule, List<Atom> arguments) {
    arguments("with_vjp", f, arguments);
    var params =
        Lists.concat(
            types(arguments), f.returns(), f.returns().subList(0, f.returns().size() - tape));
    agreeAll("rule's argument", params, rule.params());
    agreeAll("rule's result", rule.returns(), arguments);
  }

  private static Type widened(Type type, Optional<Atom> width) {
    return width.map(type::under).orElse(type);
  }

  private static List<Type> types(List<? extends Atom> atoms) {
    return atoms.stream().map(Atom::type).toList();
  }

  private static void arguments(String what, Lambda f, List<Atom> arguments) {
    same(what, f.params().size(), arguments.size());
    for (int i = 0; i < arguments.size(); i++) {
      agree(what, f.params().get(i).type(), arguments.get(i).type());
    }
  }

  // Agreement

  /** What a statement binds against what its expression gives. */
  public static void pattern(List<Var> pattern, List<Type> types) {
    if (types.size() != pattern.size()) {
      throw new IllFormed("binds " + pattern.size() + " of " + types.size() + " results");
    }
    agreeAll("pattern", types, pattern);
  }

  public static void agreeAll(String what, List<Type> expected, List<? extends Atom> actual) {
    same(what, expected.size(), actual.size());
    for (int i = 0; i < expected.size(); i++) {
      agree(what, expected.get(i), actual.get(i).type());
    }
  }

  private static void agree(String what, Type expected, Type actual) {
    if (expected == actual) {
      return;
    }
    agreeButSizes(what, expected, actual);
    if (expected instanceof Type.Array a && actual instanceof Type.Array b) {
      for (int i = 0; i < a.rank(); i++) {
        agreeSize(what, a.shape().get(i), b.shape().get(i));
      }
    }
  }

  private static void agreeButSizes(String what, Type expected, Type actual) {
    boolean ok =
        switch (expected) {
          case Type.Scalar(var p) -> actual instanceof Type.Scalar(var q) && p == q;
          case Type.Array a ->
              actual instanceof Type.Array b && a.elem() == b.elem() && a.rank() == b.rank();
          case Type.Acc a ->
              actual instanceof Type.Acc b
                  && a.token() == b.token()
                  && a.elems().size() == b.elems().size()
                  && a.space().size() == b.space().size();
        };
    if (!ok) {
      throw new IllFormed(what + " has type " + actual + ", expected " + expected);
    }
  }

  private static void scalars(String what, Prim expected, Prim actual) {
    if (expected != actual) {
      throw new IllFormed(what + " has type " + actual.text() + ", expected " + expected.text());
    }
  }

  private static void agreeSize(String what, Atom expected, Atom actual) {
    if (expected instanceof Const && actual instanceof Const && !expected.equals(actual)) {
      throw new IllFormed(what + "'s size is " + actual + ", not " + expected);
    }
  }

  private static void same(String what, int expected, int actual) {
    if (expected != actual) {
      throw new IllFormed(what + ": expected " + expected + ", found " + actual);
    }
  }
}
