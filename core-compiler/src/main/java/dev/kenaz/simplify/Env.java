package dev.kenaz.simplify;

import dev.kenaz.analysis.Effects;
import dev.kenaz.analysis.Sharing;
import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** What the forward walk knows at the place where it is: the open scopes and the facts in them. */
final class Env {
  /** A scope being rebuilt; what it added to the tables is undone at its end. */
  private static final class Scope {
    private final List<Stm> stms = new ArrayList<>();
    private final List<Runnable> undo = new ArrayList<>();

    /** Whether it is a branch of an If: nothing leaves it, for it may not run. */
    private final boolean branch;

    private Scope(boolean branch) {
      this.branch = branch;
    }
  }

  private final Simplifier simplifier;
  private final Sharing sharing;
  private final List<Scope> scopes = new ArrayList<>();
  private final Map<Var, Atom> replaced = new HashMap<>();
  private final Map<Var, Var> bound = new HashMap<>();
  private final Map<Var, Integer> levels = new HashMap<>();
  private final Map<Var, Integer> order = new HashMap<>();
  private final Map<Var, Stm> definitions = new HashMap<>();
  private final Map<Exp, List<Var>> available = new HashMap<>();

  /** What is known to be a size, each with the level of the scope from which on it is known. */
  private final Map<Var, Integer> sizes = new HashMap<>();

  private final Set<Integer> adding = new HashSet<>();
  private Span span = Span.NONE;

  /** How many functions around have such tangents; see {@link DiscreteTangents}. */
  private int discreteTangents;

  Env(Simplifier simplifier, Sharing sharing) {
    this.simplifier = simplifier;
    this.sharing = sharing;
  }

  // Scopes

  void push(boolean branch) {
    scopes.add(new Scope(branch));
  }

  List<Stm> pop() {
    var scope = scopes.removeLast();
    for (int i = scope.undo.size() - 1; i >= 0; i--) {
      scope.undo.get(i).run();
    }
    return scope.stms;
  }

  int level() {
    return scopes.size() - 1;
  }

  private void undo(int level, Runnable action) {
    scopes.get(level).undo.add(action);
  }

  /** Returns the outermost scope where a statement that uses these variables may stand. */
  int outermost(Stm stm) {
    int level = level();
    int floor = 0;
    for (var v : FreeVars.of(stm)) {
      floor = Math.max(floor, levels.getOrDefault(v, level));
    }
    while (level > floor && !scopes.get(level).branch) {
      level--;
    }
    return level;
  }

  void append(int level, Stm stm) {
    scopes.get(level).stms.add(stm);
    stm.pattern().forEach(v -> definitions.put(v, stm));
  }

  // Variables

  /** Returns a binder of the scope at the level, with its type as it is now. */
  Var bind(Var v, int level) {
    bound.put(v, v);
    levels.put(v, level);
    order.put(v, order.size());
    if (v.type() instanceof Type.Array a) {
      for (var d : a.shape()) {
        if (d instanceof Var size) {
          counts(size, level);
        }
      }
    }
    return v;
  }

  /** Returns the atom that now stands for a variable of the old program. */
  Atom current(Atom atom) {
    if (!(atom instanceof Var v)) {
      return atom;
    }
    var r = replaced.get(v);
    if (r != null) {
      return r instanceof Var ? current(r) : r;
    }
    return bound.getOrDefault(v, v);
  }

  void replace(Var v, Atom by) {
    replaced.put(v, by);
  }

  /** Lets the atom stand for the variable from here to the end of the scope. */
  void assume(Var v, Atom by) {
    if (v.equals(by) || replaced.containsKey(v) || discreteTangents()) {
      return;
    }
    replaced.put(v, by);
    undo(level(), () -> replaced.remove(v));
  }

  /**
   * Notes that the two are equal from here to the end of the scope; the one bound later is
   * replaced.
   */
  void assumeEqual(Atom x, Atom y) {
    if (x instanceof Var v && (y instanceof Const || before(y, v))) {
      assume(v, y);
    } else if (y instanceof Var w) {
      assume(w, x);
    }
  }

  private boolean before(Atom x, Var y) {
    return x instanceof Var v && order.getOrDefault(v, 0) < order.getOrDefault(y, 0);
  }

  boolean isConsumed(Atom atom) {
    return sharing.consumed(atom);
  }

  // Definitions

  /** Returns the statement that binds it, if it is known. */
  Stm definition(Atom atom) {
    return atom instanceof Var v ? definitions.get(v) : null;
  }

  /** Returns the expression that it alone is bound to, or null. */
  Exp exp(Atom atom) {
    var stm = definition(atom);
    boolean hidden =
        stm == null
            || stm.pattern().size() != 1
            || discreteTangents() && stm.exp() instanceof Exp.Iota(Var _, _, _);
    return hidden ? null : stm.exp();
  }

  /** Runs what is inside a function whose integers and truth values may have tangents. */
  <T> T withDiscreteTangents(Supplier<T> inside) {
    discreteTangents++;
    var result = inside.get();
    discreteTangents--;
    return result;
  }

  boolean discreteTangents() {
    return discreteTangents > 0;
  }

  List<Var> available(Exp key) {
    return available.get(key);
  }

  void makeAvailable(Exp key, List<Var> results, int level) {
    if (available.putIfAbsent(key, results) == null) {
      undo(level, () -> available.remove(key));
    }
  }

  // Ranges

  /** Runs the action at the end of the scope. */
  void undo(Runnable action) {
    undo(level(), action);
  }

  /** Notes that the variable counts iterations or elements, to the end of this scope. */
  void counts(Var v) {
    counts(v, level());
  }

  private void counts(Var v, int level) {
    if (sizes.putIfAbsent(v, level) == null) {
      undo(level, () -> sizes.remove(v));
    }
  }

  /**
   * Whether it is the size of an array, or counts as many iterations or elements: 0 to {@link
   * dev.kenaz.value.Sizes#LONGEST}.
   */
  boolean isSize(Var v) {
    return sizes.containsKey(v);
  }

  /** Returns the level of the outermost scope in which arrays of these sizes are possible. */
  private int knownSizes(List<Atom> shape) {
    int known = 0;
    for (var d : shape) {
      int here =
          switch (d) {
            case Const(var c) -> c.asLong() >= 0 ? 0 : level();
            case Var v -> sizes.getOrDefault(v, level());
          };
      known = Math.max(known, here);
    }
    return known;
  }

  // Accumulators

  void setAdds(int token) {
    adding.add(token);
  }

  /** Whether the accumulator's operator is addition. */
  boolean adds(int token) {
    return adding.contains(token);
  }

  // Statements that rules add

  void at(Span newSpan) {
    span = newSpan;
  }

  /** Adds a statement before the one that is being simplified; returns what it is bound to. */
  Atom emit(String name, Exp exp) {
    return simplifier.emit(name, exp, span);
  }

  /**
   * Returns the level of the outermost scope in which it may be computed, earlier and even in vain:
   * where it is cheap and cannot fail.
   */
  int hoistable(Exp exp) {
    return switch (exp) {
      case Rearrange _ -> 0;
      case Iota(var n, _, _) -> knownSizes(List.of(n));
      case Replicate(var shape, _) -> knownSizes(shape);
      case Assert a -> a.isOfSizes() ? 0 : level();
      default -> Effects.safeScalar(exp) ? 0 : level();
    };
  }
}
