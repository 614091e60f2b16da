package dev.kenaz.ir;

import dev.kenaz.error.Span;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Sizes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Collects statements. Every method that computes something adds a statement and returns the
 * variable (or, where nothing needs computing, an atom) that stands for it; nested scopes are
 * functions of a fresh builder. Result types are derived from the operands by {@link ResultTypes}.
 */
public final class Builder {
  /** What a check of a product of sizes says. */
  public static final String TIMES = "an array of {} times {} elements is larger than any memory";

  /** What is computed has one of these names until the program says another one. */
  private static final Set<String> NAMELESS =
      Set.of(
          "soac", "t", "rep", "iota", "if", "loop", "while", "filter", "kept", "hist", "scatter",
          "flat", "part", "cat", "cast", "copy", "tr", "jvp", "vjp");

  /** A name is for one of so many statements that were added last. */
  private static final int RECENT = 8;

  private final List<Stm> stms = new ArrayList<>();
  private Span span;
  private List<Attr> attrs = List.of();

  public Builder(Span span) {
    this.span = span;
  }

  /** What is added from now on comes from there. */
  public Builder at(Span newSpan) {
    if (newSpan.known()) {
      span = newSpan;
    }
    return this;
  }

  public Span span() {
    return span;
  }

  /** Makes the next statement carry these attributes. */
  public Builder with(List<Attr> next) {
    attrs = next;
    return this;
  }

  /**
   * The last statement, if it is a loop, a branch, a call or an operator on arrays, carries these
   * attributes too.
   */
  public Builder annotate(List<Attr> more) {
    if (!stms.isEmpty() && takesAttributes(stms.getLast().exp())) {
      var last = stms.removeLast();
      var all = Lists.concat(last.attrs(), more);
      stms.add(new Stm(last.pattern(), last.exp(), all, last.span()));
    }
    return this;
  }

  private static boolean takesAttributes(Exp exp) {
    return switch (exp) {
      case Soac _, If _, Loop _, Apply _, WithAcc _, Jvp _, Vjp _, WithVjp _ -> true;
      default -> false;
    };
  }

  /** Returns the variable by the name that the program has for it, if it had none so far. */
  public Var named(Var v, String name) {
    for (int i = stms.size() - 1; i >= Math.max(0, stms.size() - RECENT); i--) {
      var stm = stms.get(i);
      int at = stm.pattern().indexOf(v);
      if (at >= 0 && NAMELESS.contains(stm.pattern().get(at).name())) {
        var pattern = new ArrayList<>(stm.pattern());
        pattern.set(at, new Var(name, v.tag(), v.type()));
        stms.set(i, new Stm(pattern, stm.exp(), stm.attrs(), stm.span()));
        return pattern.get(at);
      }
    }
    return v;
  }

  public Builder add(Stm stm) {
    stms.add(stm);
    return this;
  }

  public Builder addAll(List<Stm> more) {
    stms.addAll(more);
    return this;
  }

  /**
   * Adds the body's statements; its results. The body must not be used elsewhere: see {@link
   * #call}.
   */
  public List<Atom> inline(Body body) {
    stms.addAll(body.stms());
    return body.results();
  }

  /** Adds a copy of the lambda's body with these arguments; its results. */
  public List<Atom> call(Lambda lambda, List<? extends Atom> arguments) {
    return inline(Renaming.call(lambda, arguments));
  }

  public List<Stm> stms() {
    return List.copyOf(stms);
  }

  public Body body(List<? extends Atom> results) {
    return new Body(stms, List.copyOf(results));
  }

  /**
   * Returns a builder for a scope inside this one. What it adds stands at the same place in the
   * source.
   */
  public Builder inner() {
    return new Builder(span);
  }

  // Binding

  public List<Var> bindAll(List<Var> pattern, Exp exp) {
    stms.add(new Stm(pattern, exp, attrs, span));
    attrs = List.of();
    return pattern;
  }

  /** Binds results of the given types; for expressions whose sizes are all known outside. */
  public List<Var> bindAll(String name, List<Type> types, Exp exp) {
    return bindAll(types.stream().map(t -> Names.fresh(name, t)).toList(), exp);
  }

  public Var bind(String name, Type type, Exp exp) {
    return bindAll(List.of(Names.fresh(name, type)), exp).getFirst();
  }

  /** Binds an expression whose types {@link ResultTypes} can tell. */
  public Var bind(String name, Exp exp) {
    return bindAll(name, exp).getFirst();
  }

  public List<Var> bindAll(String name, Exp exp) {
    return bindAll(name, ResultTypes.of(exp), exp);
  }

  public void check(Atom condition, String message, List<? extends Atom> arguments) {
    bindAll(List.<Var>of(), new Assert(condition, Assert.FAILED, message, List.copyOf(arguments)));
  }

