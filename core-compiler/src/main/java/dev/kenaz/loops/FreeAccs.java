package dev.kenaz.loops;

import dev.kenaz.flatten.Mentions;
import dev.kenaz.flatten.SegBody;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.LinkedHashSet;
import java.util.Set;

/** The variables of accumulator type that code mentions, bound in it or not. */
public final class FreeAccs {
  private FreeAccs() {}

  public static Set<Var> of(SegBody body) {
    var found = new LinkedHashSet<>(Mentions.of(body));
    found.removeIf(v -> !(v.type() instanceof Type.Acc));
    return found;
  }
}
