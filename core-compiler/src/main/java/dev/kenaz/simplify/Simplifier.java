package dev.kenaz.simplify;

import dev.kenaz.analysis.Effects;
import dev.kenaz.analysis.Sharing;
import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Attr;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.ResultTypes;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.List;

/**
 * Simplifies in one forward walk: rebuilds every scope in order, with all that {@link Env} knows at
 * each statement, and applies the rules to the statement.
 */
final class Simplifier implements Rewriter {
  private final Env env;
  private final ScalarRules scalars;
  private final ArrayRules arrays;
  private final ControlRules control;
  private final SoacRules soacs;
  private boolean changed;

  Simplifier(Sharing sharing) {
    this.env = new Env(this, sharing);
    var ranges = new Ranges(env);
    this.scalars = new ScalarRules(env, ranges);
    this.arrays = new ArrayRules(env, ranges, new IndexRules(env, ranges));
    this.control = new ControlRules(this, env, ranges);
    this.soacs = new SoacRules(this, env, ranges);
  }

  /** Returns the program itself if there is nothing to simplify. */
  static CoreProgram run(CoreProgram program) {
    var s = new Simplifier(Sharing.of(program));
    var result = s.program(program);
    return s.changed ? result : program;
  }

  void markChanged() {
    changed = true;
  }

  // Scopes

  @Override
  public CoreProgram program(CoreProgram p) {
    return new CoreProgram(p.functions().stream().map(this::function).toList(), p.entries());
  }

  @Override
  public FunDef function(FunDef f) {
    env.push(false);
    var params = binders(f.params());
    f.body().stms().forEach(this::process);
    var results = atoms(f.body().results());
    var sizes = binders(f.returnSizes());
    var returns = f.returns().stream().map(this::type).toList();
    return new FunDef(f.name(), params, returns, sizes, new Body(env.pop(), results));
  }

  @Override
  public Body body(Body body) {
    return body(body, false, () -> {});
  }

  /**
   * Simplifies a body in a scope of its own.
   *
   * @param branch whether the body may not run: then nothing is hoisted out of it
   * @param facts runs inside the scope first
   */
  Body body(Body body, boolean branch, Runnable facts) {
    env.push(branch);
    facts.run();
    body.stms().forEach(this::process);
    var results = atoms(body.results());
    return new Body(env.pop(), results);
  }

  @Override
  public Lambda lambda(Lambda lambda) {
    return lambda(lambda, () -> {});
  }

  /**
   * Simplifies a function in a scope of its own.
   *
   * @param facts runs inside the scope first
   */
  Lambda lambda(Lambda lambda, Runnable facts) {
    env.push(false);
    var params = binders(lambda.params());
    facts.run();
    lambda.body().stms().forEach(this::process);
    var results = atoms(lambda.body().results());
    var body = new Body(env.pop(), results);
    return new Lambda(params, body, lambda.returns().stream().map(this::type).toList());
  }

  @Override
  public Exp loop(Loop loop) {
    return control.loop(loop);
  }

  /** Simplifies a body's statements into the scope that is open; returns its results. */
  List<Atom> inline(Body body) {
    body.stms().forEach(this::process);
    return atoms(body.results());
  }

  // Variables

  @Override
  public Atom atom(Atom atom) {
    return env.current(atom);
  }

  @Override
  public Var binder(Var v) {
    return env.bind(v.withType(type(v.type())), env.level());
  }

  @Override
  public Type type(Type type) {
    return type instanceof Type.Scalar ? type : Rewriter.super.type(type);
  }

  // Statements

  void process(Stm stm) {
    env.at(stm.span());
    switch (stm.exp()) {
      case If i when control.decided(i) -> {
        changed = true;
        results(stm.pattern(), inline(control.taken(i)));
      }
      case Loop loop -> control.loop(loop, stm);
      case Screma s -> soacs.screma(s, stm);
      case Filter f -> soacs.filter(f, stm);
      case WithAcc w -> soacs.withAcc(w, stm);
      case If i -> control.branches(i, stm);
      default -> {
        var exp =
            DiscreteTangents.areIn(stm.exp())
                ? env.withDiscreteTangents(() -> exp(stm.exp()))
                : exp(stm.exp());
        env.at(stm.span());
        finish(stm.pattern(), exp, stm.attrs(), stm.span());
      }
    }
  }

