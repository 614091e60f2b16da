package dev.kenaz.ir;

import dev.kenaz.error.IllFormed;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The verifiers' rules for one expression whose operands are known to be well formed. What doesn't
 * fit is {@link IllFormed}.
 */
public final class TypeRules {
  private final Map<String, FunDef> functions;

  /**
   * @param functions those that may be called; may be added to later
   */
  TypeRules(Map<String, FunDef> functions) {
    this.functions = functions;
  }

  /** Checks the operands against each other; the results' types. */
  List<Type> resultTypes(Exp exp) {
    switch (exp) {
      case Alias _, Trace _, Copy _ -> {}
      case Unary(var op, var x) -> takes(op, op.takes(prim(x)), x);
      case Binary(var op, var x, var y) -> {
        takes(op, op.takes(prim(x)), x);
        agree(op.name(), op == BinaryOp.LDEXP ? Type.scalar(Prim.I32) : x.type(), y.type());
      }
      case Compare(_, var x, var y) -> agree("comparison", scalar(x), y.type());
      case Fma(var x, var y, var z) -> {
        agree("fma", scalar(x), y.type());
        agree("fma", x.type(), z.type());
      }
      case Convert(_, var x) -> scalar(x);
      case Assert(var c, _, _, _) -> agree("condition", Type.BOOL, c.type());
      case Index(var a, var is, _) -> {
        indices(is);
        atMost(is.size(), array(a));
      }
      case Slice(var a, var dims, _) -> slice(a, dims);
      case Update(var a, var dims, var x, _) -> {
        slice(a, dims);
        agree("update", ResultTypes.of(new Slice(a, dims, false)).getFirst(), x.type());
      }
      case Iota(var n, var start, var step) -> {
        index(n);
        agree("iota", scalar(start), step.type());
      }
      case Replicate(var shape, _) -> indices(shape);
      case Scratch(_, var shape) -> indices(shape);
      case ArrayLit(var xs, var row) -> xs.forEach(x -> agree("element", row, x.type()));
      case Concat c -> concat(c);
      case Rearrange r -> rearrange(r);
      case Reshape(var shape, var a) -> {
        indices(shape);
        array(a);
      }
      case If(var c, var then, var otherwise) -> {
        agree("condition", Type.BOOL, c.type());
        branches(then.results(), otherwise.results());
      }
      case Loop(var params, var form, var body) -> loop(params, form, body.results());
      case Apply(var f, var arguments) -> {
        return apply(f, arguments);
      }
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
      case Filter _ -> throw new IllFormed("a filter's pattern says how many it keeps");
      case WithAcc(var ins, var body) -> withAcc(ins, body.params(), body.returns());
      case UpdateAcc(var acc, var is, var xs) -> {
        indices(is);
        var type = acc(acc.type());
        same("indices", type.space().size(), is.size());
        agreeAll("value", type.elems(), types(xs));
      }
      case Jvp(var f, var xs, var ts, var width) -> {
        arguments("jvp", f, types(xs));
        agreeAll("tangent", xs.stream().map(x -> widened(x.type(), width)).toList(), types(ts));
      }
      case Vjp(var f, var xs, var as, var width) -> {
        arguments("vjp", f, types(xs));
        agreeAll("adjoint", f.returns().stream().map(t -> widened(t, width)).toList(), types(as));
      }
      case WithVjp w -> withVjp(w);
    }
    return ResultTypes.of(exp);
  }

  private static void concat(Concat c) {
    index(c.size());
    var first = c.arrays().getFirst();
    c.arrays().forEach(x -> same("rank", array(x), array(first)));
    IllFormed.require(c.dim() >= 0 && c.dim() < array(first), "no dimension " + c.dim());
  }

  private static void rearrange(Rearrange r) {
    same("rank", array(r.array()), r.perm().size());
    for (int i = 0; i < r.perm().size(); i++) {
      IllFormed.require(r.perm().contains(i), r.perm() + " is no permutation");
    }
  }

  // Expressions with scopes

  public static void branches(List<Atom> then, List<Atom> otherwise) {
    same("results", then.size(), otherwise.size());
    for (int i = 0; i < then.size(); i++) {
      // Sizes may differ: an earlier result then is the size.
      agreeButSizes("branch", then.get(i).type(), otherwise.get(i).type());
    }
  }

