package dev.kenaz.ir;

import dev.kenaz.ir.Exp.*;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Checks that nothing is used after it was consumed. Update, Scatter, Hist, WithAcc and UpdateAcc
 * consume arrays and accumulators; a consumed array takes all its aliases with it.
 *
 * <p>A loop consumes the start value of a parameter that its body consumes, a parallel operator the
 * input whose rows its lambda consumes, a call the argument of a parameter that the function
 * consumes. What a lambda or a loop's body consumes must otherwise be its own.
 */
final class Consumption {
  /** What a function does to its parameters, and which of them each result may be part of. */
  private record Summary(Set<Integer> consumed, List<Set<Integer>> aliases) {}

  private final Map<String, Summary> summaries = new HashMap<>();

  /** What each array variable may share memory with, itself included. */
  private final Map<Var, Set<Var>> aliases = new HashMap<>();

  private final Set<Var> consumed = new HashSet<>();

  /** This holds the consumed variables in the order in which they were consumed. */
  private final List<Var> trail = new ArrayList<>();

  /** When each array variable was bound, in steps of {@link #clock}. */
  private final Map<Var, Integer> births = new HashMap<>();

  private int clock;

  private Consumption() {}

  static void check(CoreProgram program) {
    var c = new Consumption();
    for (var f : program.functions()) {
      try {
        c.summarise(f);
      } catch (IllFormed e) {
        throw new IllFormed("in " + f.name() + ": " + e.getMessage());
      }
    }
  }

  /**
   * Repeats the analysis of a function that calls itself until what its calls are taken to do to
   * their arguments is what the function does to its parameters.
   */
  private void summarise(FunDef f) {
    var none = f.returns().stream().map(_ -> Set.<Integer>of()).toList();
    var assumed = new Summary(Set.of(), none);
    var found = assumed;
    do {
      assumed = found;
      summaries.put(f.name(), assumed);
      found = function(f);
    } while (!found.equals(assumed) && f.recursive());
    summaries.put(f.name(), found);
  }

  private Summary function(FunDef f) {
    aliases.clear();
    births.clear();
    consumed.clear();
    trail.clear();
    f.params().forEach(this::own);
    body(f.body());
    var used = new HashSet<Integer>();
    for (int i = 0; i < f.params().size(); i++) {
      if (consumed.contains(f.params().get(i))) {
        used.add(i);
      }
    }
    var results = new ArrayList<Set<Integer>>();
    for (var r : f.body().results()) {
      var from = new HashSet<Integer>();
      for (var a : aliasesOf(r)) {
        int i = f.params().indexOf(a);
        if (i >= 0) {
          from.add(i);
        }
      }
      results.add(from);
    }
    return new Summary(used, results);
  }

  private void body(Body body) {
    for (var stm : body.stms()) {
      try {
        stm(stm);
      } catch (IllFormed e) {
        throw e.in(Printer.print(stm).strip() + "\n  at " + stm.span());
      }
    }
    body.results().forEach(this::use);
  }

  // Aliases

  private void own(Var v) {
    if (!v.type().isScalar()) {
      births.put(v, clock++);
      aliases.put(v, new HashSet<>(Set.of(v)));
    }
  }

  private Set<Var> aliasesOf(Atom atom) {
    return atom instanceof Var v && !v.type().isScalar()
        ? aliases.getOrDefault(v, Set.of(v))
        : Set.of();
  }

  /** Notes that the variable shares memory with whatever these share memory with. */
  private void alias(Var v, Set<Var> others) {
    if (!v.type().isScalar()) {
      births.put(v, clock++);
      var all = new HashSet<>(others);
      all.add(v);
      aliases.put(v, all);
      // the relation is symmetric
      Set.copyOf(others)
          .forEach(o -> aliases.computeIfAbsent(o, k -> new HashSet<>(Set.of(k))).add(v));
    }
  }

  private void use(Atom atom) {
    if (atom instanceof Var v && consumed.contains(v)) {
      throw new IllFormed(v + " is used after it was consumed");
    }
  }

  private void consume(Var v) {
    use(v);
    aliasesOf(v).forEach(this::markConsumed);
    markConsumed(v);
  }

  private void markConsumed(Var v) {
    if (consumed.add(v)) {
      trail.add(v);
    }
  }

  // Statements

  private void stm(Stm stm) {
    var pattern = stm.pattern();
    switch (stm.exp()) {
      case View _ -> alias(pattern.getFirst(), useAliases(Views.operand(stm.exp()).orElseThrow()));
      case Update(var a, _, var x, _) -> {
        use(x);
        apart(a, x);
        consume(a);
        own(pattern.getFirst());
      }
      case UpdateAcc(var acc, _, var xs) -> {
        xs.forEach(this::use);
        consume(acc);
        own(pattern.getFirst());
      }
      case Arithmetic _ -> {}
      case Iota _, Scratch _ -> pattern.forEach(this::own);
      case Replicate(_, var x) -> copy(List.of(x), pattern);
      case ArrayLit(var xs, _) -> copy(xs, pattern);
      case Concat(_, var xs, _) -> copy(xs, pattern);
      case Copy(var a) -> copy(List.of(a), pattern);
      case If(_, var then, var otherwise) -> branches(then, otherwise, pattern);
      case Loop loop -> loop(loop, pattern);
      case Apply(var f, var arguments) -> apply(f, arguments, pattern);
      case Screma(_, var ins, var scans, var reduces, var map) -> {
        scans.forEach(s -> operator(s.op()));
        reduces.forEach(r -> operator(r.op()));
        rows(ins, map);
        pattern.forEach(this::own);
      }
      case Hist(_, var ins, var ops, var map) -> {
        ops.forEach(o -> operator(o.op()));
        rows(ins, map);
        into(ins, map, ops.stream().flatMap(o -> o.dests().stream()).toList(), pattern);
      }
      case Scatter(_, var ins, var dests, var map) -> {
        rows(ins, map);
        into(ins, map, dests.stream().map(ScatterDest::dest).toList(), pattern);
      }
      case Filter(_, var ins, var map) -> {
        rows(ins, map);
        pattern.forEach(this::own);
      }
      case WithAcc w -> withAcc(w, pattern);
      case Jvp(var f, var xs, var ts, _) -> derivative(List.of(f), xs, ts, pattern);
      case Vjp(var f, var xs, var as, _) -> derivative(List.of(f), xs, as, pattern);
      case WithVjp(var f, _, var rule, var xs) ->
          derivative(List.of(f, rule), xs, List.of(), pattern);
    }
  }

