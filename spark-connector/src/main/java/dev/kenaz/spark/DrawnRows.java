package dev.kenaz.spark;

import dev.kenaz.arrow.RowLayout;
import dev.kenaz.distribute.Cuts;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.io.Serializable;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;

/**
 * Rows of a dataset that are drawn without regard to how it is cut: those whose places in an order
 * are in a range, or all others. They keep the order that they have in the dataset.
 *
 * @param order of the numbers of all rows
 * @param from the first place
 * @param to the end of the range
 * @param others whether the rows are all but these
 */
public record DrawnRows(Permutation order, long from, long to, boolean others)
    implements Serializable {
  /** It costs about so much more to sort a row than to look whether it is drawn. */
  private static final long SORTING = 8;

  public DrawnRows {
    if (from < 0 || to < from || to > order.size()) {
      throw new IllegalArgumentException("places %d to %d".formatted(from, to));
    }
  }

  /** Returns how the rows are cut, if they stay where they are in the dataset. */
  public Cuts cuts(Cuts all) {
    var drawn = order.at(from, to, all);
    if (!others) {
      return drawn;
    }
    var left = new long[all.pieces()];
    for (int p = 0; p < left.length; p++) {
      left[p] = all.first(p + 1) - all.first(p) - (drawn.first(p + 1) - drawn.first(p));
    }
    return Cuts.ofRows(left);
  }

  /** The rows as a value, which can be sent to tasks. */
  ArrayValue value() {
    long flags = (order.mixes() ? 1 : 0) + (others ? 2 : 0);
    return ArrayValue.ofLongs(new long[] {order.size(), order.key(), from, to, flags}, 5);
  }

  /** The rows that {@link #value} gave. */
  static DrawnRows of(ArrayValue value) {
    var n = value.toLongArray();
    var order = new Permutation(n[0], n[1], (n[4] & 1) != 0);
    return new DrawnRows(order, n[2], n[3], (n[4] & 2) != 0);
  }

  /** Returns the rows of a piece, in ascending order, counted from its first one. */
  long[] of(Cuts all, int piece) {
    long first = all.first(piece);
    long end = all.first(piece + 1);
    if (!order.mixes() && !others) {
      return LongStream.range(Math.max(from, first), Math.min(to, end))
          .map(i -> i - first)
          .toArray();
    }
    var numbers =
        others || (to - from) * SORTING > end - first
            ? LongStream.range(first, end).filter(this::has)
            : LongStream.range(from, to).map(order::at).filter(i -> i >= first && i < end).sorted();
    return numbers.map(i -> i - first).toArray();
  }

  private boolean has(long row) {
    long place = order.placeOf(row);
    return others != (place >= from && place < to);
  }

  /**
   * A dataset that has only such rows.
   *
   * @param uses how many such datasets take rows of the same pieces
   * @param cacheBytes how much an executor may keep of this and all other data
   */
  record Shards(
      ShardSource all, Cuts cuts, DrawnRows drawn, RowLayout layout, int uses, long cacheBytes)
      implements ShardSource {
    @Override
    public String key() {
      return all.key() + " " + cuts + " " + drawn;
    }

    @Override
    public int shards() {
      return all.shards();
    }

    @Override
    public String place(int shard) {
      return all.place(shard);
    }

    @Override
    public List<Value> load(int shard) {
      if (uses == 1) {
        return RowPick.rows(all.load(shard), drawn.of(cuts, shard), layout);
      }
      var cache = ShardCache.OF_PROCESS;
      var rows = cache.get(all, shard, cacheBytes).values();
      var picked = RowPick.rows(rows, drawn.of(cuts, shard), layout);
      cache.take(all, shard, 1, uses);
      return picked;
    }

    @Override
    public Optional<String> row(int shard, long row, List<ArrayValue> values) {
      return all.row(shard, drawn.of(cuts, shard)[Math.toIntExact(row)], values);
    }
  }
}
