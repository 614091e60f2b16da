package dev.kenaz.ad;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Attr;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * This is reverse mode by redundant execution (001 §4). The forward sweep of a scope is its
 * statements, with whatever a rule wants saved; the return sweep treats the statements in reverse.
 * A statement {@code y = f(x, …)} there turns ȳ into contributions to the adjoints of its operands,
 * {@code x̄ += ∂f/∂x · ȳ} (001 §2.0.2 equation 3). There is no tape: all variables of a scope are
 * visible to its return sweep, and where the return sweep enters a nested scope it first executes
 * that scope's forward sweep again, under fresh names.
 *
 * <p>Where we differ: a rule is a function that emits the forward sweep and answers with the return
 * sweep, so what a rule saves are captured variables. Arrays that the program updates in place are
 * copied where a return sweep may still read them ({@link PreservedArrays}).
 */
final class Reverse {
  final Activity activity;
  final Options options;

  /**
   * This holds the tokens of accumulators that exist in the program but not in the code being
   * emitted.
   */
  private final Set<Integer> absent = new HashSet<>();

  /** This is the attribute of operators in the current statement; see {@link Invertible}. */
  private Optional<Attr> declared = Optional.empty();

  private final Recompute again = new Recompute();

  private final AffineForms forms;

  /** Arrays handed over to return sweeps of loops, and what these made of them. */
  private final Map<Var, Optional<Var>> restored = new HashMap<>();

  /**
   * A forward sweep needn't compute these variables again; each is mapped to the variable that has
   * its value.
   */
  private final Map<Var, Var> kept = new HashMap<>();

  /** This maps variables to those that the return sweep made once more; see {@link LateResults}. */
  private final Map<Var, Var> late = new LinkedHashMap<>();

  private Builder root;

  /** How many bytes may be kept from here on, under a bound on memory. */
  private Atom memory;

  private int loops;

  Reverse(Activity activity, Options options, AffineForms forms) {
    this.activity = activity;
    this.options = options;
    this.forms = forms;
    this.memory = Atom.i64(options.budget().orElse(0));
  }

  /** The return sweep of a statement, or of several. */
  @FunctionalInterface
  interface Return {
    Return NOTHING = _ -> {};

    void emit(Sweep s);
  }

  /**
   * Emits the forward sweep of a body whose variables are bound nowhere else; its return sweep,
   * which expects the results' adjoints.
   */
  Return forward(Builder b, Body body) {
    return forward(b, body, Set.of());
  }

  /**
   * Emits the forward sweep of a body.
   *
   * @param own arrays from outside that the body may update in place
   */
  Return forward(Builder b, Body program, Set<Var> own) {
    activity.body(program);
    var body = PreservedArrays.withOwnRows(activity, program, again);
    var stms = new ArrayList<Stm>();
    var branches = new IdentityHashMap<Stm, BranchReads>();
    for (var stm : body.stms()) {
      var reads =
          stm.pattern().stream().anyMatch(activity::active) && !again.isInside(stm)
              ? BranchReads.of(stm)
              : Optional.<BranchReads>empty();
      stms.add(reads.map(BranchReads::stm).orElse(stm));
      reads.ifPresent(x -> branches.put(x.stm(), x));
    }
    var consumption = new PreservedArrays(activity, new Body(stms, body.results()), own, branches);
    var returns = new ArrayList<Return>();
    var memories = new ArrayList<Atom>();
    var before = memory;
    for (var stm : stms) {
      b.at(stm.span());
      if (again.contains(stm)) {
        returns.add(statement(b, stm, again.instead(stm)));
      } else if (again.isInside(stm)) {
        returns.add(statement(b, stm, consumption.protect(b, again.instead(stm))));
      } else if (branches.containsKey(stm)) {
        plain(b, consumption.protect(b, stm));
        var reads = branches.get(stm);
        returns.add(s -> ReverseIf.emit(this, s, stm.pattern(), (If) stm.exp(), reads));
      } else {
        returns.add(statement(b, stm, consumption.protect(b, stm)));
      }
      memories.add(memory);
    }
    memory = before;
    return inReverse(returns, stms, memories);
  }

  private Return inReverse(List<Return> returns, List<Stm> stms, List<Atom> memories) {
    return s -> {
      var outside = memory;
      for (int i = returns.size() - 1; i >= 0; i--) {
        if (returns.get(i) != Return.NOTHING) {
          // what later statements have kept is not needed any more
          memory = memories.get(i);
          s.b.at(stms.get(i).span());
          returns.get(i).emit(s);
        }
      }
      memory = outside;
    };
  }

  /** Emits statements that are not part of the program; returns their return sweep. */
  Return forward(Builder b, List<Stm> stms) {
    return forward(b, new Body(stms, List.of()));
  }

  /** Returns the attribute {@code invertible} of the operator at hand, if it has that. */
  Optional<Attr> declaredInvertible() {
    return declared;
  }

  /** Returns how many bytes may be kept from here on, under a bound on memory. */
  Atom memory() {
    return memory;
  }

  /** Reduces the bytes that may be kept from here on. */
  void keepBytes(Builder b, Atom bytes) {
    memory = b.binary(BinaryOp.MAX, b.sub(memory, bytes), Atom.i64(0));
  }

  /** Returns what need not be computed again in code that is executed again. */
  Recompute again() {
    return again;
  }

