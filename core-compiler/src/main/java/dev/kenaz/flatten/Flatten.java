package dev.kenaz.flatten;

import dev.kenaz.flatten.SegOp.Dim;
import dev.kenaz.flatten.SegOp.SegHist;
import dev.kenaz.flatten.SegOp.SegMap;
import dev.kenaz.flatten.SegOp.SegRed;
import dev.kenaz.flatten.SegOp.SegScan;
import dev.kenaz.flatten.SegOp.SegScatter;
import dev.kenaz.flatten.SegOp.SegSpace;
import dev.kenaz.flatten.SegProgram.SegFun;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Attr;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.Hist;
import dev.kenaz.ir.Exp.If;
import dev.kenaz.ir.Exp.Index;
import dev.kenaz.ir.Exp.Loop;
import dev.kenaz.ir.Exp.Scatter;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.Exp.WithAcc;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.List;

/**
 * The outermost parallel operators become seg-ops; perfect nests of maps are collapsed into one
 * space. A statement with the attribute {@code sequential} stays as it is.
 */
public final class Flatten {
  private static final Attr SEQUENTIAL = Attr.of("sequential");

  private Flatten() {}

  public static SegProgram program(CoreProgram program) {
    var functions = InlineCalls.of(program);
    return new SegProgram(
        program.entries().stream()
            .map(
                entry -> {
                  var f = functions.get(entry.function());
                  return new SegFun(entry, f.params(), f.returns(), body(f.body()));
                })
            .toList());
  }

  private static SegBody body(Body body) {
    return new SegBody(body.stms().stream().map(Flatten::stm).toList(), body.results());
  }

  private static SegStm stm(Stm stm) {
    var exp =
        stm.attrs().contains(SEQUENTIAL)
            ? SegBody.sequential(new Body(List.of(stm), List.of())).stms().getFirst().exp()
            : exp(stm);
    return new SegStm(stm.pattern(), exp, stm.attrs(), stm.span());
  }

  private static SegExp exp(Stm stm) {
    return switch (stm.exp()) {
      case If(var c, var then, var otherwise) -> new SegExp.Branch(c, body(then), body(otherwise));
      case Loop(var params, var form, var body) -> new SegExp.Iterate(params, form, body(body));
      case WithAcc(var inputs, var body) ->
          new SegExp.Accumulate(inputs, body.params(), body(body.body()));
      case Screma s when s.isMap() -> new SegExp.Par(map(s, stm));
      case Screma s -> {
        var space = space(s.width());
        var body = atPoint(space, s.inputs(), s.map(), stm);
        var returns = s.map().returns();
        yield new SegExp.Par(
            s.scans().isEmpty()
                ? new SegRed(space, s.reduces(), body, returns)
                : new SegScan(space, s.scans(), s.reduces(), body, returns));
      }
      case Hist h -> {
        var space = space(h.width());
        var body = atPoint(space, h.inputs(), h.map(), stm);
        yield new SegExp.Par(new SegHist(space, h.ops(), body, h.map().returns()));
      }
      case Scatter s -> {
        var space = space(s.width());
        var body = atPoint(space, s.inputs(), s.map(), stm);
        yield new SegExp.Par(new SegScatter(space, s.dests(), body, s.map().returns()));
      }
      default -> new SegExp.Plain(stm.exp());
    };
  }

  private static SegSpace space(Atom width) {
    return new SegSpace(List.of(new Dim(Names.fresh("gi", Type.I64), width)));
  }

  private static SegBody atPoint(SegSpace space, List<Var> inputs, Lambda map, Stm stm) {
    var stms = new ArrayList<>(rows(space.innermost().index(), inputs, map.params(), stm));
    stms.addAll(map.body().stms());
    return SegBody.sequential(new Body(stms, map.body().results()));
  }

  /** Binds a lambda's parameters to the inputs' rows. */
  private static List<Stm> rows(Var index, List<Var> inputs, List<Var> params, Stm stm) {
    var stms = new ArrayList<Stm>();
    for (int k = 0; k < inputs.size(); k++) {
      var input = inputs.get(k);
      Exp row =
          input.type() instanceof Type.Acc
              ? new Exp.Copied(input)
              : new Index(input, List.of(index), false);
      stms.add(new Stm(List.of(params.get(k)), row, stm.span()));
    }
    return stms;
  }

  private static SegMap map(Screma outer, Stm stm) {
    var dims = new ArrayList<Dim>();
    var stms = new ArrayList<Stm>();
    var s = outer;
    while (true) {
      var dim = new Dim(Names.fresh("gi", Type.I64), s.width());
      dims.add(dim);
      stms.addAll(rows(dim.index(), s.inputs(), s.map().params(), stm));
      var inner = perfectlyNested(s);
      if (inner == null) {
        break;
      }
      s = inner;
    }
    stms.addAll(s.map().body().stms());
    var body = SegBody.sequential(new Body(stms, s.map().body().results()));
    return new SegMap(new SegSpace(dims), body, s.map().returns());
  }

  /** The map that is all there is in this map's body, if its width is the same at every point. */
  private static Screma perfectlyNested(Screma s) {
    var body = s.map().body();
    if (body.stms().size() != 1
        || !(body.stms().getFirst().exp() instanceof Screma inner)
        || !inner.isMap()
        || body.stms().getFirst().attrs().contains(SEQUENTIAL)
        || !body.results().equals(body.stms().getFirst().pattern())) {
      return null;
    }
    boolean accumulates = inner.map().returns().stream().anyMatch(t -> t instanceof Type.Acc);
    boolean regular =
        FreeVars.of(List.of(inner.width())).stream().noneMatch(s.map().params()::contains);
    return accumulates || !regular ? null : inner;
  }
}
