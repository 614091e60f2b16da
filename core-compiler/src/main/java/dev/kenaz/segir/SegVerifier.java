package dev.kenaz.segir;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.CodeVerifier;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.For;
import dev.kenaz.ir.Exp.If;
import dev.kenaz.ir.Exp.Jvp;
import dev.kenaz.ir.Exp.Loop;
import dev.kenaz.ir.Exp.LoopParam;
import dev.kenaz.ir.Exp.Reduce;
import dev.kenaz.ir.Exp.Scan;
import dev.kenaz.ir.Exp.Vjp;
import dev.kenaz.ir.Exp.While;
import dev.kenaz.ir.Exp.WithAcc;
import dev.kenaz.ir.Exp.WithVjp;
import dev.kenaz.ir.IllFormed;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.TypeRules;
import dev.kenaz.ir.Var;
import dev.kenaz.ir.Verifier;
import dev.kenaz.segir.SegOp.Dim;
import dev.kenaz.segir.SegOp.SegFilter;
import dev.kenaz.segir.SegOp.SegHist;
import dev.kenaz.segir.SegOp.SegMap;
import dev.kenaz.segir.SegOp.SegRed;
import dev.kenaz.segir.SegOp.SegScan;
import dev.kenaz.segir.SegOp.SegScatter;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks that a program in seg form is well formed. What holds of core code holds of it ({@link
 * CodeVerifier}). Besides, an index space is regular: its widths are known outside of it. Operators
 * combine the first of their body's results, patterns have the types of what is made at all points,
 * nothing that has a seg form is left in core form, and accumulators are used linearly ({@link
 * LinearAccs}).
 */
public final class SegVerifier {
  private final CodeVerifier code = new CodeVerifier();

  private SegVerifier() {}

  /**
   * @param pass the pass that made the program; the message names it
   * @throws CompilerBug if the program isn't well formed; the message names the pass and a file
   *     with the program
   */
  public static void verify(SegProgram program, String pass) {
    IllFormed.blame(pass, () -> SegPrinter.print(program), () -> program(program));
  }

  private static void program(SegProgram program) {
    for (var f : program.functions()) {
      Verifier.entry(f.entry(), f.params().size(), f.returns().size());
      function(program, f.entry().name(), f.params(), f.returns(), f.body());
    }
    for (var c : program.callees()) {
      var f = c.function();
      function(program, f.name(), f.params(), f.returns(), c.body());
      function(program, f.name() + " (sequential)", f.params(), f.returns(), c.sequential());
    }
  }

  /** Entries may have code in common, so each is checked for itself. */
  private static void function(
      SegProgram program, String name, List<Var> params, List<Type> returns, SegBody body) {
    var v = new SegVerifier();
    program.callees().forEach(c -> v.code.define(c.function()));
    try {
      v.code.bindAll(params);
      v.body(body);
      TypeRules.agreeAll("function's result", returns, body.results());
      LinearAccs.check(body);
    } catch (IllFormed e) {
      throw new IllFormed("in " + name + ": " + e.getMessage());
    }
  }

  private void body(SegBody body) {
    for (var stm : body.stms()) {
      try {
        stm(stm);
      } catch (IllFormed e) {
        throw e.in(SegPrinter.print(stm) + "  at " + stm.span());
      }
    }
    code.useAll(body.results());
    body.stms().forEach(s -> code.unbind(s.pattern()));
  }

  private void stm(SegStm stm) {
    switch (stm.exp()) {
      case SegExp.Par(SegFilter f) -> filter(f, stm.pattern());
      default -> {
        var types = types(stm.exp());
        code.bindAll(stm.pattern());
        TypeRules.pattern(stm.pattern(), types);
      }
    }
  }

  /** Checks the expression; its results' types. */
  private List<Type> types(SegExp exp) {
    return switch (exp) {
      case SegExp.Plain(var e) -> plain(e);
      case SegExp.Branch(var c, var then, var otherwise) -> {
        code.use(c);
        TypeRules.condition(c);
        body(then);
        body(otherwise);
        TypeRules.branches(then.results(), otherwise.results());
        yield types(then.results());
      }
      case SegExp.Iterate l -> loop(l);
      case SegExp.Accumulate a -> accumulate(a);
      case SegExp.Versions(var extents, var wide, var narrow) -> {
        code.useAll(extents);
        extents.forEach(TypeRules::index);
        code.alternative(() -> body(wide));
        body(narrow);
        TypeRules.branches(wide.results(), narrow.results());
        yield types(wide.results());
      }
      case SegExp.Par(var op) -> op(op);
    };
  }

  private List<Type> plain(Exp exp) {
    switch (exp) {
      case If _, Loop _, WithAcc _ -> throw new IllFormed("control flow is in core form");
      case Exp.Filter _ -> throw new IllFormed("a filter is in core form");
      case Jvp _, Vjp _, WithVjp _ -> throw new IllFormed("a derivative is left");
      case Exp.Simple _, Exp.Soac _ -> {}
    }
    return code.exp(exp);
  }

