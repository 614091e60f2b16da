package dev.kenaz.spark;

import dev.kenaz.arrow.AlignedRows;
import dev.kenaz.arrow.ParameterData;
import dev.kenaz.arrow.RowRange;
import dev.kenaz.distribute.Cuts;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;

/**
 * The parameters of an entry point as columns of Arrow files, in shards. Every executor must be
 * able to open the files by the same names.
 *
 * @param key a text that distinguishes datasets, and versions of their files
 * @param reading what is read
 * @param ranges for each shard and each array, the rows of files that it has
 */
public record ParameterShards(
    String key, AlignedRows reading, ArrayList<ArrayList<ArrayList<RowRange>>> ranges)
    implements ShardSource {

  /**
   * Cuts data into shards.
   *
   * @param cuts how its datasets are cut, before rows are left out for nulls
   */
  public static ParameterShards of(ParameterData data, List<Cuts> cuts) {
    var ranges = new ArrayList<ArrayList<ArrayList<RowRange>>>();
    for (int i = 0; i < cuts.getFirst().pieces(); i++) {
      ranges.add(data.ranges(cuts, i));
    }
    return new ParameterShards(data.identity() + " " + ranges, data.reading(), ranges);
  }

  @Override
  public int shards() {
    return ranges.size();
  }

  @Override
  public List<Value> load(int shard) {
    return List.copyOf(reading.read(ranges.get(shard)));
  }
}
