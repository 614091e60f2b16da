package dev.kenaz.segir;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.flatten.FlattenOptions;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.segir.SegOp.Dim;
import dev.kenaz.segir.SegOp.SegMap;
import dev.kenaz.segir.SegOp.SegRed;
import dev.kenaz.segir.SegOp.SegScan;
import dev.kenaz.segir.SegOp.SegSpace;
import dev.kenaz.segir.SegProgram.SegFun;
import dev.kenaz.testing.Blame;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Programs that come out of flattening are well formed; broken ones are not, whatever is broken.
 */
final class SegVerifierTest {
  private static final String SUM = "def main [n] (xs: [n]f64) = f64.sum (map (\\x -> x * x) xs)";
  private static final String SCAN = "def main [n] (xs: [n]f64) = scan (+) 0 (map (* 2) xs)";
  private static final String MAP = "def main [n] (xs: [n]f64) = map (+ 1) xs";
  private static final String ACC =
      "def main [n] (xs: [n]f64) (is: [n]i64) ="
          + " vjp (\\xs -> f64.sum (map (\\i -> xs[i] * xs[i % 2]) is)) xs 1f64";

  private static SegProgram flat(String text) {
    return Pipelines.parallel(FlattenOptions.jvm(2)).apply(Optimised.text(text));
  }

  private static SegProgram with(SegProgram program, Function<SegBody, SegBody> change) {
    var functions = new ArrayList<SegFun>();
    for (var f : program.functions()) {
      functions.add(new SegFun(f.entry(), f.params(), f.returns(), change.apply(f.body())));
    }
    return new SegProgram(functions, program.callees());
  }

  private static void rejects(SegProgram program, String message) {
    var blame = Blame.of("some pass", () -> SegVerifier.verify(program, "some pass"));
    assertTrue(blame.contains(message), blame);
  }

  /** Changes the only statement of that kind. */
  private static SegProgram change(
      String text, Function<SegStm, Optional<SegStm>> change, String... options) {
    var before = flat(text);
    int[] found = {0};
    var after =
        with(
            before,
            body ->
                new SegBody(
                    body.stms().stream()
                        .map(
                            s -> {
                              var changed =
                                  found[0] == 0 ? change.apply(s) : Optional.<SegStm>empty();
                              found[0] += changed.isPresent() ? 1 : 0;
                              return changed.orElse(s);
                            })
                        .toList(),
                    body.results()));
    assertTrue(found[0] == 1, () -> SegPrinter.print(before));
    return after;
  }

  private static SegProgram changeOp(String text, Function<SegOp, SegOp> change) {
    return change(
        text,
        s ->
            s.exp() instanceof SegExp.Par(var op)
                ? Optional.of(stm(s, new SegExp.Par(change.apply(op))))
                : Optional.empty());
  }

  private static SegStm stm(SegStm s, SegExp exp) {
    return new SegStm(s.pattern(), exp, s.attrs(), s.span());
  }

  // What is broken anywhere

  @ParameterizedTest
  @ValueSource(strings = {SUM, SCAN, MAP, ACC})
  void bindings(String text) {
    for (var options : List.of(FlattenOptions.jvm(2), FlattenOptions.gpu())) {
      var program = Pipelines.parallel(options).apply(Optimised.text(text));
      assertDoesNotThrow(() -> SegVerifier.verify(program, "flatten"));
      var body = program.functions().getFirst().body();
      for (int k = 0; k < body.stms().size(); k++) {
        int at = k;
        var s = body.stms().get(k);
        if (!s.pattern().isEmpty()) {
          rejects(with(program, b -> without(b, at)), "is not bound");
          rejects(with(program, b -> twice(b, at)), "is bound twice");
          rejects(with(program, b -> replaced(b, at, otherTypes(s))), "");
          rejects(with(program, b -> replaced(b, at, fewer(s))), "results");
        }
      }
      rejects(with(program, b -> new SegBody(b.stms(), List.of())), "expected");
    }
  }

  private static SegBody without(SegBody b, int at) {
    var stms = new ArrayList<>(b.stms());
    stms.remove(at);
    return new SegBody(stms, b.results());
  }

  private static SegBody twice(SegBody b, int at) {
    var stms = new ArrayList<>(b.stms());
    stms.add(at, stms.get(at));
    return new SegBody(stms, b.results());
  }

  private static SegBody replaced(SegBody b, int at, SegStm s) {
    var stms = new ArrayList<>(b.stms());
    stms.set(at, s);
    return new SegBody(stms, b.results());
  }

  private static SegStm otherTypes(SegStm s) {
    var pattern = s.pattern().stream().map(v -> v.withType(other(v.type()))).toList();
    return new SegStm(pattern, s.exp(), s.attrs(), s.span());
  }

  private static SegStm fewer(SegStm s) {
    var pattern = s.pattern().subList(1, s.pattern().size());
    return new SegStm(pattern, s.exp(), s.attrs(), s.span());
  }

  private static Type other(Type t) {
    return switch (t) {
      case Type.Scalar(var p) -> Type.scalar(other(p));
      case Type.Array(var p, var shape) -> Type.of(other(p), shape);
      case Type.Acc _ -> Type.I64;
    };
  }

