package dev.kenaz.fuse;

import dev.kenaz.analysis.Effects;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;

/**
 * Estimates how much code has to do: counts statements that compute; views, copies and operators
 * themselves are free.
 */
final class WorkEstimate {
  private WorkEstimate() {}

  static int of(Body body) {
    int sum = 0;
    for (var stm : body.stms()) {
      sum += of(stm.exp()) + Effects.bodies(stm.exp()).mapToInt(WorkEstimate::of).sum();
    }
    return sum;
  }

  private static int of(Exp exp) {
    return switch (exp) {
      case Alias _, Index _, Slice _, Rearrange _, Reshape _, Iota _, Replicate _, Screma _ -> 0;
      default -> 1;
    };
  }
}
