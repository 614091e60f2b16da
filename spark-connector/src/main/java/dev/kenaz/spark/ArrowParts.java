package dev.kenaz.spark;

import dev.kenaz.arrow.ArrowOutput;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;

/**
 * Writes rows where they are: one Arrow file for each shard, in a folder that all executors see. A
 * task that is repeated writes the same file again; each appears whole or not at all. Only the
 * number of rows that were written travels to the driver.
 *
 * @param folder the absolute path of a folder that exists
 * @param columns a name for each result; for a matrix it is the name of a column of lists
 */
public record ArrowParts(String folder, ArrayList<String> columns) implements RowSink {
  @Override
  public String key() {
    return "write " + columns + " to " + folder;
  }

  @Override
  public List<Value> take(int shard, List<Value> parts) {
    var table = new LinkedHashMap<String, Value>();
    for (int i = 0; i < parts.size(); i++) {
      table.put(columns.get(i), parts.get(i));
    }
    var name = String.format(Locale.ROOT, "part-%05d.arrow", shard);
    ArrowOutput.write(Path.of(folder).resolve(name), table, true);
    return List.of(ArrayValue.ofLongs(new long[] {parts.getFirst().shape()[0]}));
  }
}