  public static void loop(List<LoopParam> params, LoopForm form, List<Atom> results) {
    var types = params.stream().map(p -> p.var().type()).toList();
    agreeAll("loop's start", types, types(params.stream().map(LoopParam::init).toList()));
    agreeAll("loop's result", types, types(results));
    switch (form) {
      case For(var i, var bound) -> {
        agree("loop's bound", i.type(), bound.type());
        IllFormed.require(
            scalar(i) instanceof Type.Scalar(var p) && p.isInteger(), "a loop counts integers");
      }
      case While(var c) ->
          IllFormed.require(
              params.stream().anyMatch(p -> p.var().equals(c)) && c.type().equals(Type.BOOL),
              "the loop's condition is no bool parameter of it");
    }
  }

  private List<Type> apply(String name, List<Atom> arguments) {
    var f = functions.get(name);
    if (f == null) {
      throw new IllFormed("the function " + name + " is not defined before its use");
    }
    agreeAll("argument", f.params().stream().map(Var::type).toList(), types(arguments));
    // sizes are the callee's: compared by rank and element only
    return f.returns();
  }

  /**
   * @param operands what the scans, then the reductions, then nothing else combines
   */
  public static void screma(List<Scan> scans, List<Reduce> reduces, List<Type> operands) {
    int at = 0;
    for (var scan : scans) {
      at = operator("scan", scan.op(), scan.neutral(), operands, at);
    }
    for (var reduce : reduces) {
      at = operator("reduce", reduce.op(), reduce.neutral(), operands, at);
    }
  }

  /** Checks an operator against its part of the map's results; where the next part starts. */
  private static int operator(String what, Lambda op, List<Atom> ne, List<Type> operands, int at) {
    IllFormed.require(at + ne.size() <= operands.size(), "too few operands of a " + what);
    var part = operands.subList(at, at + ne.size());
    agreeAll(what + "'s neutral element", part, types(ne));
    var both = new ArrayList<>(part);
    both.addAll(part);
    arguments(what + "'s operator", op, both);
    agreeAll(what + "'s operator's result", part, op.returns());
    return at + ne.size();
  }

