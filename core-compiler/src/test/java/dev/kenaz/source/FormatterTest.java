package dev.kenaz.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.kenaz.error.UserError;
import dev.kenaz.testing.Seeds;
import dev.kenaz.testing.Shrinking;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Formatting tidies, keeps comments and meaning, and is idempotent. */
class FormatterTest {
  @Test
  void tidies() {
    var text =
        """


        -- ==
        -- input { 1 }
        let f( x:i32 )=x+1   -- why

        \r


        module m = {
        \tlet g  [n] (xs : [n]i32):[n]i32=
            -- inside
            let y = xs[ 0 ]
            in map (\\x->x*y+ -1) ( xs :>[n]i32 )
          entry  h a b=(a,b|>f,(+ 1),(1 -))


          type^ t= *[]i32 -> #a|#b
        }
        -- the end
        """;
    var expected =
        """
        -- ==
        -- input { 1 }
        def f(x:i32) = x + 1 -- why

        module m = {
                def g [n] (xs : [n]i32):[n]i32 =
            -- inside
            let y = xs[0]
            in map (\\x -> x*y + -1) (xs :> [n]i32)
          entry h a b = (a, b |> f, (+ 1), (1 -))

          type^ t = *[]i32 -> #a | #b
        }
        -- the end
        """;
    assertEquals(expected, Formatter.format("t.fut", text));
    assertEquals(expected, Formatter.format("t.fut", expected));
  }

  @Test
  void emptyAndWrongText() {
    assertEquals("", Formatter.format("t.fut", " \n\n "));
    assertEquals("-- only\n", Formatter.format("t.fut", "\n-- only"));
    assertThrows(UserError.class, () -> Formatter.format("t.fut", "def"));
  }

  @Test
  void keepsMeaningAndIsIdempotent() {
    Seeds.check(
        150,
        seed -> Shrinking.check(spaced(seed), Shrinking::shorter, FormatterTest::isIdempotent));
  }

  private static String spaced(long seed) {
    var random = new Random(seed);
    var text = new StringBuilder(PrettyPrinter.print(new RandomTrees(seed).file(3)));
    for (int i = 0; i < 5; i++) {
      int at = text.indexOf(" ", random.nextInt(Math.max(1, text.length())));
      if (at >= 0 && text.lastIndexOf("\"", at) < 0) {
        text.replace(at, at + 1, random.nextBoolean() ? "   " : " -- a comment\n   ");
      }
    }
    return text.toString();
  }

  private static void isIdempotent(String text) {
    String once;
    try {
      once = Formatter.format("t.fut", text);
    } catch (UserError comment) {
      return;
    }
    assertEquals(once, Formatter.format("t.fut", once));
  }
}
