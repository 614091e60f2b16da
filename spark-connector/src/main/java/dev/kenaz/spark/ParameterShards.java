package dev.kenaz.spark;

import dev.kenaz.arrow.AlignedRows;
import dev.kenaz.arrow.ArrowDataset;
import dev.kenaz.arrow.ParameterData;
import dev.kenaz.arrow.ReadOptions;
import dev.kenaz.arrow.RowRange;
import dev.kenaz.distribute.Cuts;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The parameters of an entry point as columns of Arrow files and of tables, in shards. Every
 * executor must be able to open the files by the same names.
 *
 * @param key a text that distinguishes datasets, and versions of their files
 * @param reading what is read
 * @param ranges for each shard and each array, the rows of files or of parts of tables that it has
 * @param tables the tables
 */
public record ParameterShards(
    String key,
    AlignedRows reading,
    ArrayList<ArrayList<ArrayList<RowRange>>> ranges,
    ArrayList<RowParts> tables)
    implements ShardSource {

  /** Cuts columns of files into shards. */
  public static ParameterShards of(ParameterData data, List<Cuts> cuts) {
    return of(data, cuts, List.of());
  }

  /**
   * Cuts data into shards.
   *
   * @param cuts how its datasets are cut, before rows are left out for nulls
   * @param tables those that the data has
   */
  public static ParameterShards of(
      ParameterData data, List<Cuts> cuts, List<? extends RowParts> tables) {
    var ranges = new ArrayList<ArrayList<ArrayList<RowRange>>>();
    for (int i = 0; i < cuts.getFirst().pieces(); i++) {
      ranges.add(data.ranges(cuts, i));
    }
    var key = data.identity() + " " + ranges;
    return new ParameterShards(key, data.reading(), ranges, new ArrayList<>(tables));
  }

  @Override
  public int shards() {
    return ranges.size();
  }

  /** A shard is best computed where the part is from which it has its first rows. */
  @Override
  public String place(int shard) {
    for (var rows : ranges.get(shard).stream().flatMap(List::stream).toList()) {
      for (var table : tables) {
        int part = table.part(rows);
        if (part >= 0 && rows.rows() > 0) {
          return table.place(part);
        }
      }
    }
    return "";
  }

  @Override
  public List<Value> load(int shard) {
    var mine = ranges.get(shard);
    List<Value> values = List.copyOf(reading.read(mine, this::ofTable));
    mine.stream().flatMap(List::stream).distinct().forEach(this::taken);
    return values;
  }

  /** Where rows with nulls are left out, the number of a row isn't known any more. */
  @Override
  public Optional<String> row(int shard, long row, List<ArrayValue> values) {
    var what = reading.shown(values);
    long before = 0;
    for (var range : ranges.get(shard).getFirst()) {
      if (row < before + range.rows()) {
        var number = range.from() + row - before;
        boolean known = reading.nulls() == ReadOptions.Nulls.ERROR;
        var where = known ? "row %d of %s".formatted(number, range.file()) : "a row";
        return Optional.of("it is " + where + ", with " + what);
      }
      before += range.rows();
    }
    return Optional.empty();
  }

  private Optional<ArrowDataset> ofTable(RowRange rows) {
    for (var table : tables) {
      int part = table.part(rows);
      if (part >= 0) {
        return Optional.of(
            rows.rows() == 0
                ? table.open(part, List.of())
                : table.open(
                    part, ShardCache.OF_PROCESS.get(table, part, table.cacheBytes()).values()));
      }
    }
    return Optional.empty();
  }

  /** The rows are in a shard now, so a part isn't kept for them any more. */
  private void taken(RowRange rows) {
    for (var table : tables) {
      int part = table.part(rows);
      if (part >= 0) {
        ShardCache.OF_PROCESS.take(table, part, rows.rows(), table.uses() * table.rows(part));
      }
    }
  }
}
