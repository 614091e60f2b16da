package dev.kenaz.distribute;

import dev.kenaz.distribute.AddedValues.Unknown;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Accumulations in which the function of a row adds to nothing but its own row, such as the
 * derivative by the rows of {@code map (\c -> f64.sum (map (\x -> f c x) xs)) cs}. What is added is
 * an array of rows, so no row has to be sent to where it is added, and there are as many of them as
 * rows, however often the code around goes over them.
 *
 * <p>The rows may be an inner dimension, as in the derivative of {@code zt * z} for matrices, which
 * a covariance is: then what is added are columns.
 */
final class OwnRowUpdates {
  private final Labeller labeller;
  private final Spaces spaces;

  OwnRowUpdates(Labeller labeller) {
    this.labeller = labeller;
    this.spaces = labeller.spaces();
  }

  /** Returns statements in the place of such an accumulation, with an accumulator less. */
  Optional<List<Stm>> of(Stm stm) {
    return of(stm, space -> spaces.has(space.getFirst()));
  }

  /** The same, where the rows are an inner dimension. */
  Optional<List<Stm>> ofColumns(Stm stm) {
    return of(stm, space -> !spaces.has(space.getFirst()) && spaces.hasAny(space));
  }

  private Optional<List<Stm>> of(Stm stm, Predicate<List<Atom>> wanted) {
    if (!(stm.exp() instanceof WithAcc w)) {
      return Optional.empty();
    }
    for (int k = 0; k < w.inputs().size(); k++) {
      var in = w.inputs().get(k);
      if (in.combine().isPresent() && wanted.test(in.space())) {
        try {
          boolean neutral = labeller.startsNeutral(in.arrays(), in.combine().get().neutral());
          var apart = AddedValues.apart(stm, w, k, neutral, labeller::definition);
          if (!needsAllRows(apart)) {
            return Optional.of(apart);
          }
        } catch (Unknown _) {
          // another accumulator, perhaps
        }
      }
    }
    return Optional.empty();
  }

  /** Takes such accumulations apart inside an operator that doesn't go over rows. */
  Optional<List<Stm>> inside(Stm stm) {
    if (!(stm.exp() instanceof Screma || stm.exp() instanceof WithAcc)) {
      return Optional.empty();
    }
    var changed = new boolean[1];
    var apart =
        new CodeRewriter() {
          @Override
          public List<Stm> stm(Stm inner) {
            if (inner.exp() instanceof Screma row && spaces.has(row.width())) {
              return List.of(inner);
            }
            var stms = new ArrayList<Stm>();
            for (var own : CodeRewriter.super.stm(inner)) {
              var others = of(own, spaces::hasAny);
              changed[0] |= others.isPresent();
              stms.addAll(others.orElse(List.of(own)));
            }
            return stms;
          }
        }.stm(stm);
    return changed[0] ? Optional.of(apart) : Optional.empty();
  }

  /** Whether the function of a row makes something as long as the rows. */
  private boolean needsAllRows(List<Stm> stms) {
    var found = new boolean[1];
    new CodeRewriter() {
      @Override
      public List<Stm> stm(Stm s) {
        found[0] |=
            s.exp() instanceof Screma row
                && spaces.has(row.width())
                && row.map().returns().stream()
                    .anyMatch(t -> !(t instanceof Type.Acc) && spaces.inType(t));
        return CodeRewriter.super.stm(s);
      }
    }.body(new Body(stms, List.of()));
    return found[0];
  }
}
