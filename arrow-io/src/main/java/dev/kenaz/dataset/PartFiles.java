package dev.kenaz.dataset;

import dev.kenaz.arrow.Faults;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;

/** Writes the files of one part into a folder, and collects what the manifest says of them. */
final class PartFiles implements AutoCloseable {
  private final Path folder;
  private final String name;
  private final Schema schema;
  private final RowOutput output;
  private final List<Manifest.Entry> entries = new ArrayList<>();
  private RowWriter current;
  private List<ColumnStatistics> statistics;
  private long rows;

  /**
   * @param name what the names of the files begin with
   */
  PartFiles(Path folder, String name, Schema schema, RowOutput output) {
    this.folder = folder;
    this.name = name;
    this.schema = schema;
    this.output = output;
    open();
  }

  private void open() {
    current = output.writer().create(file(), schema);
    statistics = schema.getFields().stream().map(ColumnStatistics::new).toList();
    rows = 0;
  }

  private String fileName() {
    return name
        + (output.rowsPerFile() == 0 ? "" : "-%05d".formatted(entries.size()))
        + output.ending();
  }

  private Path file() {
    return folder.resolve(fileName());
  }

  void write(VectorSchemaRoot batch) {
    long limit = output.rowsPerFile() == 0 ? Long.MAX_VALUE : output.rowsPerFile();
    int at = 0;
    while (at < batch.getRowCount()) {
      if (rows == limit) {
        finish();
        open();
      }
      int n = (int) Math.min(limit - rows, batch.getRowCount() - at);
      if (n == batch.getRowCount()) {
        append(batch);
      } else {
        try (var slice = batch.slice(at, n)) {
          append(new VectorSchemaRoot(schema, slice.getFieldVectors(), n));
        }
      }
      at += n;
    }
  }

  private void append(VectorSchemaRoot batch) {
    for (int i = 0; i < statistics.size(); i++) {
      statistics.get(i).add(batch.getVector(i));
    }
    current.write(batch);
    rows += batch.getRowCount();
  }

  private void finish() {
    try (var done = current) {
      done.commit();
    }
    current = null;
    var columns = new TreeMap<String, com.fasterxml.jackson.databind.JsonNode>();
    statistics.forEach(s -> columns.put(s.name(), s.json()));
    try {
      entries.add(
          new Manifest.Entry(
              fileName(),
              rows,
              Files.size(file()),
              Manifest.checksum(DataFile.of(file())),
              columns));
    } catch (IOException e) {
      throw Faults.cannotRead(file(), e);
    }
  }

  /** Completes the last file. */
  List<Manifest.Entry> commit() {
    finish();
    return List.copyOf(entries);
  }

  @Override
  public void close() {
    if (current != null) {
      current.close();
    }
  }
}
