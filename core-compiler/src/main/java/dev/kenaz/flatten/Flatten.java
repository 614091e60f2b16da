package dev.kenaz.flatten;

import dev.kenaz.ir.Body;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.Alias;
import dev.kenaz.ir.Exp.If;
import dev.kenaz.ir.Exp.Loop;
import dev.kenaz.ir.Exp.WithAcc;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Stm;
import dev.kenaz.pass.Pass;
import dev.kenaz.segir.SegBody;
import dev.kenaz.segir.SegExp;
import dev.kenaz.segir.SegProgram;
import dev.kenaz.segir.SegProgram.Callee;
import dev.kenaz.segir.SegProgram.SegFun;
import dev.kenaz.segir.SegStm;
import dev.kenaz.simplify.Filters;
import java.util.ArrayList;
import java.util.List;

/**
 * Turns the outermost parallel operators into seg-ops; perfect nests of maps are collapsed into one
 * space. What is parallel inside them is distributed where the options say so. A statement with the
 * attribute {@code sequential} stays as it is.
 */
public final class Flatten {
  /** Where what is inside operators is sequential: the scans and scatters are loops there. */
  public static final Pass<CoreProgram, CoreProgram> INNER_FILTERS =
      Pass.of(
          "inner-filters",
          "Makes a scan and a scatter of each filter inside an operator.",
          p -> Filters.inside(p, InnerParallelism::sequential));

  private final InnerParallelism inner;

  private Flatten(InnerParallelism inner) {
    this.inner = inner;
  }

  /** Translates statements that stand outside of all operators. */
  static List<SegStm> outside(InnerParallelism inner, List<Stm> stms) {
    return new Flatten(inner).body(new Body(stms, List.of())).stms();
  }

  /** Decides what runs in parallel in a program that has no calls but of recursive functions. */
  public static Pass<CoreProgram, SegProgram> pass(FlattenOptions options) {
    return Pass.of(
        "flatten",
        "Decides what runs in parallel, and translates core IR to seg IR.",
        p -> program(p, options));
  }

  private static SegProgram program(CoreProgram program, FlattenOptions options) {
    var flatten = new Flatten(new InnerParallelism(options, program.functions()));
    return new SegProgram(
        program.entries().stream()
            .map(
                entry -> {
                  var f = program.function(entry.function());
                  return new SegFun(entry, f.params(), f.returns(), flatten.body(f.body()));
                })
            .toList(),
        program.functions().stream()
            .filter(FunDef::recursive)
            .map(f -> new Callee(f, flatten.body(f.body()), SegBody.sequential(f.body())))
            .toList());
  }

  private SegBody body(Body body) {
    var stms = new ArrayList<SegStm>();
    body.stms().forEach(s -> stms.addAll(stm(s)));
    return new SegBody(stms, body.results());
  }

  private List<SegStm> stm(Stm stm) {
    if (InnerParallelism.sequential(stm)) {
      return SegBody.sequential(new Body(List.of(stm), List.of())).stms();
    }
    return switch (stm.exp()) {
      case If(var c, var then, var otherwise) ->
          List.of(with(stm, new SegExp.Branch(c, body(then), body(otherwise))));
      case Loop(var params, var form, var body) ->
          List.of(with(stm, new SegExp.Iterate(params, form, body(body))));
      case WithAcc(var inputs, var body) ->
          List.of(with(stm, new SegExp.Accumulate(inputs, body.params(), body(body.body()))));
      case Exp.Soac _ -> operator(stm);
      default -> List.of(with(stm, new SegExp.Plain(stm.exp())));
    };
  }

  private static SegStm with(Stm stm, SegExp exp) {
    return new SegStm(stm.pattern(), exp, stm.attrs(), stm.span());
  }

  private List<SegStm> operator(Stm stm) {
    var body = FewPoints.orAll(inner, stm, SegOps.of(inner, Nest.NONE, stm, v -> v));
    var last = body.stms().getLast();
    if (body.results().equals(last.pattern())) {
      var stms = new ArrayList<>(body.stms());
      stms.removeLast();
      stms.add(new SegStm(stm.pattern(), last.exp(), last.attrs(), last.span()));
      return stms;
    }
    var stms = new ArrayList<>(body.stms());
    for (int k = 0; k < stm.pattern().size(); k++) {
      Exp result = new Alias(body.results().get(k));
      var pattern = List.of(stm.pattern().get(k));
      stms.add(new SegStm(pattern, new SegExp.Plain(result), List.of(), stm.span()));
    }
    return stms;
  }
}