  /** Notes that the pattern's variables are these atoms. */
  void results(List<Var> pattern, List<Atom> atoms) {
    for (int i = 0; i < pattern.size(); i++) {
      env.replace(pattern.get(i), atoms.get(i));
    }
  }

  /** Applies the rules to an expression whose parts are simplified, and adds the statement. */
  void finish(List<Var> pattern, Exp start, List<Attr> attrs, Span span) {
    var exp = start;
    for (var next = rules(exp); next != exp && !next.equals(exp); next = rules(exp)) {
      changed = true;
      exp = next;
    }
    switch (exp) {
      case Alias(var x) -> {
        changed = true;
        env.replace(pattern.getFirst(), x);
      }
      case Assert(Const(var c), _, _, _) when c.asBoolean() -> changed = true;
      case Assert(var c, _, _, _) -> {
        add(pattern, exp, attrs, span);
        learn(c);
      }
      default -> add(pattern, exp, attrs, span);
    }
  }

  private Exp rules(Exp exp) {
    return switch (exp) {
      case Unary _, Binary _, Compare _, Convert _, Fma _ -> scalars.apply(exp);
      case Index _,
          Slice _,
          Update _,
          Replicate _,
          ArrayLit _,
          Concat _,
          Rearrange _,
          Reshape _,
          UpdateAcc _ ->
          arrays.apply(exp);
      default -> exp;
    };
  }

  /** Notes that the condition holds in what follows an assertion. */
  private void learn(Atom condition) {
    if (!(condition instanceof Var v)) {
      return;
    }
    switch (env.exp(v)) {
      case Compare(var op, var x, var y) when op == CompareOp.EQ && x.type().equals(Type.I64) ->
          env.assumeEqual(x, y);
      case Binary(var op, var x, var y) when op == BinaryOp.AND -> {
        learn(x);
        learn(y);
      }
      case null, default -> {}
    }
    env.assume(v, Atom.bool(true));
  }

  private void add(List<Var> pattern, Exp exp, List<Attr> attrs, Span span) {
    boolean shareable = Effects.repeatable(exp) && pattern.stream().noneMatch(env::isConsumed);
    var key = shareable ? AlphaKey.of(exp) : null;
    if (key != null) {
      var known = env.available(key);
      if (known != null && known.size() == pattern.size()) {
        changed = true;
        results(pattern, List.copyOf(known));
        return;
      }
    }
    int level = env.level();
    int from = pattern.stream().anyMatch(env::isConsumed) ? level : env.hoistable(exp);
    var stm = new Stm(typed(pattern, level), exp, attrs, span);
    if (from < level) {
      var earlier = new Stm(typedBy(exp, pattern), exp, attrs, span);
      int to = Math.max(from, env.outermost(earlier));
      if (to < level) {
        changed = true;
        earlier.pattern().forEach(v -> env.bind(v, to));
        stm = earlier;
        level = to;
      }
    }
    env.append(level, stm);
    if (key != null) {
      env.makeAvailable(key, stm.pattern(), level);
    }
    if (exp instanceof Convert(var to, Var x) && to == Prim.I64 && env.isSize(x)) {
      env.counts(stm.var());
    }
  }

  private List<Var> typed(List<Var> pattern, int level) {
    var result = new ArrayList<Var>(pattern.size());
    pattern.forEach(v -> result.add(env.bind(v.withType(type(v.type())), level)));
    return result;
  }

  /**
   * Returns the variables with the types that follow from the expression alone: what an assertion
   * lets assume of sizes does not hold before it.
   */
  private static List<Var> typedBy(Exp exp, List<Var> pattern) {
    var types = ResultTypes.of(exp).iterator();
    return pattern.stream().map(v -> v.withType(types.next())).toList();
  }

  /** Adds a simplified statement for a rule; returns the atom that it is bound to. */
  Atom emit(String name, Exp exp, Span span) {
    var v = Names.fresh(name, ResultTypes.of(exp).getFirst());
    finish(List.of(v), exp, List.of(), span);
    return env.current(v);
  }
}
