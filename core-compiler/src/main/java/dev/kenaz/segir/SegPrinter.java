package dev.kenaz.segir;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Exp.For;
import dev.kenaz.ir.Exp.LoopForm;
import dev.kenaz.ir.Exp.Reduce;
import dev.kenaz.ir.Exp.While;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Printer;
import dev.kenaz.ir.Var;
import dev.kenaz.segir.SegOp.SegHist;
import dev.kenaz.segir.SegOp.SegMap;
import dev.kenaz.segir.SegOp.SegRed;
import dev.kenaz.segir.SegOp.SegScan;
import dev.kenaz.segir.SegOp.SegScatter;
import java.util.List;
import java.util.stream.Collectors;

/** Prints seg IR as text for people. Core expressions are printed as by {@link Printer}. */
public final class SegPrinter {
  private final StringBuilder out = new StringBuilder();

  private SegPrinter() {}

  public static String print(SegProgram program) {
    var p = new SegPrinter();
    for (var f : program.functions()) {
      p.line(0, "entry " + f.entry().name() + " " + binders(f.params()) + " =");
      p.body(f.body(), 1);
      p.out.append('\n');
    }
    for (var c : program.callees()) {
      var f = c.function();
      p.line(0, "def " + f.name() + " " + binders(f.params()) + " =");
      p.body(c.body(), 1);
      p.line(0, "inside a parallel operator");
      p.body(c.sequential(), 1);
      p.out.append('\n');
    }
    return p.out.toString();
  }

  static String print(SegStm stm) {
    var p = new SegPrinter();
    p.stm(stm, 0);
    return p.out.toString();
  }

  private void body(SegBody body, int depth) {
    body.stms().forEach(s -> stm(s, depth));
    line(depth, "in " + atoms(body.results()));
  }

  private void stm(SegStm s, int depth) {
    if (s.exp() instanceof SegExp.Plain(var e)) {
      Printer.print(s.pattern(), e, s.attrs()).lines().forEach(l -> line(depth, l));
      return;
    }
    var one = s.pattern().size() == 1;
    line(depth, "let " + (one ? binder(s.pattern().getFirst()) : binders(s.pattern())) + " =");
    switch (s.exp()) {
      case SegExp.Plain _ -> {}
      case SegExp.Branch(var c, var then, var otherwise) -> {
        line(depth + 1, "if " + c);
        body(then, depth + 2);
        line(depth + 1, "else");
        body(otherwise, depth + 2);
      }
      case SegExp.Iterate(var params, var form, var body) -> {
        line(depth + 1, "loop");
        params.forEach(p -> line(depth + 3, binder(p.var()) + " = " + p.init()));
        line(depth + 1, form(form) + " do");
        body(body, depth + 2);
      }
      case SegExp.Accumulate(var inputs, var accs, var body) -> {
        line(depth + 1, "with_acc");
        for (var in : inputs) {
          line(depth + 1, "of " + atoms(in.arrays()) + " at " + in.space());
          in.combine().ifPresent(c -> lambda("op " + atoms(c.neutral()), c.op(), depth + 1));
        }
        line(depth + 1, "body " + binders(accs));
        body(body, depth + 2);
      }
      case SegExp.Versions(var extents, var wide, var narrow) -> {
        line(depth + 1, "versions: enough " + extents);
        body(wide, depth + 2);
        line(depth + 1, "else");
        body(narrow, depth + 2);
      }
      case SegExp.Par(var op) -> op(op, depth + 1);
    }
  }

  private void op(SegOp op, int depth) {
    var name =
        switch (op) {
          case SegMap _ -> "segmap";
          case SegRed _ -> "segred";
          case SegScan _ -> "segscan";
          case SegHist _ -> "seghist";
          case SegScatter _ -> "segscatter";
          case SegOp.SegFilter _ -> "segfilter";
        };
    var space =
        op.space().dims().stream()
            .map(d -> d.index() + " < " + d.width())
            .collect(Collectors.joining(", ", "(", ")"));
    line(depth, name + " " + space);
    switch (op) {
      case SegMap _, SegOp.SegFilter _ -> {}
      case SegRed r -> r.reduces().forEach(x -> reduce(x, depth));
      case SegScan s -> {
        s.scans().forEach(x -> lambda("scan " + atoms(x.neutral()), x.op(), depth));
        s.reduces().forEach(x -> reduce(x, depth));
      }
      case SegHist h ->
          h.ops()
              .forEach(
                  x -> {
                    line(depth, "into " + atoms(x.dests()) + " at " + x.shape());
                    lambda("op " + atoms(x.neutral()), x.op(), depth);
                  });
      case SegScatter s ->
          s.dests().forEach(x -> line(depth, "into " + x.dest() + " at " + x.shape()));
    }
    line(depth, "fn -> " + op.returns());
    body(op.body(), depth + 1);
  }

  private void lambda(String role, Lambda lambda, int depth) {
    line(depth, role + " " + binders(lambda.params()));
    Printer.print(lambda.body()).lines().forEach(l -> line(depth + 1, l));
  }

  private void reduce(Reduce r, int depth) {
    lambda((r.commutative() ? "reduce_comm " : "reduce ") + atoms(r.neutral()), r.op(), depth);
  }

  private static String form(LoopForm form) {
    return switch (form) {
      case For(var i, var bound) -> "for " + binder(i) + " < " + bound;
      case While(var c) -> "while " + c;
    };
  }

  private void line(int depth, String text) {
    out.append("  ".repeat(depth)).append(text).append('\n');
  }

  private static String binder(Var v) {
    return v + ": " + v.type();
  }

  private static String binders(List<Var> vars) {
    return vars.stream().map(SegPrinter::binder).collect(Collectors.joining(", ", "(", ")"));
  }

  private static String atoms(List<? extends Atom> atoms) {
    return atoms.stream().map(Object::toString).collect(Collectors.joining(", ", "(", ")"));
  }
}
