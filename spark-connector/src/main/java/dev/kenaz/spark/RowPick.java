package dev.kenaz.spark;

import dev.kenaz.distribute.Cuts;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
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
      var picked = new ArrayList<Value>();
      for (var column : values) {
        picked.add(rows((ArrayValue) column, mine));
      }
      return picked;
    }

    private static Value rows(ArrayValue column, long[] numbers) {
      var parts = new ArrayList<ArrayValue>();
      parts.add(column.rows(0, 0));
      for (int i = 0; i < numbers.length; ) {
        int end = i + 1;
        while (end < numbers.length && numbers[end] == numbers[i] + end - i) {
          end++;
        }
        parts.add(column.rows(numbers[i], numbers[i] + end - i));
        i = end;
      }
      return ArrayValue.joined(parts);
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
