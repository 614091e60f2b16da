package dev.kenaz.arrow;

import dev.kenaz.distribute.Cuts;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/**
 * Whole record batches of one file.
 *
 * @param file the absolute path of the file
 * @param from the first batch
 * @param to the batch after the last one
 * @param rows how many rows they have
 */
public record BatchRange(String file, int from, int to, long rows) implements Serializable {

  /**
   * Divides the batches of files so that a part is about as large as a piece. Each file is at least
   * one part.
   *
   * @param data files, a folder of them, or a glob
   * @param cuts of all rows into pieces
   */
  public static List<BatchRange> of(String data, Cuts cuts) {
    var ranges = new ArrayList<BatchRange>();
    long row = 0;
    for (var path : DatasetFiles.resolve(List.of(data))) {
      var file = IpcFile.map(path);
      var name = path.toAbsolutePath().normalize().toString();
      int from = 0;
      long rows = 0;
      for (int i = 0; i < file.batches().size(); i++) {
        long more = file.batches().get(i).rows();
        if (rows > 0 && cuts.pieceOf(row) != cuts.pieceOf(row - rows)) {
          ranges.add(new BatchRange(name, from, i, rows));
          from = i;
          rows = 0;
        }
        rows += more;
        row += more;
      }
      ranges.add(new BatchRange(name, from, file.batches().size(), rows));
    }
    return ranges;
  }
}
