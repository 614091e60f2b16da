package dev.kenaz.spark;

import dev.kenaz.distribute.Cuts;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Fetches some rows of a dataset, wherever they are. */
public final class RowPick {
  private RowPick() {}

  /**
   * Returns rows by their numbers in the dataset: for each of its columns an array.
   *
   * @param ascending the numbers in ascending order, without repetition
   * @param cuts which rows each shard has
   */
  public static List<Value> rows(SparkRunner runner, long[] ascending, Cuts cuts) {
    return runner
        .run(new Program(cuts), List.of(ArrayValue.ofLongs(ascending, ascending.length)))
        .values();
  }

  /**
   * Returns rows of columns that are in this process.
   *
   * @param numbers the rows
   */
  static List<Value> rows(List<? extends Value> columns, long[] numbers) {
    var picked = new ArrayList<Value>();
    for (var column : columns) {
      picked.add(rows((ArrayValue) column, numbers));
    }
    return picked;
  }

  private static ArrayValue rows(ArrayValue column, long[] numbers) {
    var shape = column.shape();
    shape[0] = 1;
    long row = ArrayValue.byteSize(column.elem(), shape);
    shape[0] = numbers.length;
    var data = ArrayValue.allocate(column.elem(), shape);
    var from = column.data();
    for (int i = 0; i < numbers.length; ) {
      int end = i + 1;
      while (end < numbers.length && numbers[end] == numbers[i] + end - i) {
        end++;
      }
      MemorySegment.copy(from, numbers[i] * row, data, i * row, (end - i) * row);
      i = end;
    }
    return ArrayValue.of(column.elem(), data, shape);
  }

  private record Program(Cuts cuts) implements ShardProgram {
    @Override
    public String key() {
      return "kenaz row pick " + cuts;
    }

    @Override
    public String title() {
      return "kenaz: picks rows";
    }

    @Override
    public ShardFunction open() {
      return new Opened(cuts);
    }
  }

  private record Opened(Cuts cuts) implements ShardFunction {
    @Override
    public List<Value> local(int shard, List<Value> values, List<Value> replicated, int cores) {
      var wanted = ((ArrayValue) replicated.getFirst()).toLongArray();
      long first = cuts.first(shard);
      long[] mine =
          Arrays.stream(wanted)
              .filter(i -> i >= first && i < cuts.first(shard + 1))
              .map(i -> i - first)
              .toArray();
      return rows(values, mine);
    }

    @Override
    public List<Value> combine(List<Value> left, List<Value> right, List<Value> replicated) {
      var all = new ArrayList<Value>();
      for (int i = 0; i < left.size(); i++) {
        all.add(ArrayValue.joined(List.of((ArrayValue) left.get(i), (ArrayValue) right.get(i))));
      }
      return all;
    }
  }
}
