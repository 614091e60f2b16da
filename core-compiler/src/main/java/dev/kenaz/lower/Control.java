package dev.kenaz.lower;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Substitution;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.typing.TypedExp;
import dev.kenaz.typing.TypedPattern;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/** Lowers conditionals and loops. What they result in is joined component by component. */
record Control(Evaluator evaluator) {
  // Conditionals

  Static branch(TypedExp.If exp, Env env, Scope scope) {
    var condition = evaluator.eval(exp.condition(), env, scope).atom();
    return choose(
        condition,
        () -> evaluator.types.resolveOpen(exp.type(), env, scope),
        s -> evaluator.eval(exp.then(), env, s),
        s -> evaluator.eval(exp.otherwise(), env, s),
        scope.at(exp.span()));
  }

  Static match(TypedExp.Match exp, Env env, Scope scope) {
    var subject = evaluator.eval(exp.subject(), env, scope);
    return cases(exp, 0, subject, env, scope);
  }

  private Static cases(TypedExp.Match exp, int i, Static subject, Env env, Scope scope) {
    var one = exp.cases().get(i);
    Function<Scope, Static> taken =
        s -> {
          evaluator.patterns().bind(one.pattern(), subject, env, s);
          return evaluator.eval(one.body(), env, s);
        };
    if (i == exp.cases().size() - 1) {
      return taken.apply(scope);
    }
    return choose(
        evaluator.patterns().test(one.pattern(), subject, env, scope),
        () -> evaluator.types.resolveOpen(exp.type(), env, scope),
        taken,
        s -> cases(exp, i + 1, subject, env, s),
        scope.at(exp.span()));
  }

  private static Static choose(
      Atom condition,
      Supplier<Types.Open> type,
      Function<Scope, Static> then,
      Function<Scope, Static> otherwise,
      Scope scope) {
    if (condition instanceof Const(var c)) {
      return (c.asBoolean() ? then : otherwise).apply(scope);
    }
    var open = type.get();
    var scopes = List.of(scope.inner(), scope.inner());
    var values = List.of(then.apply(scopes.get(0)), otherwise.apply(scopes.get(1)));
    var names = Collections.nCopies(open.type().leaves().size(), "if");
    var vars = open.pattern(names, values.getFirst());
    int sizes = open.open().size();
    var bodies = new ArrayList<Body>();
    for (int b = 0; b < 2; b++) {
      var results = fit(open, values.get(b), scopes.get(b));
      bodies.add(scopes.get(b).body(results));
      for (int i = 0; i < results.size(); i++) {
        if (scope.isBorrowed(results.get(i))) {
          scope.markBorrowed(vars.get(i));
        }
      }
    }
    scope.builder().bindAll(vars, new Exp.If(condition, bodies.get(0), bodies.get(1)));
    return Static.of(open.type(), vars.subList(sizes, vars.size()));
  }

  /**
   * Returns the value's sizes that are open in the type, then the value's leaves with the type's
   * sizes.
   */
  static List<Atom> fit(Types.Open open, Static value, Scope scope) {
    var found = Types.match(open, value);
    var results = new ArrayList<Atom>();
    open.open().keySet().forEach(v -> results.add(found.get(v)));
    var substitution = new Substitution(found);
    var leaves = value.leaves();
    var types = open.type().leaves();
    for (int i = 0; i < leaves.size(); i++) {
      results.add(scope.cast(leaves.get(i), substitution.type(types.get(i))));
    }
    return results;
  }

  // Loops

  /** Returns the names that a pattern has for the leaves of its type. */
  private static List<String> names(TypedPattern pattern, Ty type) {
    return switch (pattern) {
      case TypedPattern.Attributed a -> names(a.pattern(), type);
      case TypedPattern.Name n -> Collections.nCopies(type.leaves().size(), n.name().base());
      case TypedPattern.Record(var fields, _, _) when type instanceof Ty.Rec rec ->
          rec.fields().entrySet().stream()
              .flatMap(f -> names(fields.get(f.getKey()), f.getValue()).stream())
              .toList();
      default -> Collections.nCopies(type.leaves().size(), "acc");
    };
  }

