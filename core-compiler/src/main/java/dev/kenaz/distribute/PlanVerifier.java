package dev.kenaz.distribute;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.IllFormed;
import dev.kenaz.ir.Var;
import dev.kenaz.ir.Verifier;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Checks that a plan is well formed: the functions of its steps are, they take and give as many
 * values as {@link Plan.Stage} says, and each step reads only what the driver or the engine has by
 * then.
 */
public final class PlanVerifier {
  private final Plan plan;
  private final String pass;

  /** The variables that the driver has values of. */
  private Set<Var> driver = new HashSet<>();

  /** The variables whose rows the engine has. */
  private Set<Var> engine = new HashSet<>();

  private PlanVerifier(Plan plan, String pass) {
    this.plan = plan;
    this.pass = pass;
  }

  /**
   * @param pass the pass that made the plan: it is blamed
   * @throws CompilerBug if the plan isn't well formed; the message names the pass and a file with
   *     the plan
   */
  public static void verify(Plan plan, String pass) {
    IllFormed.blame(pass, () -> PlanPrinter.print(plan), new PlanVerifier(plan, pass)::plan);
  }

  private void plan() {
    driver.add(plan.pieces().pieces());
    driver.add(plan.pieces().bounds());
    plan.pieces().datasets().forEach(this::bind);
    driver.addAll(plan.replicated());
    engine.addAll(plan.sharded());
    steps(plan.steps());
    for (int i = 0; i < plan.results().size(); i++) {
      var result = List.of(plan.results().get(i));
      need(vars(result), plan.shardedResults().get(i) ? engine : driver, "the result");
    }
  }

  private void bind(Space space) {
    driver.addAll(List.of(space.rows(), space.total(), space.cut()));
  }

  private void steps(List<Plan.Step> steps) {
    for (var step : steps) {
      switch (step) {
        case Plan.Compute(var function, var outputs) -> {
          need(function.params(), driver, function.name());
          function(function, function.params().size(), outputs.size());
          driver.addAll(outputs);
        }
        case Plan.Stage s -> stage(s);
        case Plan.Exchange e -> {
          need(e.needs(), driver, "an exchange");
          need(e.reads(), engine, "an exchange");
          driver.addAll(e.binds());
          engine.addAll(e.to());
        }
        case Plan.Repeat r -> repeat(r);
        case Plan.Choose c -> {
          need(vars(List.of(c.condition())), driver, "a branch");
          branch(c, c.then());
          branch(c, c.otherwise());
          driver.addAll(c.outputs());
          engine.addAll(c.rows());
        }
      }
    }
  }

  private void stage(Plan.Stage s) {
    var name = "stage " + s.number();
    s.spaces().forEach(space -> need(List.of(space.cut()), driver, name));
    need(s.broadcast(), driver, name);
    need(s.combineWith(), driver, name);
    need(s.reads(), engine, name);
    int read = s.sharded().size() + s.reads().size();
    int given = plan.pieces().params().size() + 2 * s.spaces().size() + s.broadcast().size() + read;
    long alone = s.stored().stream().filter(v -> !s.kept().contains(v)).count();
    int rows = s.kept().size() + s.gathered().size() + (int) alone;
    int combined = s.outputs().size();
    function(s.local(), given, s.sizes() + combined + rows);
    function(s.combine(), s.combineWith().size() + 2 * combined, combined);
    IllFormed.require(
        s.states() <= Math.min(combined, s.broadcast().size()),
        name + " hands on more than it combines");
    driver.addAll(s.outputs());
    driver.addAll(s.gathered());
    engine.addAll(s.stored());
    engine.addAll(s.kept());
  }

  private void repeat(Plan.Repeat r) {
    var params = r.params().stream().map(p -> p.var()).toList();
    need(vars(r.params().stream().map(p -> p.init()).toList()), driver, "a loop");
    need(r.rows().stream().map(Plan.CarriedRows::init).toList(), engine, "a loop");
    same("a loop's results", params.size(), r.results().size());
    same("a loop's outputs", params.size(), r.outputs().size());
    within(
        () -> {
          driver.addAll(params);
          switch (r.form()) {
            case Exp.For(var i, var bound) -> {
              need(vars(List.of(bound)), driver, "a loop");
              driver.add(i);
            }
            case Exp.While(var condition) -> need(List.of(condition), driver, "a loop");
          }
          engine.addAll(r.rows().stream().map(Plan.CarriedRows::param).toList());
          steps(r.body());
          need(vars(r.results()), driver, "a loop's result");
          need(r.rows().stream().map(Plan.CarriedRows::result).toList(), engine, "a loop's result");
        });
    driver.addAll(r.outputs());
    engine.addAll(r.rows().stream().map(Plan.CarriedRows::output).toList());
  }

  private void branch(Plan.Choose choose, Plan.Branch branch) {
    same("a branch's results", choose.outputs().size(), branch.results().size());
    same("a branch's rows", choose.rows().size(), branch.rows().size());
    within(
        () -> {
          steps(branch.steps());
          need(vars(branch.results()), driver, "a branch's result");
          need(branch.rows(), engine, "a branch's result");
        });
  }

  /** Forgets afterwards what the action binds. */
  private void within(Runnable action) {
    var driverBefore = driver;
    var engineBefore = engine;
    driver = new HashSet<>(driver);
    engine = new HashSet<>(engine);
    action.run();
    driver = driverBefore;
    engine = engineBefore;
  }

  private void function(FunDef function, int params, int results) {
    same("the parameters of " + function.name(), params, function.params().size());
    same("the results of " + function.name(), results, function.returns().size());
    Verifier.verify(StepProgram.of(function), pass);
  }

  private static void same(String what, int expected, int given) {
    IllFormed.require(expected == given, "%s are %d, not %d".formatted(what, given, expected));
  }

  private static void need(Collection<Var> vars, Set<Var> scope, String reader) {
    for (var v : vars) {
      IllFormed.require(scope.contains(v), reader + " reads " + v + " before it is there");
    }
  }

  private static List<Var> vars(List<? extends Atom> atoms) {
    return atoms.stream().filter(a -> a instanceof Var).map(a -> (Var) a).toList();
  }
}
