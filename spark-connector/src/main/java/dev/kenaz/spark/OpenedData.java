package dev.kenaz.spark;

import dev.kenaz.arrow.ParameterData;
import dev.kenaz.distribute.Cuts;
import java.util.List;

/**
 * The columns that are the parameters of an entry point, and the tables of which some are columns.
 *
 * @param columns nothing but metadata of them was read
 */
public record OpenedData(ParameterData columns, List<? extends RowParts> tables) {
  /** Returns columns of files alone. */
  public static OpenedData ofFiles(ParameterData columns) {
    return new OpenedData(columns, List.of());
  }

  /**
   * Cuts the data into shards.
   *
   * @param cuts how its datasets are cut, before rows are left out for nulls
   */
  public ParameterShards shards(List<Cuts> cuts) {
    return ParameterShards.of(columns, cuts, tables);
  }
}