  /** Returns the product of two sizes, after a check that it is one. */
  public Atom sizes(Atom x, Atom y) {
    if (x instanceof Const(var a) && y instanceof Const(var b)) {
      long product = Sizes.times(a.asLong(), b.asLong());
      if (product > Sizes.LONGEST) {
        checkSize(Atom.bool(false), TIMES, List.of(x, y));
      }
      return Atom.i64(product);
    }
    if (x.isConst(1) || y.isConst(1)) {
      return mul(x, y);
    }
    var product = mul(x, y);
    // not a comparison of the product, which is taken for a size beforehand
    var above = binary(BinaryOp.USHR, product, Atom.i64(Sizes.LONGEST_BITS));
    var more = binary(BinaryOp.OR, binary(BinaryOp.MUL_HI, x, y), above);
    checkSize(compare(CompareOp.EQ, more, Atom.i64(0)), TIMES, List.of(x, y));
    return product;
  }

  public void checkSize(Atom condition, String message, List<? extends Atom> arguments) {
    bindAll(
        List.<Var>of(), new Assert(condition, Assert.TOO_LARGE, message, List.copyOf(arguments)));
  }

  // Scalars

  public Atom unary(UnaryOp op, Atom x) {
    return bind("t", new Unary(op, x));
  }

  public Atom binary(BinaryOp op, Atom x, Atom y) {
    return bind("t", new Binary(op, x, y));
  }

  public Atom compare(CompareOp op, Atom x, Atom y) {
    return bind("c", new Compare(op, x, y));
  }

  public Atom add(Atom x, Atom y) {
    return x.isConst(0) && notFloat(x)
        ? y
        : y.isConst(0) && notFloat(y) ? x : binary(addition(x.type().elemPrim()), x, y);
  }

  public Atom sub(Atom x, Atom y) {
    return y.isConst(0) && notFloat(y) ? x : binary(BinaryOp.SUB, x, y);
  }

  public Atom mul(Atom x, Atom y) {
    return x.isConst(1) ? y : y.isConst(1) ? x : binary(BinaryOp.MUL, x, y);
  }

  /** Returns {@code x * y + z} of scalars of one type; for floats it is rounded once. */
  public Atom mulAdd(Atom x, Atom y, Atom z) {
    var prim = z.type().elemPrim();
    boolean plain = x.isConst(1) || y.isConst(1) || z.isConst(0);
    return plain || !prim.isFloat() ? add(mul(x, y), z) : bind("t", new Exp.Fma(x, y, z));
  }

  public Atom div(Atom x, Atom y) {
    return binary(BinaryOp.DIV, x, y);
  }

  public Atom neg(Atom x) {
    return unary(UnaryOp.NEG, x);
  }

  public Atom not(Atom x) {
    return unary(UnaryOp.NOT, x);
  }

  public Atom and(Atom x, Atom y) {
    return binary(BinaryOp.AND, x, y);
  }

  /** Binds one of two atoms of the same type. */
  public Atom choose(Atom condition, Atom then, Atom otherwise) {
    var branches =
        new If(
            condition, new Body(List.of(), List.of(then)), new Body(List.of(), List.of(otherwise)));
    return bind("sel", then.type(), branches);
  }

  /** Binds whether {@code 0 <= i < n}, by one comparison. */
  public Atom inBounds(Atom i, Atom n) {
    return compare(CompareOp.LT, convert(Prim.U64, i), convert(Prim.U64, n));
  }

  public Atom convert(Prim to, Atom x) {
    return x.type().elemPrim() == to ? x : bind("t", new Convert(to, x));
  }

  private static boolean notFloat(Atom x) {
    return !x.type().elemPrim().isFloat();
  }

  // Arrays

  /** Returns an element or subarray that is known to exist. */
  public Atom index(Var array, Atom... indices) {
    return bind("x", new Index(array, List.of(indices), false));
  }

  public Var replicate(List<Atom> shape, Atom value) {
    return bind("rep", new Replicate(shape, value));
  }

  /** Returns zero of any type: a constant, or an array of zeros. */
  public Atom zero(Type type) {
    var zero = Atom.of(type.elemPrim(), 0);
    return type.isScalar() ? zero : replicate(type.dims(), zero);
  }

  public Var iota(Atom n) {
    return bind("iota", new Iota(n, Atom.i64(0), Atom.i64(1)));
  }

  public Var update(Var array, List<Atom> indices, Atom value) {
    var slice = new ArrayList<DimSlice>();
    indices.forEach(i -> slice.add(new DimSlice.Fix(i)));
    for (var d : array.type().dims().subList(indices.size(), array.type().dims().size())) {
      slice.add(new DimSlice.Range(Atom.i64(0), d, Atom.i64(1)));
    }
    return bind(array.name(), new Update(array, slice, value, false));
  }

  /** Returns the array with its outer two dimensions exchanged. */
  public Var transposed(Var array) {
    return bind("tr", transposition(array));
  }

  public static Rearrange transposition(Var array) {
    var perm = new ArrayList<>(List.of(1, 0));
    for (int d = 2; d < array.type().dims().size(); d++) {
      perm.add(d);
    }
    return new Rearrange(perm, array);
  }

  // Scopes

  /** A lambda; its return types are those of the results. */
  public Lambda lambda(
      List<Type> params, BiFunction<Builder, List<Var>, List<? extends Atom>> body) {
    return lambdaOf(params.stream().map(t -> Names.fresh("x", t)).toList(), body);
  }

