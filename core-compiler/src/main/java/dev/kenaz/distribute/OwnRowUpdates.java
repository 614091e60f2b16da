package dev.kenaz.distribute;

import dev.kenaz.distribute.AddedValues.Unknown;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Stm;
import java.util.List;
import java.util.Optional;

/**
 * Accumulations in which the function of a row adds to nothing but its own row, such as the
 * derivative by the rows of {@code map (\c -> f64.sum (map (\x -> f c x) xs)) cs}. What is added is
 * an array of rows, so no row has to be sent to where it is added, and there are as many of them as
 * rows, however often the code around goes over them.
 */
final class OwnRowUpdates {
  private OwnRowUpdates() {}

  /** Returns statements in the place of such an accumulation, with an accumulator less. */
  static Optional<List<Stm>> of(Labeller labeller, Stm stm) {
    if (!(stm.exp() instanceof WithAcc w)) {
      return Optional.empty();
    }
    var spaces = labeller.spaces();
    for (int k = 0; k < w.inputs().size(); k++) {
      var in = w.inputs().get(k);
      if (in.combine().isPresent() && spaces.has(in.space().getFirst())) {
        try {
          boolean neutral = labeller.startsNeutral(in.arrays(), in.combine().get().neutral());
          var apart = AddedValues.apart(stm, w, k, neutral, labeller::definition);
          if (!needsAllRows(spaces, apart)) {
            return Optional.of(apart);
          }
        } catch (Unknown _) {
          // another accumulator, perhaps
        }
      }
    }
    return Optional.empty();
  }

  /** Whether the function of a row makes something as long as the rows. */
  private static boolean needsAllRows(Spaces spaces, List<Stm> stms) {
    var found = new boolean[1];
    new CodeRewriter() {
      @Override
      public List<Stm> stm(Stm s) {
        found[0] |=
            s.exp() instanceof Screma row
                && spaces.has(row.width())
                && row.map().returns().stream().anyMatch(spaces::inType);
        return CodeRewriter.super.stm(s);
      }
    }.body(new Body(stms, List.of()));
    return found[0];
  }
}
