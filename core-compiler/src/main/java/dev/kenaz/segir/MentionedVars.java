package dev.kenaz.segir;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Exp.Combine;
import dev.kenaz.ir.Exp.For;
import dev.kenaz.ir.Exp.HistOp;
import dev.kenaz.ir.Exp.Reduce;
import dev.kenaz.ir.Exp.Scan;
import dev.kenaz.ir.Exp.While;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Var;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** These are the variables that code mentions, bound in it or not. */
public final class MentionedVars {
  private final Set<Var> found = new LinkedHashSet<>();

  private MentionedVars() {}

  public static Set<Var> of(SegBody body) {
    var walk = new MentionedVars();
    walk.body(body);
    return walk.found;
  }

  public static Set<Var> of(SegExp exp) {
    var walk = new MentionedVars();
    walk.exp(exp);
    return walk.found;
  }

  private void body(SegBody body) {
    body.stms().forEach(s -> exp(s.exp()));
    atoms(body.results());
  }

  private void atoms(List<? extends Atom> atoms) {
    found.addAll(FreeVars.of(atoms));
  }

  private void lambda(Lambda lambda) {
    found.addAll(FreeVars.of(lambda));
  }

  private void exp(SegExp exp) {
    switch (exp) {
      case SegExp.Plain(var e) -> found.addAll(FreeVars.of(e));
      case SegExp.Branch(var c, var then, var otherwise) -> {
        atoms(List.of(c));
        body(then);
        body(otherwise);
      }
      case SegExp.Iterate(var params, var form, var body) -> {
        params.forEach(p -> atoms(List.of(p.init())));
        switch (form) {
          case For(_, var bound) -> atoms(List.of(bound));
          case While(var c) -> found.add(c);
        }
        body(body);
      }
      case SegExp.Accumulate(var inputs, _, var body) -> {
        for (var in : inputs) {
          atoms(in.space());
          atoms(in.arrays());
          in.combine().ifPresent(this::combine);
        }
        body(body);
      }
      case SegExp.Versions(var extents, var wide, var narrow) -> {
        atoms(extents);
        body(wide);
        body(narrow);
      }
      case SegExp.Par(var op) -> {
        atoms(op.space().widths());
        body(op.body());
        segOp(op);
      }
    }
  }

  private void combine(Combine c) {
    lambda(c.op());
    atoms(c.neutral());
  }

  private void segOp(SegOp op) {
    switch (op) {
      case SegOp.SegMap _, SegOp.SegFilter _ -> {}
      case SegOp.SegRed r -> r.reduces().forEach(this::reduce);
      case SegOp.SegScan s -> {
        s.scans().forEach(this::scan);
        s.reduces().forEach(this::reduce);
      }
      case SegOp.SegHist h -> h.ops().forEach(this::hist);
      case SegOp.SegScatter s ->
          s.dests()
              .forEach(
                  d -> {
                    atoms(d.shape());
                    found.add(d.dest());
                  });
    }
  }

  private void reduce(Reduce r) {
    lambda(r.op());
    atoms(r.neutral());
  }

  private void scan(Scan s) {
    lambda(s.op());
    atoms(s.neutral());
  }

  private void hist(HistOp op) {
    atoms(op.shape());
    atoms(op.dests());
    atoms(op.neutral());
    lambda(op.op());
  }
}
