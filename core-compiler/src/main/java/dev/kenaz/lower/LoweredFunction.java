package dev.kenaz.lower;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Substitution;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/**
 * A finished core function.
 *
 * @param sizes how many of its first results are sizes that it decides
 */
record LoweredFunction(FunDef function, int sizes) {
  static LoweredFunction function(
      String name, List<Var> params, List<Atom> leaves, Scope outermost, Scope scope) {
    var named = ownSizes(params, leaves);
    List<Atom> results = Lists.concat(named.keySet(), leaves);
    var substitution = new Substitution(named);
    var returns = new ArrayList<Type>();
    var returnSizes = new ArrayList<Var>();
    for (int i = 0; i < results.size(); i++) {
      boolean isSize = i < named.size();
      returns.add(isSize ? Type.I64 : substitution.type(results.get(i).type()));
      returnSizes.add(isSize ? named.get(results.get(i)) : Names.fresh("r", Type.I64));
    }
    var stms = new ArrayList<Stm>(outermost.builder().stms());
    stms.addAll(scope.builder().stms());
    var body = new Body(stms, results);
    return new LoweredFunction(new FunDef(name, params, returns, returnSizes, body), named.size());
  }

  /** Returns the sizes that the function computes, each with the variable that names it outside. */
  private static Map<Var, Var> ownSizes(List<Var> params, List<Atom> results) {
    var known = new LinkedHashSet<>(params);
    var named = new LinkedHashMap<Var, Var>();
    for (var r : results) {
      for (var d : r.type().dims()) {
        if (d instanceof Var v && !known.contains(v)) {
          named.computeIfAbsent(v, Names::like);
        }
      }
    }
    return named;
  }
}