  /**
   * @param returns the indices, then the values
   */
  public static void hist(List<HistOp> ops, List<Type> returns) {
    int at = 0;
    for (var op : ops) {
      indices(op.shape());
      at = indexResults(returns, at, op.shape().size());
    }
    for (var op : ops) {
      same("destinations", op.neutral().size(), op.dests().size());
      IllFormed.require(at + op.dests().size() <= returns.size(), "too few values for a hist");
      for (int i = 0; i < op.dests().size(); i++) {
        agree("destination", op.dests().get(i).type(), returns.get(at + i).under(op.shape()));
      }
      at = operator("hist", op.op(), op.neutral(), returns, at);
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

  /** The results' types of a filter whose first result the pattern names. */
  static List<Type> filter(Filter f, List<Var> pattern) {
    inputs(f.width(), f.inputs(), f.map());
    return filter(f.map().returns(), pattern);
  }

  /**
   * The same.
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
    IllFormed.require(at + n <= returns.size(), "too few indices");
    returns.subList(at, at + n).forEach(t -> agree("index", Type.I64, t));
    return at + n;
  }

  /**
   * @param returns the accumulators, then other results
   */
  public static void withAcc(List<AccInput> inputs, List<Var> params, List<Type> returns) {
    same("accumulators", inputs.size(), params.size());
    IllFormed.require(params.size() <= returns.size(), "an accumulator is no result");
    for (int i = 0; i < params.size(); i++) {
      var in = inputs.get(i);
      var acc = acc(params.get(i).type());
      same("arrays of an accumulator", in.arrays().size(), acc.elems().size());
      same("dimensions of an accumulator", in.space().size(), acc.space().size());
      for (int k = 0; k < in.arrays().size(); k++) {
        agree("array", in.arrays().get(k).type(), acc.elems().get(k).under(in.space()));
      }
      in.combine().ifPresent(c -> operator("combine", c.op(), c.neutral(), acc.elems(), 0));
      agree("accumulator's result", acc, returns.get(i));
    }
  }

  private static void withVjp(WithVjp w) {
    arguments("with_vjp", w.function(), types(w.arguments()));
    var returns = w.function().returns();
    var kept = returns.subList(0, returns.size() - w.tape());
    var params = new ArrayList<>(types(w.arguments()));
    params.addAll(returns);
    params.addAll(kept);
    arguments("rule", w.rule(), params);
    agreeAll("rule's result", types(w.arguments()), w.rule().returns());
  }

  private static void inputs(Atom width, List<Var> inputs, Lambda map) {
    index(width);
    for (var in : inputs) {
      if (in.type() instanceof Type.Array a) {
        agreeSize("input's outer size", width, a.shape().getFirst());
      } else {
        acc(in.type());
      }
    }
    arguments("map", map, inputs.stream().map(v -> Builder.rowType(v.type())).toList());
  }

  private static void slice(Var a, List<DimSlice> dims) {
    same("slice's dimensions", array(a), dims.size());
    for (var d : dims) {
      switch (d) {
        case DimSlice.Fix(var i) -> index(i);
        case DimSlice.Range(var start, var count, var stride) ->
            indices(List.of(start, count, stride));
      }
    }
  }

  // Agreement

  /** What a statement binds against what its expression gives. */
  public static void pattern(List<Var> pattern, List<Type> types) {
    if (types.size() != pattern.size()) {
      throw new IllFormed("binds " + pattern.size() + " of " + types.size() + " results");
    }
    for (int i = 0; i < types.size(); i++) {
      agree("pattern", pattern.get(i).type(), types.get(i));
    }
  }

  public static void results(String what, List<Type> types, List<Atom> results) {
    agreeAll(what + "'s result", types, types(results));
  }

  private static void arguments(String what, Lambda f, List<Type> arguments) {
    agreeAll(what + "'s argument", f.params().stream().map(Var::type).toList(), arguments);
  }

  private static void agreeAll(String what, List<Type> expected, List<Type> actual) {
    same(what + "s", expected.size(), actual.size());
    for (int i = 0; i < expected.size(); i++) {
      agree(what, expected.get(i), actual.get(i));
    }
  }

  public static void agree(String what, Type expected, Type actual) {
    agreeButSizes(what, expected, actual);
    if (expected instanceof Type.Array a && actual instanceof Type.Array b) {
      for (int i = 0; i < a.rank(); i++) {
        agreeSize(what + "'s size", a.shape().get(i), b.shape().get(i));
      }
    }
  }

  private static void agreeButSizes(String what, Type expected, Type actual) {
    boolean ok =
        switch (expected) {
          case Type.Scalar s -> s.equals(actual);
          case Type.Array a ->
              actual instanceof Type.Array b && a.elem() == b.elem() && a.rank() == b.rank();
          case Type.Acc a ->
              actual instanceof Type.Acc b
                  && a.token() == b.token()
                  && a.elems().size() == b.elems().size()
                  && a.space().size() == b.space().size();
        };
    IllFormed.require(ok, what + " has type " + actual + ", expected " + expected);
  }

  private static void agreeSize(String what, Atom expected, Atom actual) {
    boolean differ = expected instanceof Const && actual instanceof Const;
    IllFormed.require(
        !differ || expected.equals(actual), what + " is " + actual + ", not " + expected);
  }

  private static void same(String what, int expected, int actual) {
    IllFormed.require(expected == actual, what + ": expected " + expected + ", found " + actual);
  }

  private static void atMost(int n, int limit) {
    IllFormed.require(n <= limit, n + " indices into " + limit + " dimensions");
  }

  private static Type scalar(Atom x) {
    IllFormed.require(x.type().isScalar(), x + " of type " + x.type() + " is no scalar");
    return x.type();
  }

  private static Prim prim(Atom x) {
    return scalar(x).elemPrim();
  }

  private static void takes(Enum<?> op, boolean ok, Atom x) {
    IllFormed.require(ok, op + " of " + x + " of type " + x.type());
  }

  /** The rank. */
  private static int array(Var x) {
    IllFormed.require(x.type().isArray(), x + " of type " + x.type() + " is no array");
    return x.type().dims().size();
  }

  private static Type.Acc acc(Type type) {
    if (type instanceof Type.Acc a) {
      return a;
    }
    throw new IllFormed(type + " is no accumulator");
  }

  public static void index(Atom x) {
    IllFormed.require(
        x.type().equals(new Type.Scalar(Prim.I64)), x + " of type " + x.type() + " is no i64");
  }

  private static void indices(List<Atom> xs) {
    xs.forEach(TypeRules::index);
  }

  private static Type widened(Type type, java.util.Optional<Atom> width) {
    return width.map(type::under).orElse(type);
  }

  private static List<Type> types(List<? extends Atom> atoms) {
    return atoms.stream().map(Atom::type).toList();
  }
}