  private List<Type> loop(SegExp.Iterate loop) {
    var vars = loop.params().stream().map(LoopParam::var).toList();
    loop.params().forEach(p -> code.use(p.init()));
    var counter =
        switch (loop.form()) {
          case For(var i, var bound) -> {
            code.use(bound);
            yield List.of(i);
          }
          case While _ -> List.<Var>of();
        };
    code.bindAll(vars);
    code.bindAll(counter);
    body(loop.body());
    code.unbind(counter);
    code.unbind(vars);
    TypeRules.loop(loop.params(), loop.form(), loop.body().results());
    return types(vars);
  }

  private List<Type> accumulate(SegExp.Accumulate a) {
    for (var in : a.inputs()) {
      code.useAll(in.space());
      code.useAll(in.arrays());
      in.combine()
          .ifPresent(
              c -> {
                code.useAll(c.neutral());
                code.lambda(c.op());
              });
    }
    code.bindAll(a.accs());
    body(a.body());
    code.unbind(a.accs());
    var returns = types(a.body().results());
    TypeRules.withAcc(a.inputs(), a.accs(), returns);
    var types = new ArrayList<Type>();
    a.inputs().forEach(in -> types.addAll(types(in.arrays())));
    types.addAll(returns.subList(a.accs().size(), returns.size()));
    return types;
  }

  // Operators

  private List<Type> op(SegOp op) {
    enter(op);
    var returns = op.returns();
    operators(op);
    body(op.body());
    TypeRules.agreeAll("operator's result", returns, op.body().results());
    leave(op);
    return switch (op) {
      case SegMap m -> made(m, List.of(), List.of());
      case SegRed r -> made(r, List.of(), r.reduces());
      case SegScan s -> made(s, s.scans(), s.reduces());
      case SegHist h -> {
        TypeRules.hist(h.ops(), returns);
        yield h.ops().stream().flatMap(x -> x.dests().stream()).map(Var::type).toList();
      }
      case SegScatter s -> {
        TypeRules.scatter(s.dests(), returns);
        yield s.dests().stream().map(d -> d.dest().type()).toList();
      }
      case SegFilter _ -> throw new IllFormed("a filter's pattern says how many it keeps");
    };
  }

  /** The space's widths are known outside. */
  private void enter(SegOp op) {
    IllFormed.require(!op.space().dims().isEmpty(), "an index space without dimensions");
    code.useAll(op.space().widths());
    op.space().widths().forEach(TypeRules::index);
    var indices = op.space().dims().stream().map(Dim::index).toList();
    indices.forEach(TypeRules::index);
    code.bindAll(indices);
    op.returns().forEach(code::type);
  }

  private void leave(SegOp op) {
    code.unbind(op.space().dims().stream().map(Dim::index).toList());
  }

  /** Types of results: scanned and mapped values of all points, reduced ones of a segment each. */
  private static List<Type> made(SegOp op, List<Scan> scans, List<Reduce> reduces) {
    TypeRules.screma(scans, reduces, op.returns());
    int scanned = scans.stream().mapToInt(s -> s.neutral().size()).sum();
    int reduced = reduces.stream().mapToInt(r -> r.neutral().size()).sum();
    var types = new ArrayList<Type>();
    var widths = op.space().widths();
    for (int k = 0; k < op.returns().size(); k++) {
      var t = op.returns().get(k);
      boolean folded = k >= scanned && k < scanned + reduced;
      types.add(
          t instanceof Type.Acc
              ? t
              : t.under(folded ? widths.subList(0, widths.size() - 1) : widths));
    }
    return types;
  }

  private void filter(SegFilter f, List<Var> pattern) {
    IllFormed.require(f.space().dims().size() == 1, "a filter over several dimensions");
    enter(f);
    body(f.body());
    TypeRules.agreeAll("filter's result", f.returns(), f.body().results());
    leave(f);
    var types = TypeRules.filter(f.returns(), pattern);
    code.bindAll(pattern);
    TypeRules.pattern(pattern, types);
  }

  private void operators(SegOp op) {
    switch (op) {
      case SegMap _, SegFilter _ -> {}
      case SegRed r -> r.reduces().forEach(x -> operator(x.neutral(), x.op()));
      case SegScan s -> {
        s.scans().forEach(x -> operator(x.neutral(), x.op()));
        s.reduces().forEach(x -> operator(x.neutral(), x.op()));
      }
      case SegHist h ->
          h.ops()
              .forEach(
                  x -> {
                    code.useAll(x.shape());
                    code.useAll(x.dests());
                    operator(x.neutral(), x.op());
                  });
      case SegScatter s ->
          s.dests()
              .forEach(
                  d -> {
                    code.useAll(d.shape());
                    code.use(d.dest());
                  });
    }
  }

  private void operator(List<Atom> neutral, Lambda op) {
    code.useAll(neutral);
    code.lambda(op);
  }

  private static List<Type> types(List<? extends Atom> atoms) {
    return atoms.stream().map(Atom::type).toList();
  }
}
