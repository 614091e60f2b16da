package dev.kenaz.spark.sql;

import dev.kenaz.arrow.MemoryBatch;
import dev.kenaz.spark.ShardFunction;
import dev.kenaz.spark.ShardProgram;
import dev.kenaz.spark.SparkRunner;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/**
 * What the driver knows of a part of a table.
 *
 * @param rows how many it has
 * @param leftOut how many others it would have if rows with nulls weren't left out
 * @param checksum of its cells, or of what says which they are
 * @param widths how many elements the arrays of each column have that is kept
 */
record PartFacts(long rows, long leftOut, long checksum, ArrayList<Integer> widths)
    implements Serializable {
  private static final int NUMBERS = 3;

  static PartFacts of(List<Value> values) {
    var part = PartValues.read(values);
    long rows = part.batches().stream().mapToLong(MemoryBatch::rows).sum();
    var widths = new ArrayList<>(part.widths());
    return new PartFacts(rows, part.leftOut(), part.checksum(), widths);
  }

  /** Lets executors compute all parts, and returns what is known of each. */
  static List<PartFacts> of(SparkRunner runner, TableReading table) {
    var all = (ArrayValue) runner.run(new Program(table.name()), List.of()).values().getFirst();
    var numbers = all.toLongArray();
    int each = Math.toIntExact(all.dim(1));
    var facts = new ArrayList<PartFacts>();
    for (int at = 0; at < numbers.length; at += each) {
      var widths = new ArrayList<Integer>();
      for (int i = at + NUMBERS; i < at + each; i++) {
        widths.add(Math.toIntExact(numbers[i]));
      }
      facts.add(new PartFacts(numbers[at], numbers[at + 1], numbers[at + 2], widths));
    }
    return facts;
  }

  private record Program(String table) implements ShardProgram {
    @Override
    public String key() {
      return "kenaz parts of a table";
    }

    @Override
    public String title() {
      return "kenaz: reads the rows of " + table;
    }

    @Override
    public ShardFunction open() {
      return new Opened();
    }
  }

  private record Opened() implements ShardFunction {
    @Override
    public List<Value> local(int shard, List<Value> values, List<Value> replicated, int cores) {
      var facts = PartFacts.of(values);
      var numbers = new long[NUMBERS + facts.widths.size()];
      numbers[0] = facts.rows;
      numbers[1] = facts.leftOut;
      numbers[2] = facts.checksum;
      for (int i = 0; i < facts.widths.size(); i++) {
        numbers[NUMBERS + i] = facts.widths.get(i);
      }
      return List.of(ArrayValue.ofLongs(numbers, 1, numbers.length));
    }

    @Override
    public List<Value> combine(List<Value> left, List<Value> right, List<Value> replicated) {
      return List.of(
          ArrayValue.joined(List.of((ArrayValue) left.getFirst(), (ArrayValue) right.getFirst())));
    }
  }
}
