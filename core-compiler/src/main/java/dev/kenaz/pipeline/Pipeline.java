package dev.kenaz.pipeline;

import dev.kenaz.ad.Differentiate;
import dev.kenaz.fuse.Fuse;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pass.Pass;
import dev.kenaz.simplify.Simplify;
import java.util.List;

/** The stages between lowering and the backends. */
final class Pipeline {
  private Pipeline() {}

  /** In order. */
  static List<Pass> passes(CompileOptions options) {
    var ad =
        options.loopMemory() == CompileOptions.UNLIMITED
            ? Differentiate.PASS
            : Differentiate.within(options.loopMemory());
    return List.of(Simplify.INLINE, Simplify.SIMPLIFY, ad, Fuse.FUSE);
  }
}
