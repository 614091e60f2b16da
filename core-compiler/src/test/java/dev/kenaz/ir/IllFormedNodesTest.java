package dev.kenaz.ir;

import static dev.kenaz.ir.TestPrograms.HERE;
import static dev.kenaz.ir.TestPrograms.array;
import static dev.kenaz.ir.TestPrograms.scalar;
import static dev.kenaz.ir.TestPrograms.size;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.kenaz.ir.Exp.*;
import dev.kenaz.value.Prim;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Parts of nodes that don't fit each other are found; where nodes are checked, they can't be made.
 */
final class IllFormedNodesTest {
  private static final Var N = size("n");
  private static final Var X = scalar("x", Prim.F64);
  private static final Var I = scalar("i", Prim.I64);
  private static final Var B = scalar("b", Prim.BOOL);
  private static final Var XS = array("xs", Prim.F64, N);
  private static final Var YS = array("ys", Prim.F64, Atom.i64(3));
  private static final Var XSS = array("xss", Prim.F64, N, N);
  private static final Builder NEW = new Builder(HERE);
  private static final Lambda PLUS = NEW.operator(BinaryOp.ADD, Prim.F64);
  private static final Lambda SINE =
      NEW.lambda(List.of(X.type()), (b, p) -> List.of(b.unary(UnaryOp.SIN, p.getFirst())));
  private static final Lambda INDICES =
      NEW.lambda(List.of(X.type()), (_, p) -> List.of(Atom.i64(0), p.getFirst()));
  private static final List<Atom> ZERO = List.of(Atom.of(Prim.F64, 0));
  private static final Body EMPTY = new Body(List.of(), List.of());
  private static final Body ONE = new Body(List.of(), List.of(X));
  private static final Type.Acc ACC = new Type.Acc(1, List.of(N), List.of(X.type()));
  private static final Var A = Names.fresh("a", ACC);

  private static final Map<String, Exp> EXPRESSIONS = expressionsOf();
  private static final Map<String, Supplier<Object>> WRONG = wrong();

  private static Map<String, Supplier<Object>> wrong() {
    var all = new LinkedHashMap<String, Supplier<Object>>();
    all.put("a type without dimensions", () -> new Type.Array(Prim.F64, List.of()));
    all.put("a size that is no i64", () -> new Type.Array(Prim.F64, List.of(X)));
    all.put("an accumulator's size", () -> new Type.Acc(1, List.of(X), List.of()));
    all.put("an array of accumulators", () -> ACC.under(N));
    all.put("a statement of a wrong expression", () -> new Stm(List.of(X), new Copy(X), HERE));
    all.put("a lambda's result", () -> new Lambda(List.of(), ONE, List.of(Type.I64)));
    all.put("a function's result", () -> new FunDef("f", List.of(), List.of(), List.of(), ONE));
    all.put("a pattern of another type", () -> new Stm(List.of(I), new Alias(X), HERE));
    all.put("a pattern of another arity", () -> new Stm(List.of(), new Alias(X), HERE));
    all.put(
        "a pattern of another size",
        () -> new Stm(List.of(array("zs", Prim.F64, Atom.i64(4))), new Alias(YS), HERE));
    return all;
  }

