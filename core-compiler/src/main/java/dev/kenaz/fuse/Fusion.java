package dev.kenaz.fuse;

import dev.kenaz.analysis.Sharing;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.pass.Tally;
import dev.kenaz.simplify.SoacRules;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/**
 * Fuses the operators of every scope (002 §3), those of outer scopes first, so that inner operators
 * come together. {@link Join} has the rules.
 */
record Fusion(Sharing sharing, boolean horizontally) implements CodeRewriter {
  static CoreProgram run(CoreProgram program) {
    return new Fusion(Sharing.of(program), true).program(program);
  }

  /**
   * Fuses producers into consumers only. This comes first, for a neighbour that joins a consumer
   * may prevent it.
   */
  static CoreProgram vertically(CoreProgram program) {
    return new Fusion(Sharing.of(program), false).program(program);
  }

  @Override
  public Body body(Body body) {
    var block = new Block(sharing, body.stms(), body.results());
    block.withoutCopies();
    branches(block);
    Sinking.run(block);
    IntoBranches.run(block);
    CheapFlags.run(block);
    verticals(block);
    FilterReduce.run(block);
    ViewFusion.run(block);
    verticals(block);
    if (horizontally) {
      horizontals(block);
    }
    return CodeRewriter.super.body(body.with(block.stms()));
  }

  // Vertical fusion

  private static void verticals(Block block) {
    int at = 0;
    while (at < block.stms().size()) {
      int fused = fuseInto(block, at);
      at = fused < 0 ? at + 1 : fused;
    }
  }

  /** Fuses some producer into the statement; returns where the result now stands, or -1. */
  private static int fuseInto(Block block, int at) {
    var consumer = block.stms().get(at);
    var inputs = Join.inputs(consumer.exp());
    if (inputs.isEmpty()) {
      return -1;
    }
    for (int i = at - 1; i >= 0; i--) {
      var producer = block.stms().get(i);
      if (producer.exp() instanceof Screma p
          && inputs.stream().anyMatch(producer.pattern()::contains)
          && mayFuse(block, producer, p, consumer)) {
        var fused = Join.vertical(producer, consumer);
        var stms = block.replaced(i, at, fused);
        if (stms.isPresent()) {
          Tally.count(kind(consumer.exp()) + " ∘ " + (p.isMap() ? "map" : kind(p)));
          if (inputs.stream().filter(producer.pattern()::contains).count()
              > producer.pattern().size()) {
            Tally.count("interesting");
          }
          block.set(stms.get());
          return block.at(fused);
        }
      }
    }
    return -1;
  }

  private static String kind(Exp exp) {
    return switch (exp) {
      case Screma s -> SoacRules.kind(s);
      case Hist _ -> "histogram";
      case Scatter _ -> "scatter";
      case Filter _ -> "filter";
      default -> "other";
    };
  }

  private static boolean mayFuse(Block block, Stm producer, Screma p, Stm consumer) {
    var mapped = Join.mapped(producer);
    var taken = Join.inputs(consumer.exp()).stream().filter(producer.pattern()::contains).toList();
    boolean rowwise =
        mapped.containsAll(taken)
            && Join.width(consumer.exp()).filter(p.width()::equals).isPresent()
            && !block.consumes(consumer, taken)
            && !block.consumes(consumer, List.copyOf(block.reads(producer)));
    if (!rowwise) {
      return false;
    }
    var others = Join.otherUses(consumer.exp());
    if (producer.pattern().stream().anyMatch(others::contains)) {
      return false;
    }
    return consumer.exp() instanceof Screma
        || p.isMap() && !block.usedElsewhere(producer.pattern(), consumer);
  }

  // Branches

  /** Joins branches on the same condition, whether or not the later uses the earlier's results. */
  private static void branches(Block block) {
    var conditions = new HashMap<Atom, Stm>();
    for (var stm : List.copyOf(block.stms())) {
      if (!(stm.exp() instanceof If(Var condition, _, _))) {
        continue;
      }
      var earlier = conditions.get(condition);
      var joined = earlier == null ? null : Join.branches(earlier, stm, left(block, earlier, stm));
      var stms =
          joined == null
              ? Optional.<List<Stm>>empty()
              : block.replaced(block.at(earlier), block.at(stm), joined);
      stms.ifPresent(block::set);
      conditions.put(condition, stms.isPresent() ? joined : stm);
    }
  }

  /** Returns the results of the earlier branch without those that the later one consumes. */
  private static List<Var> left(Block block, Stm earlier, Stm later) {
    return earlier.pattern().stream()
        .filter(v -> !takes(block, later, v) || block.usedElsewhere(List.of(v), later))
        .toList();
  }

  /** Whether a branch consumes a variable; what reads an accumulator does so. */
  private static boolean takes(Block block, Stm branch, Var v) {
    return block.consumes(branch, List.of(v))
        || v.type() instanceof Type.Acc && block.reads(branch).contains(v);
  }

  // Horizontal fusion

  /** Joins neighbours that read the same array, as one pass over it is enough. */
  private static void horizontals(Block block) {
    int at = 1;
    while (at < block.stms().size()) {
      int joined = joinInto(block, at);
      at = joined < 0 ? at + 1 : Math.max(joined, 1);
    }
  }

  private static int joinInto(Block block, int at) {
    var second = block.stms().get(at);
    var inputs = new HashSet<>(Join.inputs(second.exp()));
    if (inputs.isEmpty()) {
      return -1;
    }
    for (int i = at - 1; i >= 0; i--) {
      var first = block.stms().get(i);
      boolean alike =
          first.exp() instanceof Screma && second.exp() instanceof Screma
              || first.exp() instanceof Hist && second.exp() instanceof Hist;
      if (alike
          && Join.width(first.exp()).equals(Join.width(second.exp()))
          && Join.inputs(first.exp()).stream().anyMatch(inputs::contains)
          && block.reads(second).stream().noneMatch(first.pattern()::contains)
          && !block.interfere(first, second)) {
        var joined = Join.horizontal(first, second);
        var stms = block.replaced(i, at, joined);
        if (stms.isPresent()) {
          Tally.count("horizontal");
          block.set(stms.get());
          return block.at(joined);
        }
      }
    }
    return -1;
  }
}
