package dev.kenaz.distribute;

import dev.kenaz.ir.Exp.Iota;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Brings ranges of row numbers out of the scopes of a function's statements: a range says which row
 * an update is for, also where other scopes than its own are looked at.
 */
final class HoistedRanges implements Rewriter {
  private final Set<Var> sizes;
  private final List<Stm> ranges = new ArrayList<>();

  private HoistedRanges(Set<Var> sizes) {
    this.sizes = sizes;
  }

  static FunDef of(FunDef function) {
    // A number that is no size may be negative, which a branch may ask first.
    var sizes = new HashSet<Var>();
    function.params().forEach(p -> sizes.addAll(FreeVars.of(p.type())));
    var stms = new ArrayList<Stm>();
    for (var stm : function.body().stms()) {
      var inside = new HoistedRanges(sizes);
      var exp = inside.exp(stm.exp());
      stms.addAll(inside.ranges);
      stms.add(inside.ranges.isEmpty() ? stm : stm.with(exp));
    }
    var body = function.body().with(stms);
    return new FunDef(
        function.name(), function.params(), function.returns(), function.returnSizes(), body);
  }

  @Override
  public List<Stm> stm(Stm stm) {
    if (stm.exp() instanceof Iota range && sizes.containsAll(FreeVars.of(range))) {
      ranges.add(stm);
      return List.of();
    }
    return Rewriter.super.stm(stm);
  }
}
