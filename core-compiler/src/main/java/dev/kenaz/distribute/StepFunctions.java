package dev.kenaz.distribute;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Substitution;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.simplify.Overwrites;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.stream.Stream;

/** Makes functions of a plan's steps from their statements. */
final class StepFunctions {
  private StepFunctions() {}

  /**
   * Makes a function of the body's free variables. It first copies the parameters that the body
   * consumes.
   */
  static FunDef of(String name, Body body) {
    return of(name, sizesFirst(FreeVars.of(body)), body);
  }

  /** Returns the scalars, then the arrays, whose types may mention the scalars. */
  static List<Var> sizesFirst(Collection<Var> vars) {
    return Stream.concat(
            vars.stream().filter(v -> v.type().isScalar()),
            vars.stream().filter(v -> !v.type().isScalar()))
        .toList();
  }

  static FunDef renamed(FunDef f, String name) {
    return new FunDef(name, f.params(), f.returns(), f.returnSizes(), f.body());
  }

  static FunDef of(String name, List<Var> params, Body body) {
    var safe = Overwrites.protect(params, body);
    var sizes = new ArrayList<Var>();
    var types = new ArrayList<Type>();
    var decided = new HashMap<Var, Atom>();
    for (var r : safe.results()) {
      // A size that the body computes is one of its results, and that is its name outside.
      var type = new Substitution(decided).type(r.type());
      var size = Names.fresh("r", type);
      types.add(type);
      sizes.add(size);
      if (r instanceof Var v && !params.contains(v)) {
        decided.put(v, size);
      }
    }
    return new FunDef(name, params, types, sizes, safe);
  }
}
