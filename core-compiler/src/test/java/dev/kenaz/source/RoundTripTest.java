package dev.kenaz.source;

import dev.kenaz.testing.Seeds;
import dev.kenaz.testing.Shrinking;
import org.junit.jupiter.api.Test;

/** What is printed is read back as the same tree. */
class RoundTripTest {
  @Test
  void expressions() {
    Seeds.check(
        500,
        seed ->
            Shrinking.check(
                new RandomTrees(seed).exp(4),
                tree -> Trees.parts(Exp.class, tree),
                tree ->
                    Trees.assertSame(
                        tree, Parser.parseExpression("t.fut", PrettyPrinter.print(tree)))));
  }

  @Test
  void types() {
    Seeds.check(
        250,
        seed ->
            Shrinking.check(
                new RandomTrees(seed).type(4),
                tree -> Trees.parts(TypeExp.class, tree),
                tree ->
                    Trees.assertSame(tree, Parser.parseType("t.fut", PrettyPrinter.print(tree)))));
  }

  @Test
  void files() {
    Seeds.check(
        250,
        seed ->
            Shrinking.check(
                new RandomTrees(seed).file(3),
                RandomTrees::shorter,
                tree ->
                    Trees.assertSame(tree, Parser.parse("random.fut", PrettyPrinter.print(tree)))));
  }
}