  public Lambda lambdaOf(
      List<Var> params, BiFunction<Builder, List<Var>, List<? extends Atom>> body) {
    var inner = inner();
    var results = body.apply(inner, params);
    return new Lambda(params, inner.body(results), results.stream().map(Atom::type).toList());
  }

  /** Returns the operator as a lambda of two scalars of this type. */
  public Lambda operator(BinaryOp op, Prim prim) {
    return operator(op, Type.scalar(prim));
  }

  /** Returns the operator as a lambda of two values of this type, elementwise on arrays. */
  public Lambda operator(BinaryOp op, Type type) {
    return lambda(List.of(type, type), (b, p) -> List.of(b.elementwise(op, p.get(0), p.get(1))));
  }

  private Atom elementwise(BinaryOp op, Atom x, Atom y) {
    if (x.type().isScalar()) {
      return binary(op, x, y);
    }
    return map(
            x.type().dims().getFirst(),
            List.of((Var) x, (Var) y),
            (b, p) -> List.of(b.elementwise(op, p.get(0), p.get(1))))
        .getFirst();
  }

  /** Addition of numbers; of tangents that are truth values whether any is true. */
  public static BinaryOp addition(Prim prim) {
    return prim == Prim.BOOL ? BinaryOp.OR : BinaryOp.ADD;
  }

  /** Returns what passes rows of the arrays on as they are. */
  public Lambda identity(List<Var> arrays) {
    return lambda(arrays.stream().map(a -> rowType(a.type())).toList(), (_, x) -> x);
  }

  /** Both branches' results must have the given types. */
  public List<Var> ifThenElse(
      Atom condition,
      List<Type> types,
      Function<Builder, List<? extends Atom>> then,
      Function<Builder, List<? extends Atom>> otherwise) {
    var b1 = inner();
    var thenBody = b1.body(then.apply(b1));
    var b2 = inner();
    var elseBody = b2.body(otherwise.apply(b2));
    return bindAll("if", types, new If(condition, thenBody, elseBody));
  }

  /** {@code for i < bound} over parameters that keep their types. */
  public List<Var> forLoop(
      Atom bound,
      List<? extends Atom> inits,
      BiFunction<Var, List<Var>, Function<Builder, List<? extends Atom>>> body) {
    var i = Names.fresh("i", bound.type());
    var params = inits.stream().map(x -> Names.fresh("acc", x.type())).toList();
    var inner = inner();
    var results = body.apply(i, params).apply(inner);
    List<LoopParam> loopParams =
        IntStream.range(0, params.size())
            .mapToObj(k -> new LoopParam(params.get(k), inits.get(k)))
            .toList();
    var types = params.stream().map(Var::type).toList();
    return bindAll("loop", types, new Loop(loopParams, new For(i, bound), inner.body(results)));
  }

  /** Applies the function to the rows of the arrays. */
  public List<Var> map(
      Atom width, List<Var> arrays, BiFunction<Builder, List<Var>, List<? extends Atom>> function) {
    var rows = arrays.stream().map(a -> rowType(a.type())).toList();
    return screma(width, arrays, List.of(), List.of(), lambda(rows, function));
  }

  public List<Var> screma(
      Atom width, List<Var> arrays, List<Scan> scans, List<Reduce> reduces, Lambda map) {
    return bindAll("soac", new Screma(width, arrays, scans, reduces, map));
  }

  /** Returns the number of rows that are kept, then what is kept of each, under that number. */
  public List<Var> filter(Atom width, List<Var> arrays, Lambda map) {
    var count = Names.fresh("kept", Type.I64);
    var pattern = new ArrayList<Var>(List.of(count));
    for (var t : map.returns().subList(1, map.returns().size())) {
      pattern.add(Names.fresh("filter", t.under(count)));
    }
    return bindAll(pattern, new Filter(width, arrays, map));
  }

  /** What a lambda over such an input gets: a row, or the accumulator itself. */
  public static Type rowType(Type type) {
    return type instanceof Type.Array a ? a.row() : type;
  }

  /** Returns the input of an accumulator that adds into the given array. */
  public AccInput addInto(Var array, int indexed) {
    var elem =
        Type.of(
            array.type().elemPrim(),
            array.type().dims().subList(indexed, array.type().dims().size()));
    return new AccInput(
        array.type().dims().subList(0, indexed),
        List.of(array),
        Optional.of(new Combine(plus(elem), List.of(zero(elem)))));
  }

  /**
   * Returns addition as a lambda of two arguments of this type. It adds arrays element by element.
   */
  public Lambda plus(Type type) {
    return lambda(List.of(type, type), (b, p) -> List.of(b.plus(p.get(0), p.get(1))));
  }

  /** Returns the sum, elementwise on arrays of the same shape. */
  public Atom plus(Atom x, Atom y) {
    if (x.type().isScalar()) {
      return add(x, y);
    }
    return map(
            x.type().dims().getFirst(),
            List.of((Var) x, (Var) y),
            (b, p) -> List.of(b.plus(p.get(0), p.get(1))))
        .getFirst();
  }
}
