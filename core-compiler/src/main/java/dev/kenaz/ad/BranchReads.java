package dev.kenaz.ad;

import dev.kenaz.analysis.Aliases;
import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Lets branches overwrite elements of an array without a copy of it (001 §6.3 names that a
 * limitation): what they read of the array becomes results of theirs. The return sweep, which
 * executes the branch again, then needs those elements, and not the array as it was.
 *
 * @param stm the branch with more results
 * @param reads from variables of either branch that hold an element to the results
 * @param written the arrays in the branches that updates make: nothing needs them again
 * @param arrays the arrays from outside that are overwritten
 */
record BranchReads(Stm stm, Map<Var, Var> reads, Set<Var> written, Set<Var> arrays) {

  /** What applies to branches that overwrite nothing. */
  static final BranchReads NONE =
      new BranchReads(
          new Stm(
              List.of(),
              new Assert(Atom.bool(true), Assert.FAILED, "", List.of()),
              List.of(),
              Span.NONE),
          Map.of(),
          Set.of(),
          Set.of());

  /**
   * Applies if all that the branches do to what they overwrite is to read and write single
   * elements.
   */
  static Optional<BranchReads> of(Stm stm) {
    if (!(stm.exp() instanceof If e)) {
      return Optional.empty();
    }
    var here = Aliases.of(stm);
    var arrays = new HashSet<Var>();
    for (var v : FreeVars.of(e)) {
      if (v.type().isArray() && here.consumed().contains(v)) {
        arrays.add(v);
      }
    }
    var written = new HashSet<Var>();
    var reads = new ArrayList<Var>();
    if (arrays.isEmpty()
        || !elementwise(e.then(), arrays, written, reads)
        || !elementwise(e.otherwise(), arrays, written, reads)) {
      return Optional.empty();
    }
    return Optional.of(exported(stm, e, reads, written, arrays));
  }

  private static boolean elementwise(
      Body body, Set<Var> arrays, Set<Var> written, List<Var> reads) {
    for (var stm : body.stms()) {
      var used = FreeVars.of(stm.exp());
      if (used.stream().noneMatch(v -> arrays.contains(v) || written.contains(v))) {
        continue;
      }
      if (stm.exp() instanceof Index i && stm.var().type().isScalar()) {
        reads.add(stm.var());
      } else if (stm.exp() instanceof Update u && u.value().type().isScalar()) {
        written.add(stm.var());
      } else {
        return false;
      }
    }
    return true;
  }

  private static BranchReads exported(
      Stm stm, If e, List<Var> reads, Set<Var> written, Set<Var> arrays) {
    var inThen = Stm.bound(e.then().stms());
    var results1 = new ArrayList<>(e.then().results());
    var results2 = new ArrayList<>(e.otherwise().results());
    var pattern = new ArrayList<>(stm.pattern());
    var names = new HashMap<Var, Var>();
    var b = new Builder(stm.span());
    for (var v : reads) {
      var zero = b.zero(v.type());
      boolean first = inThen.contains(v);
      results1.add(first ? v : zero);
      results2.add(first ? zero : v);
      names.put(v, Names.like(v));
      pattern.add(names.get(v));
    }
    var then = new Body(e.then().stms(), results1);
    var otherwise = new Body(e.otherwise().stms(), results2);
    var exp = new If(e.condition(), then, otherwise);
    return new BranchReads(stm.with(pattern, exp), names, written, arrays);
  }

  /** Returns the saved values, for the variables of a renamed copy of the branches. */
  Map<Var, Optional<Var>> under(UnaryOperator<Atom> renaming) {
    var all = new HashMap<Var, Optional<Var>>();
    reads.forEach((v, out) -> all.put((Var) renaming.apply(v), Optional.of(out)));
    written.forEach(v -> all.put((Var) renaming.apply(v), Optional.empty()));
    return all;
  }
}
