package dev.kenaz.simplify;

import dev.kenaz.ir.Body;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Type;
import dev.kenaz.pass.Pass;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/** This class has the simplifying passes. */
public final class Simplify {
  /** Later rounds find next to nothing; the bound guards against rules that undo each other. */
  private static final int MAX_ROUNDS = 12;

  public static final Pass<CoreProgram, CoreProgram> INLINE =
      Pass.of("inline", "Replaces calls by the callee's body.", Inliner::run);

  public static final Pass<CoreProgram, CoreProgram> RULES =
      Pass.of(
          "rules",
          "Propagates copies, folds constants and indices, shares common subexpressions, and"
              + " hoists.",
          Simplifier::run);

  public static final Pass<CoreProgram, CoreProgram> DEAD_CODE =
      Pass.of("dead-code", "Removes what nothing uses.", DeadCode::run);

  public static final Pass<CoreProgram, CoreProgram> SIMPLIFY =
      Pass.fixpoint(
          "simplify",
          "Makes the program smaller and faster by rules, and removes dead code.",
          MAX_ROUNDS,
          List.of(RULES, DEAD_CODE));

  private Simplify() {}

  /** Simplifies the function by itself, whatever is around it; its results may share memory. */
  public static Lambda simplify(Lambda f) {
    var free = new ArrayList<>(FreeVars.of(f));
    // what types mention comes before the types
    free.sort(Comparator.comparing(v -> v.type().isArray()));
    var params = new ArrayList<>(free);
    params.addAll(f.params());
    var sizes = f.returns().stream().map(_ -> Names.fresh("size", Type.I64)).toList();
    var function = new FunDef("function", params, f.returns(), sizes, f.body());
    var g = SIMPLIFY.apply(new CoreProgram(List.of(function), List.of())).functions().getFirst();
    return new Lambda(g.params().subList(free.size(), params.size()), g.body(), g.returns());
  }

  /**
   * Returns a form of the expression that is equal for expressions that compute the same, given the
   * same free variables.
   */
  public static Exp key(Exp exp) {
    return AlphaKey.of(exp);
  }

  /** Returns the body without what its results do not need. */
  public static Body withoutDeadCode(Body body) {
    return new DeadCode().body(body);
  }

  /** Returns the body without these accumulators, by their tokens, and all that is done to them. */
  public static Body withoutAccumulators(Set<Integer> tokens, Body body) {
    return new WithoutAccumulators(tokens).body(body);
  }
}
