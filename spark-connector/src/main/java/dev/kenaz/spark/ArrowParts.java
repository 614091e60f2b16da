package dev.kenaz.spark;

import dev.kenaz.arrow.ResultParts;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.util.List;

/**
 * Writes rows where they are, as Arrow files in a folder that all executors see. A task that is
 * repeated writes the same files again. Only the number of rows that were written travels to the
 * driver.
 */
public record ArrowParts(ResultParts results) implements RowSink {
  @Override
  public String key() {
    return "write " + results;
  }

  @Override
  public List<Value> take(int stage, int shard, List<Value> parts) {
    results.write(stage, shard, parts);
    return List.of(ArrayValue.ofLongs(new long[] {parts.getFirst().shape()[0]}));
  }
}
