package dev.kenaz.jvm;

import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Reg;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The ways in which a loop may run in vectors, which are tried in turn. */
final class VectorLoops {
  private final Code.For loop;
  private final MaskedReads.Where masks;

  private VectorLoops(Code.For loop, MaskedReads.Where masks) {
    this.loop = loop;
    this.masks = masks;
  }

  /** Returns the loop in vectors without masks. */
  static VectorLoop of(Code.For loop) throws Unsuitable {
    return of(loop, MaskedReads.Where.NOWHERE, Widths.all(loop));
  }

  /**
   * Returns the loop in vectors.
   *
   * @param masks which reads in branches have masks
   * @param widths those that lanes may have
   */
  static VectorLoop of(Code.For loop, MaskedReads.Where masks, Widths widths) throws Unsuitable {
    if (!loop.independent()) {
      throw new Unsuitable("iterations depend on each other");
    }
    if (Region.isLarge(loop)) {
      throw new Unsuitable("its body is too large");
    }
    Set<Reg> folded = new HashSet<>();
    loop.reductions().forEach(r -> folded.add(r.reg()));
    var flat = FoldRules.withCountsInPlace(Selections.of(loop.body(), folded, masks), folded);
    var ways = new VectorLoops(loop, masks);
    var found = ways.required(flat, widths);
    return found.widest() >= Integer.BYTES && widths.mayBeNarrow()
        ? ways.shorter(flat, found)
        : found;
  }

  /** Requires as little of the index as there must be. */
  private VectorLoop required(List<Code> flat, Widths widths) throws Unsuitable {
    try {
      return VectorLoop.of(loop, flat, Requirements.none(), masks, widths);
    } catch (Unsuitable u) {
      if (!Requirements.mayHelp(flat)) {
        throw u;
      }
      return VectorLoop.of(loop, flat, Requirements.of(flat), masks, widths);
    }
  }

  /** Returns the loop in lanes of 16 bits if that can be, or else the other one. */
  private VectorLoop shorter(List<Code> flat, VectorLoop otherwise) {
    var body = ShortRanges.in(flat);
    if (body.isEmpty()) {
      return otherwise;
    }
    try {
      var found = required(body.get(), Widths.all(loop));
      return found.widest() < Integer.BYTES ? found : otherwise;
    } catch (Unsuitable u) {
      return otherwise;
    }
  }
}
