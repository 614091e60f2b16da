package dev.kenaz.arrow;

import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * A table that other processes compute, part by part. This one knows its columns and how many rows
 * each part has, and nothing else of them.
 *
 * @param name what messages call it
 * @param identity a text that is the same for the same rows in the same parts
 * @param schema its columns
 * @param parts the rows of each part, by the name of the part
 * @param leftOut how many rows with nulls aren't counted there, because they were left out
 */
public record TableInParts(
    String name, String identity, Schema schema, List<RowRange> parts, long leftOut) {

  /** Returns the rows; those who ask for their numbers fail. */
  ArrowDataset rows(ReadOptions options) {
    var files = new ArrayList<IpcFile>();
    for (var part : parts) {
      files.add(
          IpcFile.of(
              part.file(),
              schema,
              part.rows() == 0
                  ? List.of()
                  : List.of(
                      new IpcBatch(part.file(), 0, 0, part.rows(), List.of(), Codec.NONE, null))));
    }
    if (files.isEmpty()) {
      files.add(IpcFile.of(name, schema, List.of()));
    }
    return ArrowDataset.of(files, options);
  }
}