  /** Returns what is known of the program's integers. */
  AffineForms forms() {
    return forms;
  }

  /**
   * Allows the return sweep of the loop that makes this array to undo its updates in the array
   * itself, as the scope's own return sweep would do that anyhow.
   */
  void handOver(Var array) {
    restored.put(array, Optional.empty());
  }

  boolean isHandedOver(Var array) {
    return restored.containsKey(array);
  }

  void restore(Var array, Var before) {
    restored.put(array, Optional.of(before));
  }

  /** Forgets what return sweeps in branches make of arrays, which they keep to themselves. */
  void notHandedOver(List<Var> arrays) {
    restored.keySet().removeAll(arrays);
  }

  /** Returns the number of loops within whose return sweeps code is being emitted. */
  int loops() {
    return loops;
  }

  /** Emits the forward sweep of a loop's body within that loop's return sweep. */
  Return forwardInLoop(Builder b, Body body, Set<Var> own) {
    loops++;
    var back = forward(b, body, own);
    loops--;
    return back;
  }

  /** Returns the array as it was before the loop, if the return sweep has got that. */
  Optional<Var> restored(Var array) {
    return restored.getOrDefault(array, Optional.empty());
  }

  /** Allows the return sweep in this builder to make results of the forward sweep. */
  void keepLate(Builder b) {
    root = b;
  }

  boolean keepsLate(Builder b) {
    return root == b;
  }

  /** Notes that the return sweep has made the variable's value once more. */
  void late(Var v, Var again) {
    late.put(v, again);
  }

  Map<Var, Var> late() {
    return late;
  }

  /**
   * Notes that the statement that binds the variable need not be executed again, as this is its
   * value.
   */
  void keep(Var v, Var value) {
    kept.put(v, value);
  }

  /** Leaves updates of this accumulator out of forward sweeps from now on. */
  void withoutAccumulator(int token) {
    absent.add(token);
  }

  /** Emits a statement as it is, except for updates of accumulators that don't exist here. */
  void plain(Builder b, Stm stm) {
    b.addAll(absent.isEmpty() ? List.of(stm) : new StripAccumulators(absent).stm(stm));
  }

  /**
   * Emits the forward sweep of a statement.
   *
   * @param stm the statement as the program has it, which the return sweep differentiates
   * @param primal the same on protected copies, which the forward sweep emits
   */
  private Return statement(Builder b, Stm stm, Stm primal) {
    forms.define(stm);
    if (stm.pattern().stream().noneMatch(activity::active)) {
      plain(b, primal);
      return Return.NOTHING;
    }
    if (stm.pattern().stream().anyMatch(kept::containsKey)) {
      return withKept(b, stm, primal);
    }
    var before = declared;
    for (var attr : stm.attrs()) {
      if (attr.name().equals("invertible")) {
        declared = Optional.of(attr);
      }
    }
    try {
      return byRule(b, stm, primal);
    } finally {
      declared = before;
    }
  }

  /** Emits a statement some of whose values were kept; what is computed again gets other names. */
  private Return withKept(Builder b, Stm stm, Stm primal) {
    var again = new LinkedHashMap<Var, Var>();
    var pattern = new ArrayList<Var>();
    for (var v : stm.pattern()) {
      if (kept.containsKey(v)) {
        var other = Names.like(v);
        if (activity.active(v)) {
          activity.mark(other);
        }
        again.put(v, other);
      }
      pattern.add(again.getOrDefault(v, v));
    }
    var sweep = statement(b, stm.with(pattern, stm.exp()), primal.with(pattern, primal.exp()));
    again.keySet().forEach(v -> b.bindAll(List.of(v), new Alias(kept.get(v))));
    return s -> {
      again.forEach(
          (v, other) -> {
            if (!s.isZero(v)) {
              s.set(other, s.take(v));
            }
          });
      sweep.emit(s);
    };
  }

  private Return byRule(Builder b, Stm stm, Stm primal) {
    return switch (stm.exp()) {
      case Loop _ -> ReverseLoop.forward(this, b, stm, primal);
      case Screma _ -> ReverseScrema.forward(this, b, stm, primal);
      case Hist _ -> ReverseHist.forward(this, b, stm, primal);
      case Scatter _ -> ReverseScatter.forward(this, b, stm, primal);
      case WithVjp _ -> ReverseCustom.forward(b, stm);
      case If e -> {
        plain(b, primal);
        yield s -> ReverseIf.emit(this, s, stm.pattern(), e);
      }
      case WithAcc e when !ReverseAccumulators.areSums(e) -> forward(b, SequentialAccs.of(b, stm));
      case WithAcc e -> {
        plain(b, primal);
        yield s -> ReverseAccumulators.emit(this, s, stm.pattern(), e);
      }
      case Alias _, Unary _, Binary _, Fma _, Convert _, Trace _ -> {
        plain(b, primal);
        yield s -> ReverseScalar.emit(s, stm);
      }
      case View _, Update _, Replicate _, ArrayLit _, Concat _, Copy _, UpdateAcc _, Iota _ -> {
        plain(b, primal);
        yield s -> ReverseArray.emit(s, stm);
      }
      case Apply(var f, _) -> throw Differentiate.recursive(f, stm.span());
      case Compare _, Assert _, Scratch _, Filter _, Jvp _, Vjp _ ->
          throw new CompilerBug("ad", "an active result of " + stm.exp());
    };
  }
}
