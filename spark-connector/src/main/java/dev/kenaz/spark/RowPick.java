package dev.kenaz.spark;

import dev.kenaz.arrow.RowLayout;
import dev.kenaz.distribute.Cuts;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Takes some rows of a dataset, wherever they are, with the elements of their lists. */
public final class RowPick {
  private RowPick() {}

  /**
   * Returns rows by their numbers in the dataset: for each of its columns an array.
   *
   * @param ascending the numbers in ascending order, without repetition
   * @param cuts which rows each shard has
   * @param layout which arrays have elements of lists; those of the rows are fetched
   */
  public static List<Value> rows(
      SparkRunner runner, long[] ascending, Cuts cuts, RowLayout layout) {
    return runner
        .run(new Program(cuts, layout), List.of(ArrayValue.ofLongs(ascending, ascending.length)))
        .values();
  }

  /**
   * Returns how datasets are cut if only some rows are taken, which stay where they are. If they
   * have lists, a job counts the elements of these.
   *
   * @param cuts how all rows and elements are cut
   */
  public static List<Cuts> cuts(
      SparkRunner runner, DrawnRows drawn, List<Cuts> cuts, RowLayout layout) {
    var all = cuts.get(layout.rows());
    var taken = new ArrayList<>(cuts);
    taken.set(layout.rows(), drawn.cuts(all));
    if (!layout.lengths().isEmpty()) {
      var counts = runner.run(new Counting(all, layout), List.of(drawn.value())).values();
      int at = 0;
      for (int dataset : layout.lengths().keySet()) {
        taken.set(dataset, Cuts.ofRows(((ArrayValue) counts.get(at++)).toLongArray()));
      }
    }
    return taken;
  }

  /**
   * Returns rows of a piece that is in this process, with the elements of their lists.
   *
   * @param arrays those of the piece
   * @param numbers the rows
   */
  static List<Value> rows(List<? extends Value> arrays, long[] numbers, RowLayout layout) {
    return rows(arrays, IntStream.range(0, arrays.size()).boxed().toList(), numbers, layout);
  }

  /**
   * Does the same for some of the arrays.
   *
   * @param wanted the numbers of these
   */
  static List<Value> rows(
      List<? extends Value> arrays, List<Integer> wanted, long[] numbers, RowLayout layout) {
    var stretches = new HashMap<Integer, Stretches>();
    var picked = new ArrayList<Value>();
    for (int i : wanted) {
      var of =
          stretches.computeIfAbsent(
              layout.lengthsOf(i),
              lengths ->
                  lengths < 0
                      ? Stretches.ofRows(numbers)
                      : Stretches.ofElements((ArrayValue) arrays.get(lengths), numbers));
      picked.add(of.of((ArrayValue) arrays.get(i)));
    }
    return picked;
  }

  /**
   * Stretches of rows that follow each other.
   *
   * @param firsts the first row of each
   * @param ends the row behind the last one of each
   */
  private record Stretches(long[] firsts, long[] ends) {
    static Stretches ofRows(long[] numbers) {
      return joined(numbers.clone(), LongStream.of(numbers).map(i -> i + 1).toArray());
    }

    /**
     * @param lengths those of the lists of all rows
     * @param numbers the rows whose elements are wanted
     */
    static Stretches ofElements(ArrayValue lengths, long[] numbers) {
      var firsts = new long[numbers.length];
      var ends = new long[numbers.length];
      long at = 0;
      int taken = 0;
      for (long row = 0; taken < numbers.length; row++) {
        long end = at + length(lengths, row);
        if (row == numbers[taken]) {
          firsts[taken] = at;
          ends[taken++] = end;
        }
        at = end;
      }
      return joined(firsts, ends);
    }

    /** Joins those that touch, in the arrays that it is given. */
    private static Stretches joined(long[] firsts, long[] ends) {
      int n = 0;
      for (int i = 0; i < firsts.length; i++) {
        if (n > 0 && firsts[i] == ends[n - 1]) {
          ends[n - 1] = ends[i];
        } else {
          firsts[n] = firsts[i];
          ends[n++] = ends[i];
        }
      }
      return new Stretches(Arrays.copyOf(firsts, n), Arrays.copyOf(ends, n));
    }

    ArrayValue of(ArrayValue array) {
      long count = 0;
      for (int i = 0; i < firsts.length; i++) {
        count += ends[i] - firsts[i];
      }
      var shape = array.shape();
      shape[0] = 1;
      long row = ArrayValue.byteSize(array.elem(), shape);
      shape[0] = count;
      var data = ArrayValue.allocate(array.elem(), shape);
      var from = array.data();
      long at = 0;
      for (int i = 0; i < firsts.length; i++) {
        long bytes = (ends[i] - firsts[i]) * row;
        MemorySegment.copy(from, firsts[i] * row, data, at, bytes);
        at += bytes;
      }
      return ArrayValue.of(array.elem(), data, shape);
    }
  }

  /** The parameter of the lengths may have any type of numbers. */
  private static long length(ArrayValue lengths, long row) {
    return lengths.elem().isFloat()
        ? (long) lengths.elem().toDouble(lengths.bits(row))
        : lengths.getLong(row);
  }

  private record Program(Cuts cuts, RowLayout layout) implements ShardProgram {
    @Override
    public String key() {
      return "kenaz row pick " + cuts + " " + layout;
    }

    @Override
    public String title() {
      return "kenaz: picks rows";
    }

    @Override
    public ShardFunction open() {
      return new Picking(cuts, layout);
    }
  }

  /** What a function gives for stretches of shards is put together. */
  private interface Joining extends ShardFunction {
    @Override
    default List<Value> combine(List<Value> left, List<Value> right, List<Value> replicated) {
      var all = new ArrayList<Value>();
      for (int i = 0; i < left.size(); i++) {
        all.add(ArrayValue.joined(List.of((ArrayValue) left.get(i), (ArrayValue) right.get(i))));
      }
      return all;
    }
  }

  private record Picking(Cuts cuts, RowLayout layout) implements Joining {
    @Override
    public List<Value> local(int shard, List<Value> values, List<Value> replicated, int cores) {
      var wanted = ((ArrayValue) replicated.getFirst()).toLongArray();
      long first = cuts.first(shard);
      long[] mine =
          Arrays.stream(wanted)
              .filter(i -> i >= first && i < cuts.first(shard + 1))
              .map(i -> i - first)
              .toArray();
      return rows(values, mine, layout);
    }
  }

  private record Counting(Cuts cuts, RowLayout layout) implements ShardProgram {
    @Override
    public String key() {
      return "kenaz elements of rows " + cuts + " " + layout;
    }

    @Override
    public String title() {
      return "kenaz: counts the elements of lists";
    }

    @Override
    public ShardFunction open() {
      return new Counted(cuts, layout);
    }
  }

  private record Counted(Cuts cuts, RowLayout layout) implements Joining {
    @Override
    public List<Value> local(int shard, List<Value> values, List<Value> replicated, int cores) {
      var mine = DrawnRows.of((ArrayValue) replicated.getFirst()).of(cuts, shard);
      var counts = new ArrayList<Value>();
      for (int array : layout.lengths().values()) {
        long count = 0;
        for (long row : mine) {
          count += length((ArrayValue) values.get(array), row);
        }
        counts.add(ArrayValue.ofLongs(new long[] {count}, 1));
      }
      return counts;
    }
  }
}
