package dev.kenaz.distribute;

import dev.kenaz.analysis.Operators;
import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Type;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** How a variable's value is spread over the pieces of the dataset. */
sealed interface Label {
  /** The value is the same everywhere. */
  record Replicated() implements Label {}

  /** Every piece has its part of dimension {@code dim}; the parts in order are the whole. */
  record Sharded(int dim) implements Label {}

  /**
   * Every piece has a value of the full shape; combining them all with the operator is the whole.
   *
   * @param group the operator that this is an operand of
   * @param position which operand
   */
  record Partial(Group group, int position) implements Label {}

  /**
   * An associative operator on tuples of one or more values.
   *
   * @param op the operator, whose parameters are the left operands, then the right ones
   * @param commutative whether the pieces may be combined in any order
   * @param source the operator's name in messages
   */
  record Group(Lambda op, boolean commutative, String source) {
    static Group plus(Type type) {
      return new Group(new Builder(Span.NONE).plus(type), true, "+");
    }

    int size() {
      return op.returns().size();
    }

    boolean isPlus() {
      return Operators.isSum(op);
    }

    /**
     * Returns the operator that applies this one to corresponding elements of operands with more
     * outer dimensions.
     */
    Group over(List<Atom> space) {
      var result = this;
      for (var width : space.reversed()) {
        result = result.over(width);
      }
      return result;
    }

    Group over(Atom width) {
      var b = new Builder(Span.NONE);
      var types = op.params().stream().map(p -> p.type().under(width)).toList();
      var lifted =
          b.lambda(types, (in, params) -> in.map(width, params, (row, xs) -> row.call(op, xs)));
      return new Group(lifted, commutative, source);
    }

    /** Applies the operator to the left and the right operands; the builder gets the code. */
    List<Atom> apply(Builder b, List<? extends Atom> left, List<? extends Atom> right) {
      var operands = new ArrayList<Atom>(left);
      operands.addAll(right);
      return b.call(op, operands);
    }
  }

  /**
   * An accumulator over a replicated space: every piece collects its own updates.
   *
   * @param group how an update is combined with what is there
   */
  record Collecting(Group group) implements Label {}

  /**
   * The whole is in one place, the driver, and has the dataset's number of rows as a size: no piece
   * can use it as it stands.
   */
  record Whole() implements Label {}

  Label REPLICATED = new Replicated();

  static List<Label> replicated(int n) {
    return Collections.nCopies(n, REPLICATED);
  }
}
