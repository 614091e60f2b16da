package dev.kenaz.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Printer;
import dev.kenaz.ir.RandomPrograms;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.SmallerPrograms;
import dev.kenaz.ir.Stm;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What fails is found, made small, and told with the command that runs it again. */
final class SeedsTest {
  @Test
  void failuresNameTheirSeedAndTheCommand() {
    var checked = new ArrayList<Long>();
    var all =
        assertThrows(
            AssertionError.class,
            () ->
                Seeds.check(
                    10,
                    seed -> {
                      checked.add(seed);
                      assertTrue(seed % 4 != 3, () -> "it is " + seed);
                    }));
    assertEquals(LongStream.rangeClosed(1, 10).boxed().toList(), checked);
    var message = all.getMessage();
    assertTrue(message.contains("seed 3: it is 3"), message);
    assertTrue(message.contains("-Drandom.seed=3 -Drandom.programs=1"), message);
    assertTrue(message.contains("-Dtest=dev.kenaz.testing.SeedsTest#"), message);
    assertEquals(1, all.getSuppressed().length);
  }

  @Test
  void textsAreCutToWhatFails() {
    var e =
        assertThrows(
            AssertionError.class,
            () ->
                Shrinking.check(
                    "some text with x and more",
                    Shrinking::shorter,
                    text -> assertTrue(!text.contains("x"), () -> "an x in it: <" + text + ">")));
    assertTrue(e.getMessage().startsWith("an x in it: <x>"), e.getMessage());
  }

  @Test
  void failuresOfAnotherKindAreNotFollowed() {
    var e =
        assertThrows(
            AssertionError.class,
            () ->
                Shrinking.check(
                    "xxxx",
                    Shrinking::shorter,
                    text -> {
                      if (text.length() < 3) {
                        throw new IllegalStateException(text);
                      }
                      throw new AssertionError("of length " + text.length());
                    }));
    assertEquals("of length 3", e.getMessage());
  }

  /** A program that has an update keeps little else. */
  @Test
  void programsAreCutToWhatFails() {
    var start =
        LongStream.range(1, 100)
            .mapToObj(seed -> RandomPrograms.of(seed).program())
            .filter(p -> updates(p) > 1)
            .findFirst()
            .orElseThrow();
    var smallest = new ArrayList<CoreProgram>();
    assertThrows(
        AssertionError.class,
        () ->
            Shrinking.check(
                start,
                SmallerPrograms::of,
                p -> {
                  if (updates(p) > 0) {
                    smallest.add(p);
                    throw new AssertionError("updates");
                  }
                }));
    assertEquals(1, updates(smallest.getLast()));
    var printed = Printer.print(smallest.getLast());
    assertTrue(4 * Count.of(smallest.getLast()).statements <= Count.of(start).statements, printed);
  }

  private static int updates(CoreProgram program) {
    return Count.of(program).updates;
  }

  private static final class Count implements Rewriter {
    private int statements;
    private int updates;

    static Count of(CoreProgram program) {
      var count = new Count();
      count.program(program);
      return count;
    }

    @Override
    public List<Stm> stm(Stm stm) {
      statements++;
      updates += stm.exp() instanceof Exp.Update ? 1 : 0;
      return Rewriter.super.stm(stm);
    }
  }
}