  Static loop(TypedExp.Loop exp, Env env, Scope scope) {
    var initial = evaluator.eval(exp.initial(), env, scope);
    // The sizes that may change from one iteration to the next are open here.
    var open = evaluator.types.resolveOpen(exp.pattern().type(), env, scope);
    var inits = owned(fit(open, initial, scope), scope);
    var vars = open.pattern(names(exp.pattern(), open.type()), initial);
    return switch (exp.form()) {
      case TypedExp.LoopForm.For(var name, _, var bound) -> {
        var limit = evaluator.eval(bound, env, scope).atom();
        var i = Names.fresh(name.base(), limit.type());
        var inside = env.inner();
        inside.put(name, Static.core(i));
        var body = scope.inner();
        var results = iterate(exp, open, vars, inside, body);
        yield finish(exp, open, vars, inits, new Exp.For(i, limit), body.body(results), scope);
      }
      case TypedExp.LoopForm.ForIn(var pattern, var array) -> {
        var rows = evaluator.eval(array, env, scope);
        var ty = evaluator.types.resolve(array.type(), env, scope);
        var width = Arrays.width(rows, ty);
        var i = Names.fresh("i", Type.I64);
        var inside = env.inner();
        var body = scope.inner();
        evaluator.patterns().bind(pattern, Arrays.row(rows, i, body), inside, body);
        var results = iterate(exp, open, vars, inside, body);
        yield finish(exp, open, vars, inits, new Exp.For(i, width), body.body(results), scope);
      }
      case TypedExp.LoopForm.While(var condition) ->
          whileLoop(exp, condition, open, vars, inits, env, scope);
    };
  }

  private Static whileLoop(
      TypedExp.Loop exp,
      TypedExp condition,
      Types.Open open,
      List<Var> vars,
      List<Atom> inits,
      Env env,
      Scope scope) {
    var goOn = Names.fresh("while", Type.BOOL);
    var first = evaluator.eval(condition, bound(exp, open, inits, env, scope), scope).atom();
    var body = scope.inner();
    var results = new ArrayList<>(iterate(exp, open, vars, env.inner(), body));
    results.add(evaluator.eval(condition, bound(exp, open, results, env, body), body).atom());
    var allVars = Lists.with(vars, goOn);
    var allInits = Lists.with(inits, first);
    return finish(exp, open, allVars, allInits, new Exp.While(goOn), body.body(results), scope);
  }

  /** Lowers one iteration, from the loop's variables to their next values. */
  private List<Atom> iterate(
      TypedExp.Loop exp, Types.Open open, List<Var> vars, Env inside, Scope body) {
    var env = bound(exp, open, vars, inside, body);
    return owned(fit(open, evaluator.eval(exp.body(), env, body), body), body);
  }

  /**
   * Returns the environment in which the loop's pattern is bound to these values of its variables.
   */
  private Env bound(
      TypedExp.Loop exp, Types.Open open, List<? extends Atom> values, Env env, Scope scope) {
    var inside = env.inner();
    var next = values.iterator();
    open.open()
        .values()
        .forEach(
            name -> {
              var size = next.next();
              if (name != null) {
                inside.put(name, Static.core(size));
              }
            });
    var leaves = values.subList(open.open().size(), values.size());
    evaluator.patterns().bind(exp.pattern(), Static.of(open.type(), leaves), inside, scope);
    return inside;
  }

  private static Static finish(
      TypedExp.Loop exp,
      Types.Open open,
      List<Var> vars,
      List<Atom> inits,
      Exp.LoopForm form,
      Body body,
      Scope scope) {
    var params = new ArrayList<Exp.LoopParam>();
    var results = new ArrayList<Var>();
    Map<Var, Atom> renamed = new HashMap<>();
    for (int i = 0; i < vars.size(); i++) {
      var v = vars.get(i);
      params.add(new Exp.LoopParam(v, inits.get(i)));
      var result = Names.fresh(v.name(), new Substitution(renamed).type(v.type()));
      renamed.put(v, result);
      results.add(result);
    }
    scope.at(exp.span()).builder().bindAll(results, new Exp.Loop(params, form, body));
    int sizes = open.open().size();
    return Static.of(open.type(), results.subList(sizes, results.size()));
  }

  /** Copies what shares memory with others: a loop may consume its variables. */
  private static List<Atom> owned(List<Atom> values, Scope scope) {
    return values.stream().map(v -> scope.isBorrowed(v) ? (Atom) scope.own(v) : v).toList();
  }
}