  private static Map<String, Exp> expressionsOf() {
    var all = new LinkedHashMap<String, Exp>();
    all.put("sine of an integer", new Unary(UnaryOp.SIN, I));
    all.put("sine of an array", new Unary(UnaryOp.SIN, XS));
    all.put("a sum of two types", new Binary(BinaryOp.ADD, X, I));
    all.put("bits of floats", new Binary(BinaryOp.AND, X, X));
    all.put("a comparison of two types", new Compare(CompareOp.LT, X, I));
    all.put("fma of two types", new Fma(X, X, I));
    all.put("conversion of an array", new Convert(Prim.I32, XS));
    all.put("assertion of a number", new Assert(I, Assert.FAILED, "", List.of()));
    all.put("too many indices", new Index(XS, List.of(I, I), true));
    all.put("an index that is no i64", new Index(XS, List.of(X), true));
    all.put("an index of a scalar", new Index(X, List.of(I), true));
    all.put("a slice of fewer dimensions", new Slice(XSS, List.of(new DimSlice.Fix(I)), true));
    all.put("a slice by a float", new Slice(XS, List.of(new DimSlice.Fix(X)), true));
    all.put("an update by another type", new Update(XS, List.of(new DimSlice.Fix(I)), I, true));
    all.put("iota of a float", new Iota(X, I, I));
    all.put("iota of two types", new Iota(I, I, X));
    all.put("replicate by a float", new Replicate(List.of(X), X));
    all.put("scratch of a float's size", new Scratch(Prim.F64, List.of(X)));
    all.put("a literal of two types", new ArrayLit(List.of(X, I), X.type()));
    all.put("concat of two ranks", new Concat(0, List.of(XS, XSS), N));
    all.put("concat along no dimension", new Concat(1, List.of(XS), N));
    all.put("no permutation", new Rearrange(List.of(0, 0), XSS));
    all.put("reshape of a scalar", new Reshape(List.of(N), X));
    all.put("copy of a scalar", new Copy(X));
    all.put("a branch on a number", new If(I, EMPTY, EMPTY));
    all.put("branches that differ in arity", new If(B, ONE, EMPTY));
    var none = List.<LoopParam>of();
    all.put("a counter of another type", new Loop(none, new For(I, X), EMPTY));
    all.put("a counter that is a float", new Loop(none, new For(X, X), EMPTY));
    var number = List.of(new LoopParam(I, I));
    var same = new Body(List.of(), List.of(I));
    all.put("a condition that is a number", new Loop(number, new While(I), same));
    var one = List.of(new LoopParam(X, X));
    all.put("a loop without a result", new Loop(one, new For(I, N), EMPTY));
    all.put("a condition from outside", new Loop(one, new While(B), ONE));
    var other = List.of(new LoopParam(X, I));
    all.put("a start of another type", new Loop(other, new For(I, N), ONE));
    var zero = new Reduce(PLUS, List.of(I), true);
    all.put(
        "an operator's neutral element",
        new Screma(N, List.of(XS), List.of(), List.of(zero), SINE));
    var unary = new Scan(SINE, ZERO);
    all.put(
        "an operator of one argument", new Screma(N, List.of(XS), List.of(unary), List.of(), SINE));
    all.put("a filter's width", new Filter(X, List.of(XS), SINE));
    all.put("a map of another type", map(N, List.of(array("is", Prim.I64, N)), SINE));
    all.put("a map of another arity", map(N, List.of(XS, XS), SINE));
    all.put("a map of another width", map(Atom.i64(2), List.of(YS), SINE));
    var twice = new Reduce(PLUS, ZERO, true);
    all.put("too few operands", new Screma(N, List.of(XS), List.of(), List.of(twice, twice), SINE));
    var bins = new HistOp(List.of(N), List.of(XS), ZERO, PLUS);
    all.put("a hist without indices", new Hist(N, List.of(XS), List.of(bins), SINE));
    all.put(
        "a hist of another rank",
        new Hist(
            N, List.of(XS), List.of(new HistOp(List.of(N), List.of(XSS), ZERO, PLUS)), INDICES));
    var dest = new ScatterDest(List.of(N), XSS);
    all.put("a scatter of rows", new Scatter(N, List.of(XS), List.of(dest), INDICES));
    all.put("an update without an index", new UpdateAcc(A, List.of(), List.of(X)));
    all.put("an update by another type", new UpdateAcc(A, List.of(I), List.of(I)));
    all.put("an update of an array", new UpdateAcc(XS, List.of(I), List.of(X)));
    var into = new AccInput(List.of(N), List.of(XS), Optional.empty());
    all.put("an accumulator that is lost", new WithAcc(List.of(into), SINE));
    all.put("too few tangents", new Jvp(SINE, List.of(X), List.of(), Optional.empty()));
    all.put("an adjoint of another type", new Vjp(SINE, List.of(X), List.of(I), Optional.empty()));
    all.put("a rule of too few results", new WithVjp(SINE, 0, SINE, List.of(X)));
    return all;
  }

  private static Screma map(Atom width, List<Var> inputs, Lambda f) {
    return new Screma(width, inputs, List.of(), List.of(), f);
  }

  @TestFactory
  Stream<DynamicTest> expressions() {
    return EXPRESSIONS.entrySet().stream()
        .map(
            e ->
                dynamicTest(
                    e.getKey(),
                    () -> {
                      var exp = e.getValue();
                      assertThrows(IllFormed.class, () -> TypeRules.expression(exp));
                    }));
  }

  /** Surefire enables assertions, and so the checks of what is made. */
  @TestFactory
  Stream<DynamicTest> cantBeMade() {
    assumeTrue(TypeRules.WHEN_MADE);
    return WRONG.entrySet().stream()
        .map(e -> dynamicTest(e.getKey(), () -> assertThrows(IllFormed.class, e.getValue()::get)));
  }
}
