package dev.kenaz.ad;

import dev.kenaz.ir.CoreProgram;
import java.io.Serializable;
import java.util.Set;
import java.util.TreeSet;

/**
 * Says which derivative of a program's entry point another program computes.
 *
 * @param entry the entry point's name
 * @param by the positions of the parameters by which the derivative is taken; none stands for all
 *     that hold floats
 */
public record Derivation(String entry, DerivedEntry.Form form, Set<Integer> by)
    implements Serializable {
  public Derivation {
    by = new TreeSet<>(by);
  }

  /**
   * Returns the other program.
   *
   * @throws dev.kenaz.error.UserError K6305 if there is no such derivative
   */
  public CoreProgram of(CoreProgram lowered) {
    return DerivedEntry.of(lowered, lowered.entryPoint(entry), form, by);
  }
}