  private static Prim other(Prim p) {
    return p == Prim.F64 ? Prim.I64 : Prim.F64;
  }

  // Operators

  @Test
  void spaces() {
    var i = Names.fresh("i", Type.I64);
    rejects(
        changeOp(
            MAP,
            op -> {
              var dims = new ArrayList<>(op.space().dims());
              dims.add(new Dim(i, dims.getFirst().index()));
              return new SegMap(new SegSpace(dims), op.body(), op.returns());
            }),
        "is not bound");
    rejects(
        changeOp(MAP, op -> new SegMap(new SegSpace(List.of()), op.body(), op.returns())),
        "without dimensions");
    rejects(
        changeOp(
            MAP,
            op -> {
              var index = op.space().innermost().index();
              var dims = List.of(new Dim(index, Atom.of(Prim.I32, 3)));
              return new SegMap(new SegSpace(dims), op.body(), op.returns());
            }),
        "expected i64");
  }

  @Test
  void resultsOfBodies() {
    rejects(changeOp(MAP, op -> new SegMap(op.space(), op.body(), List.of(Type.I64))), "operator");
    rejects(changeOp(MAP, op -> new SegMap(op.space(), op.body(), List.of())), "operator");
    rejects(
        changeOp(
            MAP,
            op ->
                new SegMap(op.space(), new SegBody(List.of(), op.body().results()), op.returns())),
        "is not bound");
  }

  @Test
  void operators() {
    rejects(
        changeOp(
            SUM,
            op -> {
              var r = (SegRed) op;
              var x = r.reduces().getFirst();
              var wrong = new Exp.Reduce(x.op(), List.of(Atom.i64(0)), x.commutative());
              return new SegRed(op.space(), List.of(wrong), op.body(), op.returns());
            }),
        "operator's argument");
    rejects(
        changeOp(
            SUM,
            op -> {
              var r = (SegRed) op;
              return new SegRed(op.space(), twice(r.reduces()), op.body(), op.returns());
            }),
        "");
    rejects(
        changeOp(SUM, op -> new SegMap(op.space(), op.body(), op.returns())), "pattern has type");
    rejects(
        changeOp(
            SCAN,
            op -> {
              var s = (SegScan) op;
              var l = s.scans().getFirst().op();
              var params = l.params().reversed().subList(0, 1);
              var wrong =
                  new Exp.Scan(
                      new Lambda(params, new Body(List.of(), List.copyOf(params)), l.returns()),
                      s.scans().getFirst().neutral());
              return new SegScan(s.space(), List.of(wrong), s.reduces(), s.body(), s.returns());
            }),
        "operator's parameters");
  }

  private static <T> List<T> twice(List<T> list) {
    var all = new ArrayList<>(list);
    all.addAll(list);
    return all;
  }

  // Control

  @Test
  void nothingIsLeftInCoreForm() {
    var text = "def main (c: bool) (x: f64) = if c then f64.sin x else f64.cos x";
    rejects(
        change(
            text,
            s ->
                s.exp() instanceof SegExp.Branch(var c, var then, var otherwise)
                    ? Optional.of(
                        stm(s, new SegExp.Plain(new Exp.If(c, core(then), core(otherwise)))))
                    : Optional.empty()),
        "in core form");
    rejects(
        change(
            text,
            s ->
                s.exp() instanceof SegExp.Branch(_, var then, var otherwise)
                    ? Optional.of(stm(s, new SegExp.Branch(Atom.i64(1), then, otherwise)))
                    : Optional.empty()),
        "expected bool");
    rejects(
        change(
            text,
            s ->
                s.exp() instanceof SegExp.Branch(_, var then, var otherwise)
                    ? Optional.of(
                        stm(s, new SegExp.Versions(List.of(Atom.bool(true)), then, otherwise)))
                    : Optional.empty()),
        "expected i64");
  }

  private static Body core(SegBody body) {
    return new Body(
        body.stms().stream()
            .map(s -> new Stm(s.pattern(), ((SegExp.Plain) s.exp()).exp(), s.attrs(), s.span()))
            .toList(),
        body.results());
  }

  @Test
  void accumulatorsAreLinear() {
    rejects(
        change(
            ACC,
            s ->
                s.exp() instanceof SegExp.Accumulate(var inputs, var accs, var body)
                    ? Optional.of(
                        stm(
                            s,
                            new SegExp.Accumulate(inputs, accs, usedTwice(accs.getFirst(), body))))
                    : Optional.empty()),
        "used a second time");
    rejects(
        change(
            ACC,
            s ->
                s.exp() instanceof SegExp.Accumulate(var inputs, _, var body)
                    ? Optional.of(stm(s, new SegExp.Accumulate(inputs, List.of(), body)))
                    : Optional.empty()),
        "is not bound");
  }

  private static SegBody usedTwice(Var acc, SegBody body) {
    var stms = new ArrayList<>(body.stms());
    var alias = Names.fresh("alias", acc.type());
    stms.addFirst(
        new SegStm(
            List.of(alias),
            new SegExp.Plain(new Exp.Alias(acc)),
            List.of(),
            body.stms().getFirst().span()));
    return new SegBody(stms, body.results());
  }
}
