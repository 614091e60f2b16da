package dev.kenaz.loops;

import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.segir.MentionedVars;
import dev.kenaz.segir.SegBody;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * This collects the variables of accumulator type that code mentions, whether they are bound in it
 * or not.
 */
public final class FreeAccs {
  private FreeAccs() {}

  public static Set<Var> of(SegBody body) {
    var found = new LinkedHashSet<>(MentionedVars.of(body));
    found.removeIf(v -> !(v.type() instanceof Type.Acc));
    return found;
  }
}
