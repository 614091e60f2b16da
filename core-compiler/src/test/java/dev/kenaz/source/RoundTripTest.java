package dev.kenaz.source;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** What is printed is read back as the same tree. */
class RoundTripTest {
  @Property(tries = 500)
  void expressions(@ForAll long seed) {
    var tree = new RandomTrees(seed).exp(4);
    Trees.assertSame(tree, Parser.parseExpression("t.fut", PrettyPrinter.print(tree)));
  }

  @Property(tries = 250)
  void types(@ForAll long seed) {
    var tree = new RandomTrees(seed).type(4);
    Trees.assertSame(tree, Parser.parseType("t.fut", PrettyPrinter.print(tree)));
  }

  @Property(tries = 250)
  void files(@ForAll long seed) {
    var tree = new RandomTrees(seed).file(3);
    Trees.assertSame(tree, Parser.parse("random.fut", PrettyPrinter.print(tree)));
  }
}
