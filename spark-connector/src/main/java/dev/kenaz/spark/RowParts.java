package dev.kenaz.spark;

import dev.kenaz.arrow.ArrowDataset;
import dev.kenaz.arrow.RowRange;
import dev.kenaz.value.Value;
import java.util.List;

/**
 * A table in parts, which executors compute when a shard needs their rows. A part is loaded as a
 * shard is: executors keep it as long as there is room, and compute it again if it is lost.
 */
public interface RowParts extends ShardSource {
  /** Returns the number of the part that has some rows; -1 if they aren't of this table. */
  int part(RowRange rows);

  /** Returns how many rows a part has. */
  long rows(int part);

  /**
   * Returns how many datasets take their rows from the table, such as those of a training and of
   * its validation.
   */
  int uses();

  /**
   * Returns all rows of a part.
   *
   * @param values what {@link #load} gave; none for a table without rows
   */
  ArrowDataset open(int part, List<Value> values);

  /** Returns how much an executor may keep of this and all other data, in bytes. */
  long cacheBytes();
}