  private Set<Var> useAliases(Atom x) {
    use(x);
    return aliasesOf(x);
  }

  private void copy(List<? extends Atom> from, List<Var> pattern) {
    from.forEach(this::use);
    pattern.forEach(this::own);
  }

  private void apart(Var dest, Atom source) {
    if (source instanceof Var v && aliasesOf(dest).contains(v)) {
      throw new IllFormed(dest + " is consumed while " + v + ", which may alias it, is read");
    }
  }

  private void into(List<Var> ins, Lambda map, List<Var> dests, List<Var> pattern) {
    var free = FreeVars.of(map);
    for (var d : dests) {
      ins.forEach(in -> apart(d, in));
      free.forEach(v -> apart(d, v));
      consume(d);
    }
    pattern.forEach(this::own);
  }

  private void branches(Body then, Body otherwise, List<Var> pattern) {
    int start = trail.size();
    body(then);
    var here = trail.subList(start, trail.size());
    var inThen = List.copyOf(here);
    here.clear();
    inThen.forEach(consumed::remove);
    body(otherwise);
    inThen.forEach(this::markConsumed);
    for (int i = 0; i < pattern.size(); i++) {
      var shared = new HashSet<>(aliasesOf(then.results().get(i)));
      shared.addAll(aliasesOf(otherwise.results().get(i)));
      shared.removeAll(consumed);
      alias(pattern.get(i), shared);
    }
  }

  private void loop(Loop loop, List<Var> pattern) {
    loop.params().forEach(p -> use(p.init()));
    var params = loop.params().stream().map(LoopParam::var).toList();
    params.forEach(this::own);
    scope("a loop", params, loop.body());
    for (int i = 0; i < params.size(); i++) {
      var p = loop.params().get(i);
      if (p.var().type().isScalar()) {
        continue;
      }
      boolean owned = consumed.contains(p.var());
      var shared = new HashSet<Var>();
      if (owned && p.init() instanceof Var init) {
        consume(init);
      } else if (!owned) {
        shared.addAll(aliasesOf(p.init()));
      }
      shared.addAll(aliasesOf(loop.body().results().get(i)));
      shared.removeAll(consumed);
      alias(pattern.get(i), shared);
    }
  }

  private void apply(String name, List<Atom> arguments, List<Var> pattern) {
    var summary = summaries.get(name);
    arguments.forEach(this::use);
    summary.consumed().forEach(i -> consume((Var) arguments.get(i)));
    for (int i = 0; i < pattern.size(); i++) {
      var shared = new HashSet<Var>();
      summary.aliases().get(i).forEach(k -> shared.addAll(aliasesOf(arguments.get(k))));
      shared.removeAll(consumed);
      alias(pattern.get(i), shared);
    }
  }

  private void withAcc(WithAcc w, List<Var> pattern) {
    for (var in : w.inputs()) {
      in.combine().ifPresent(c -> operator(c.op()));
      for (var a : in.arrays()) {
        FreeVars.of(w.body()).forEach(v -> apart(a, v));
        consume(a);
      }
    }
    w.body().params().forEach(this::own);
    body(w.body().body());
    int arrays = w.inputs().stream().mapToInt(in -> in.arrays().size()).sum();
    pattern.subList(0, arrays).forEach(this::own);
    for (int i = arrays; i < pattern.size(); i++) {
      var shared = aliasesOf(w.body().body().results().get(i - arrays + w.inputs().size()));
      alias(pattern.get(i), new HashSet<>(shared));
    }
  }

  private void derivative(
      List<Lambda> lambdas, List<Atom> arguments, List<Atom> seeds, List<Var> pattern) {
    arguments.forEach(this::use);
    seeds.forEach(this::use);
    lambdas.forEach(this::operator);
    pattern.forEach(this::own);
  }

  // Lambdas

  /** A lambda that is given its arguments to keep. */
  private void operator(Lambda op) {
    op.params().forEach(this::own);
    scope("an operator", op.params(), op.body());
  }

  private void rows(List<Var> inputs, Lambda map) {
    inputs.forEach(this::use);
    map.params().forEach(this::own);
    scope("a parallel operator", map.params(), map.body());
    for (int i = 0; i < inputs.size(); i++) {
      if (consumed.contains(map.params().get(i))) {
        consume(inputs.get(i));
      }
    }
  }

  /** A body that runs any number of times: it may consume what is its own, nothing from outside. */
  private void scope(String what, List<Var> params, Body body) {
    int start = trail.size();
    int birth = clock;
    body(body);
    for (var v : trail.subList(start, trail.size())) {
      if (births.getOrDefault(v, clock) < birth && !params.contains(v)) {
        throw new IllFormed(v + " from outside is consumed inside " + what);
      }
    }
  }
}
