package dev.kenaz.dataset;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6131;

import com.fasterxml.jackson.databind.JsonNode;
import dev.kenaz.arrow.Progress;
import dev.kenaz.error.UserError;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * Checks whether a folder has what its manifest says. What has no manifest is read whole, which
 * shows whether it can be read.
 */
public final class Validation {
  private final Function<DataFile, RowReader> formats;
  private final Progress progress;
  private long rows;

  private Validation(Function<DataFile, RowReader> formats, Progress progress) {
    this.formats = formats;
    this.progress = progress;
  }

  /**
   * What was checked.
   *
   * @param manifest whether there was a manifest to compare with
   */
  public record Summary(long rows, int files, boolean manifest) {}

  /**
   * Checks a folder with a manifest.
   *
   * @param formats opens a file of any format
   * @throws UserError K6131 that names the file and what is wrong with it; K61xx if a file can't be
   *     read
   */
  public static Summary folder(
      DatasetFolder folder, Function<DataFile, RowReader> formats, Progress progress) {
    var manifest = Manifest.read(folder.manifest());
    return new Validation(formats, progress).against(folder, manifest);
  }

  /**
   * Reads files that have no manifest.
   *
   * @throws UserError K61xx if one can't be read, K6107 if they have different columns
   */
  public static Summary files(
      List<DataFile> files, Function<DataFile, RowReader> formats, Progress progress) {
    var all = new FileSource(files, formats);
    var shown = new TransferProgress(all, progress);
    long rows = 0;
    for (int part = 0; part < all.parts(); part++) {
      try (var reader = all.open(part)) {
        for (var batch = reader.next(); batch != null; batch = reader.next()) {
          rows += batch.getRowCount();
          shown.add(part, batch.getRowCount(), reader.fraction());
        }
      }
    }
    return new Summary(rows, files.size(), false);
  }

  private Summary against(DatasetFolder folder, Manifest manifest) {
    var named = new TreeSet<String>();
    for (var f : manifest.files()) {
      if (!named.add(f.name()) || f.name().contains("/") || !DatasetFolder.isVisible(f.name())) {
        throw fault(K6131, folder.manifest().name() + " names the file " + f.name() + " wrongly");
      }
      if (!folder.files().containsKey(f.name())) {
        throw wrong(folder, f, "is missing");
      }
    }
    var other = folder.files().keySet().stream().filter(n -> !named.contains(n)).findFirst();
    if (other.isPresent()) {
      throw fault(
          K6131,
          folder.name() + "/" + other.get() + " is not in the manifest",
          "remove it, or make the dataset again");
    }
    int done = 0;
    for (var f : manifest.files()) {
      check(folder, f, manifest);
      done++;
      progress.at(rows, (double) done / manifest.files().size());
    }
    return new Summary(rows, manifest.files().size(), true);
  }

  private void check(DatasetFolder folder, Manifest.Entry entry, Manifest manifest) {
    var file = folder.files().get(entry.name());
    try {
      if (file.size() != entry.bytes()) {
        throw wrong(folder, entry, "has %,d bytes, not %,d".formatted(file.size(), entry.bytes()));
      }
      var sum = Manifest.checksum(file);
      if (!sum.equals(entry.checksum())) {
        throw wrong(folder, entry, "has the checksum %s, not %s".formatted(sum, entry.checksum()));
      }
    } catch (IOException e) {
      throw file.cannotRead(e);
    }
    try (var reader = formats.apply(file)) {
      var columns = Manifest.columns(reader.schema());
      if (!columns.equals(manifest.columns())) {
        throw wrong(folder, entry, "has the columns " + columns + ", not " + manifest.columns());
      }
      compare(folder, entry, reader);
    }
  }

  private void compare(DatasetFolder folder, Manifest.Entry entry, RowReader reader) {
    var statistics = reader.schema().getFields().stream().map(ColumnStatistics::new).toList();
    long count = 0;
    for (var batch = reader.next(); batch != null; batch = reader.next()) {
      for (int i = 0; i < statistics.size(); i++) {
        statistics.get(i).add(batch.getVector(i));
      }
      count += batch.getRowCount();
    }
    rows += count;
    if (count != entry.rows()) {
      throw wrong(folder, entry, "has %,d rows, not %,d".formatted(count, entry.rows()));
    }
    Map<String, String> found = new TreeMap<>();
    statistics.forEach(s -> found.put(s.name(), s.json().toString()));
    for (var s : entry.statistics().entrySet()) {
      JsonNode told = s.getValue();
      if (!told.toString().equals(found.get(s.getKey()))) {
        throw wrong(
            folder,
            entry,
            "has in column \"%s\" %s, not %s".formatted(s.getKey(), found.get(s.getKey()), told));
      }
    }
  }

  private static UserError wrong(DatasetFolder folder, Manifest.Entry entry, String how) {
    return fault(
        K6131,
        folder.name() + "/" + entry.name() + " " + how + ", as " + Manifest.NAME + " says",
        "make the dataset again, or copy it again");
  }
}
