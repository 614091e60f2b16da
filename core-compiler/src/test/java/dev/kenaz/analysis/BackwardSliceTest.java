package dev.kenaz.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.UserError;
import dev.kenaz.interpret.Interpreter;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.RandomPrograms;
import dev.kenaz.ir.Verifier;
import org.junit.jupiter.api.Test;

final class BackwardSliceTest {
  /** Whatever is left out of random programs isn't missed. */
  @Test
  void theResultsNeedNothingElse() {
    int smaller = 0;
    for (long seed = 0; seed < 300; seed++) {
      var sample = RandomPrograms.of(seed);
      var f = sample.program().functions().getLast();
      var whole = f.body();
      var slice = BackwardSlice.of(whole.stms(), whole.results());
      smaller += slice.stms().size() < whole.stms().size() ? 1 : 0;
      assertTrue(whole.stms().containsAll(slice.stms()));
      var program = with(sample.program(), f, new Body(slice.stms(), whole.results()));
      Verifier.verify(program, "slice");
      try {
        var expected = Interpreter.call(sample.program(), "main", sample.arguments());
        assertEquals(
            expected, Interpreter.call(program, "main", sample.arguments()), "seed " + seed);
      } catch (UserError _) {
        // where the program fails, what is left may do anything
      }
    }
    assertTrue(smaller > 30, smaller + " are smaller");
  }

  private static CoreProgram with(CoreProgram program, FunDef old, Body body) {
    var f = new FunDef(old.name(), old.params(), old.returns(), old.returnSizes(), body);
    return new CoreProgram(
        program.functions().stream().map(g -> g == old ? f : g).toList(), program.entries());
  }
}
