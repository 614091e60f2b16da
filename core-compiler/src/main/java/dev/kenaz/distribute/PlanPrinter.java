package dev.kenaz.distribute;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Printer;
import dev.kenaz.ir.Var;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Prints a plan with the code of its steps, for people who work on the compiler. */
public final class PlanPrinter {
  private final StringBuilder out = new StringBuilder();
  private final Plan plan;

  private PlanPrinter(Plan plan) {
    this.plan = plan;
  }

  public static String print(Plan plan) {
    var p = new PlanPrinter(plan);
    p.line(0, "plan of " + plan.entry());
    p.spaces(1, "datasets of", plan.pieces().datasets());
    p.vars(1, "in pieces", plan.sharded());
    p.vars(1, "replicated", plan.replicated());
    p.steps(1, plan.steps());
    p.line(1, "in " + atoms(plan.results()));
    return p.out.toString();
  }

  private void steps(int depth, List<Plan.Step> steps) {
    for (var step : steps) {
      switch (step) {
        case Plan.Compute(var function, var outputs) -> {
          line(depth, "driver");
          vars(depth + 1, "binds", outputs);
          function(depth + 1, function);
        }
        case Plan.Stage s -> stage(depth, s);
        case Plan.Exchange e -> {
          line(depth, e.getClass().getSimpleName().toLowerCase(Locale.ROOT));
          spaces(depth + 1, "between", e.spaces());
          vars(depth + 1, "takes", e.reads());
          vars(depth + 1, "binds", e.binds());
          vars(depth + 1, "makes", e.to());
        }
        case Plan.Repeat r -> repeat(depth, r);
        case Plan.Choose c -> {
          line(depth, "if " + c.condition());
          vars(depth + 1, "binds", c.outputs());
          vars(depth + 1, "makes", c.rows());
          branch(depth + 1, c.then());
          line(depth, "else");
          branch(depth + 1, c.otherwise());
        }
      }
    }
  }

  private void stage(int depth, Plan.Stage s) {
    line(depth, "stage " + s.number() + (s.ordered() ? ", combined in order" : ""));
    spaces(depth + 1, "rows of", s.spaces());
    vars(depth + 1, "reads", s.sharded().stream().map(plan.sharded()::get).toList());
    vars(depth + 1, "reads", s.reads());
    vars(depth + 1, "is sent", s.broadcast());
    vars(depth + 1, "binds", s.outputs());
    vars(depth + 1, "gathers", s.gathered());
    vars(depth + 1, "stores", s.stored());
    vars(depth + 1, "keeps", s.kept());
    if (s.states() > 0) {
      line(depth + 1, "each piece hands " + s.states() + " to the next");
    }
    function(depth + 1, s.local());
    function(depth + 1, s.combine());
  }

  private void repeat(int depth, Plan.Repeat r) {
    line(
        depth,
        switch (r.form()) {
          case Exp.For(var i, var bound) -> "for " + i + " < " + bound;
          case Exp.While(var condition) -> "while " + condition;
        });
    r.params().forEach(p -> line(depth + 1, "carries " + binder(p.var()) + " = " + p.init()));
    r.rows().forEach(c -> line(depth + 1, "carries " + binder(c.param()) + " = " + c.init()));
    steps(depth + 1, r.body());
    line(depth + 1, "in " + atoms(r.results()));
    r.rows().forEach(c -> line(depth + 1, "next " + c.param() + " = " + c.result()));
    vars(depth, "binds", r.outputs());
    vars(depth, "makes", r.rows().stream().map(Plan.CarriedRows::output).toList());
  }

  private void branch(int depth, Plan.Branch branch) {
    steps(depth, branch.steps());
    line(depth, "in " + atoms(branch.results()));
    vars(depth, "with", branch.rows());
  }

  private void function(int depth, FunDef function) {
    if (!function.body().stms().isEmpty() || !function.returns().isEmpty()) {
      var text = Printer.print(new CoreProgram(List.of(function), List.of()));
      text.strip().lines().forEach(l -> line(depth, l));
    }
  }

  private void spaces(int depth, String what, List<Space> spaces) {
    vars(depth, what, spaces.stream().map(Space::rows).toList());
  }

  private void vars(int depth, String what, List<Var> vars) {
    if (!vars.isEmpty()) {
      var all = vars.stream().map(PlanPrinter::binder).collect(Collectors.joining(", "));
      line(depth, what + " " + all);
    }
  }

  private static String binder(Var v) {
    return v + ": " + v.type();
  }

  private static String atoms(Collection<? extends Atom> atoms) {
    return atoms.stream().map(Atom::toString).collect(Collectors.joining(", ", "(", ")"));
  }

  private void line(int depth, String text) {
    out.append("  ".repeat(depth)).append(text).append('\n');
  }
}
