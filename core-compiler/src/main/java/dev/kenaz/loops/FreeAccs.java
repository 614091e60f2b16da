package dev.kenaz.loops;

import dev.kenaz.flatten.SegBody;
import dev.kenaz.flatten.SegExp;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.LinkedHashSet;
import java.util.Set;

/** The variables of accumulator type that code mentions, bound in it or not. */
public final class FreeAccs {
  private final Set<Var> found = new LinkedHashSet<>();

  public static Set<Var> of(SegBody body) {
    var walk = new FreeAccs();
    walk.body(body);
    return walk.found;
  }

  private void body(SegBody body) {
    body.stms().forEach(s -> exp(s.exp()));
  }

  private void exp(SegExp exp) {
    switch (exp) {
      case SegExp.Plain(var e) ->
          FreeVars.of(e).stream().filter(v -> v.type() instanceof Type.Acc).forEach(found::add);
      case SegExp.Branch(_, var then, var otherwise) -> {
        body(then);
        body(otherwise);
      }
      case SegExp.Iterate(var params, _, var body) -> {
        for (var p : params) {
          if (p.init() instanceof Var v && v.type() instanceof Type.Acc) {
            found.add(v);
          }
        }
        body(body);
      }
      case SegExp.Accumulate(_, _, var body) -> body(body);
      case SegExp.Versions(_, var wide, var narrow) -> {
        body(wide);
        body(narrow);
      }
      case SegExp.Par(var op) -> body(op.body());
    }
  }
}
