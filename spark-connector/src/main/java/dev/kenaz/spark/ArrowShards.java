package dev.kenaz.spark;

import dev.kenaz.arrow.ArrowDataset;
import dev.kenaz.arrow.ColumnInfo;
import dev.kenaz.arrow.ReadOptions;
import dev.kenaz.arrow.RowRange;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Value;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Rows of Arrow files, cut into shards of equally many rows. Every executor must be able to open
 * the files by the same names. A shard is one matrix {@code [n][d]t}.
 *
 * @param key a text that distinguishes datasets, and versions of their files
 * @param ranges for each shard, the rows of files that it has
 * @param columns the numbers of a row
 * @param nulls what to do about rows with a null
 * @param elem the type t
 * @param width the number d
 */
public record ArrowShards(
    String key,
    ArrayList<ArrayList<RowRange>> ranges,
    ArrayList<String> columns,
    ReadOptions.Nulls nulls,
    Prim elem,
    int width)
    implements ShardSource {

  /**
   * Opens the files to see how many rows they have.
   *
   * @param path a file, a folder of them, or a glob
   * @throws dev.kenaz.error.UserError for files that can't be read and columns that aren't there or
   *     aren't numbers
   */
  public static ArrowShards of(String path, ReadOptions options, Prim elem, int shards) {
    var dataset = ArrowDataset.open(List.of(path), options);
    dataset.commonType(); // This throws if a column doesn't have numbers.
    var ranges = new ArrayList<ArrayList<RowRange>>();
    dataset.partitions(shards).forEach(part -> ranges.add(new ArrayList<>(part.ranges())));
    var width = dataset.columns().stream().mapToInt(ColumnInfo::width).sum();
    var names = new ArrayList<>(options.columns());
    var key = names + " " + options.nulls() + " " + elem + " " + ranges + " " + version(ranges);
    return new ArrowShards(key, ranges, names, options.nulls(), elem, width);
  }

  /** Returns a number that changes when a file is written anew. */
  private static long version(List<ArrayList<RowRange>> ranges) {
    return ranges.stream()
        .flatMap(List::stream)
        .map(RowRange::file)
        .distinct()
        .mapToLong(ArrowShards::modified)
        .reduce(17, (a, b) -> 31 * a + b);
  }

  private static long modified(String file) {
    try {
      return Files.getLastModifiedTime(Path.of(file)).toMillis();
    } catch (IOException e) {
      return 0; // The fault is reported when the file is read.
    }
  }

  @Override
  public int shards() {
    return ranges.size();
  }

  @Override
  public List<Value> load(int shard) {
    var mine = ArrowDataset.openRanges(ranges.get(shard), new ReadOptions(columns, nulls));
    return List.of(mine.toMatrix(elem));
  }
}
