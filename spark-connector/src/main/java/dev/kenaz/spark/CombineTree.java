package dev.kenaz.spark;

import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/**
 * Combines the partial results of shards along a binary tree, as far as neighbours are there. The
 * tree depends on nothing but the number of shards, so that the result doesn't depend on which task
 * had which shards, nor on the order in which tasks ended.
 */
final class CombineTree {
  /**
   * A node of the tree: the partial result of the {@code count} shards from {@code first} on.
   * {@code count} is a power of two, and {@code first} is a multiple of it.
   */
  private record Node(int first, int count, List<Value> values) {
    boolean isBefore(Node right) {
      return count == right.count && first + count == right.first && first % (2 * count) == 0;
    }
  }

  private final ShardFunction function;
  private final List<Value> replicated;
  private final List<Node> nodes = new ArrayList<>();

  CombineTree(ShardFunction function, List<Value> replicated) {
    this.function = function;
    this.replicated = replicated;
  }

  /** Adds the result of a shard, which comes after all shards that were added before. */
  void add(int shard, List<Value> values) {
    add(new Node(shard, 1, values));
  }

  private void add(Node node) {
    var whole = node;
    while (!nodes.isEmpty() && nodes.getLast().isBefore(whole)) {
      var left = nodes.removeLast();
      whole = new Node(left.first, 2 * left.count, combine(left, whole.values));
    }
    nodes.add(whole);
  }

  /** Adds what tasks have combined; together they have no shard twice. */
  void addAll(List<Outcome.Part> parts) {
    parts.stream()
        .sorted(Comparator.comparingInt(Outcome.Part::first))
        .forEach(p -> add(new Node(p.first(), p.count(), WireValue.read(p.values()))));
  }

  private List<Value> combine(Node left, List<Value> right) {
    var whole = function.combine(left.values, right, replicated);
    release(left.values, whole);
    release(right, whole);
    return whole;
  }

  /**
   * Gives back the memory of values that this tree alone had. Without that, they would wait for the
   * collector, which doesn't see how large they are.
   */
  private void release(List<Value> parts, List<Value> whole) {
    for (var part : parts) {
      if (part instanceof ArrayValue a && isNoneOf(whole, a) && isNoneOf(replicated, a)) {
        a.release();
      }
    }
  }

  private static boolean isNoneOf(List<Value> values, Value one) {
    return values.stream().noneMatch(v -> v == one);
  }

  /**
   * Returns what is combined so far.
   *
   * @param form in which values travel
   */
  List<Outcome.Part> parts(Function<List<Value>, List<WireValue>> form) {
    return List.copyOf(
        nodes.stream()
            .map(n -> new Outcome.Part(n.first, n.count, List.copyOf(form.apply(n.values))))
            .toList());
  }

  /** Returns the result of all shards, from the first to the last, once they are all there. */
  List<Value> whole() {
    var result = nodes.getLast().values;
    for (var left : nodes.reversed().subList(1, nodes.size())) {
      result = combine(left, result);
    }
    return result;
  }
}
