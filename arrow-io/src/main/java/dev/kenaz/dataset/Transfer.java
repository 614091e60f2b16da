package dev.kenaz.dataset;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6132;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.kenaz.arrow.AtomicOutput;
import dev.kenaz.arrow.Faults;
import dev.kenaz.arrow.Progress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Moves all rows of a source into files. A folder has the files of each part, which are written at
 * the same time, and a manifest. A single file has the rows of all parts, one after the other.
 */
public final class Transfer {
  /** Describes the work of a folder that isn't complete yet. */
  private static final String PLAN = ".plan.json";

  private final RowSource source;
  private final RowOutput output;
  private final TransferProgress progress;

  private Transfer(RowSource source, RowOutput output, Progress progress) {
    this.source = source;
    this.output = output;
    this.progress = new TransferProgress(source, progress);
  }

  /**
   * What was written.
   *
   * @param schema the columns
   * @param dropped how many rows were left out
   */
  public record Summary(Schema schema, long rows, long dropped, int files) {}

  /**
   * Moves rows.
   *
   * @throws dev.kenaz.error.UserError K61xx; nothing is in the place of the target then
   */
  public static Summary run(RowSource source, RowOutput output, Progress progress) {
    var transfer = new Transfer(source, output, progress);
    return output.folder() ? transfer.folder() : transfer.file();
  }

  private Summary file() {
    while (true) {
      try (var place = AtomicOutput.to(output.target(), output.overwrite())) {
        var done = file(place.path());
        commit(place);
        return done;
      } catch (RowSource.Contradiction _) {
        progress.settle();
      }
    }
  }

  private Summary file(Path path) {
    var schema = source.schema();
    long dropped = 0;
    long rows = 0;
    try (var writer = output.writer().create(path, schema)) {
      for (int part = 0; part < source.parts(); part++) {
        try (var reader = source.open(part)) {
          for (var batch = reader.next(); batch != null; batch = reader.next()) {
            writer.write(batch);
            rows += batch.getRowCount();
            progress.add(part, batch.getRowCount(), reader.fraction());
          }
          dropped += reader.dropped();
        }
      }
      writer.commit();
    }
    progress.end();
    return new Summary(schema, rows, dropped, 1);
  }

  private static void commit(AtomicOutput place) {
    try {
      place.commit();
    } catch (IOException e) {
      throw Faults.cannotWrite(place.target(), e);
    }
  }

  private Summary folder() {
    try (var place = AtomicOutput.resumable(output.target(), output.overwrite(), output.resume())) {
      try {
        resume(place.path());
        while (true) {
          try {
            var done = folder(place.path());
            commit(place);
            return done;
          } catch (RowSource.Contradiction _) {
            progress.settle();
            clear(place.path());
            plan(place.path(), true);
          }
        }
      } catch (RuntimeException e) {
        if (source.parts() > 1 && somethingIsDone(place.path())) {
          place.keep();
        }
        throw e;
      } catch (IOException e) {
        throw Faults.cannotWrite(output.target(), e);
      }
    }
  }

  private boolean somethingIsDone(Path work) {
    for (int part = 0; part < source.parts(); part++) {
      if (Files.exists(work.resolve(entryName(part)))) {
        return true;
      }
    }
    return false;
  }

  /** Begins anew, or goes on if the folder holds finished parts of the same work. */
  private void resume(Path work) throws IOException {
    var old = work.resolve(PLAN);
    if (!Files.exists(old)) {
      clear(work);
      plan(work, false);
      return;
    }
    var plan = Manifest.read(Files.readAllBytes(old));
    requireSame(plan.path("work"), source, output);
    if (plan.path("settled").asBoolean()) {
      source.settle();
    }
  }

  /**
   * Refuses to go on with other work.
   *
   * @param begun what {@link #work} said of the work that was interrupted
   */
  static void requireSame(JsonNode begun, RowSource source, RowOutput output) {
    if (!begun.equals(work(source, output))) {
      throw fault(
          K6132,
          "the interrupted import into " + output.target() + " had other files or options",
          "leave out --resume to begin anew");
    }
  }

  /** Returns what must be the same if work is resumed. */
  static JsonNode work(RowSource source, RowOutput output) {
    var json = JsonNodeFactory.instance.objectNode();
    var parts = json.putArray("parts");
    for (int part = 0; part < source.parts(); part++) {
      parts.addObject().put("name", source.name(part)).put("weight", source.weight(part));
    }
    json.put("options", output.description());
    json.put("rows-per-file", output.rowsPerFile());
    json.put("shares", output.shares().toString());
    // What is read again below comes as integers of any size, so all of it is compared as text.
    try {
      return Manifest.read(Manifest.write(json));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void plan(Path work, boolean settled) throws IOException {
    var json = JsonNodeFactory.instance.objectNode();
    json.set("work", work(source, output));
    json.put("settled", settled);
    replace(work.resolve(PLAN), Manifest.write(json));
  }

  /** Writes a small file whole or not at all. */
  static void replace(Path file, byte[] bytes) throws IOException {
    var next = file.resolveSibling(file.getFileName() + ".next");
    Files.write(next, bytes);
    try (var channel = FileChannel.open(next, StandardOpenOption.WRITE)) {
      channel.force(true);
    }
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  private static void clear(Path folder) throws IOException {
    try (var all = Files.walk(folder)) {
      for (var p : all.sorted(java.util.Comparator.reverseOrder()).toList()) {
        if (!p.equals(folder)) {
          Files.delete(p);
        }
      }
    }
  }

  private Summary folder(Path work) throws IOException {
    var schema = source.schema();
    for (var share : shares()) {
      Files.createDirectories(work.resolve(share.name()));
    }
    Parallel.each(source.parts(), output.threads(), part -> part(part, schema, work));
    long dropped = 0;
    var entries = new ArrayList<List<Manifest.Entry>>();
    shares().forEach(_ -> entries.add(new ArrayList<>()));
    for (int part = 0; part < source.parts(); part++) {
      var entry = work.resolve(entryName(part));
      var json = Manifest.read(Files.readAllBytes(entry));
      dropped += json.path("dropped").asLong();
      for (int s = 0; s < entries.size(); s++) {
        for (var f : json.path("shares").path(s)) {
          entries.get(s).add(Manifest.entry(f));
        }
      }
      Files.delete(entry);
    }
    long rows = 0;
    int files = 0;
    for (int s = 0; s < entries.size(); s++) {
      var manifest = new Manifest(Manifest.columns(schema), entries.get(s));
      manifest.write(work.resolve(shares().get(s).name()));
      rows += manifest.rows();
      files += manifest.files().size();
    }
    Files.delete(work.resolve(PLAN));
    progress.end();
    return new Summary(schema, rows, dropped, files);
  }

  private List<RowOutput.Share> shares() {
    return output.shares().isEmpty() ? List.of(new RowOutput.Share("", 1)) : output.shares();
  }

  private static String entryName(int part) {
    return ".part-%05d.json".formatted(part);
  }

  /** Writes the files of a part, unless an earlier process has done that. */
  private void part(int part, Schema schema, Path work) {
    var entry = work.resolve(entryName(part));
    if (Files.exists(entry)) {
      progress.add(part, 0, 1);
      return;
    }
    try {
      remove(work, part);
      replace(entry, Manifest.write(written(part, schema, work)));
    } catch (IOException e) {
      throw Faults.cannotWrite(output.target(), e);
    }
  }

  /** Returns what the names of a part's files begin with; a single part only numbers its files. */
  private String partName(int part) {
    return source.parts() == 1 && output.rowsPerFile() > 0 ? "part" : "part-%05d".formatted(part);
  }

  /** Removes what an interrupted process has left of a part. */
  private void remove(Path work, int part) throws IOException {
    for (var share : shares()) {
      try (var files = Files.newDirectoryStream(work.resolve(share.name()), partName(part) + "*")) {
        for (var f : files) {
          Files.delete(f);
        }
      }
    }
  }

  private JsonNode written(int part, Schema schema, Path work) {
    var writers = new ArrayList<PartFiles>();
    try (var reader = source.open(part);
        var division = new RowDivision(schema, output, part)) {
      for (var share : shares()) {
        writers.add(new PartFiles(work.resolve(share.name()), partName(part), schema, output));
      }
      for (var batch = reader.next(); batch != null; batch = reader.next()) {
        division.write(batch, writers);
        progress.add(part, batch.getRowCount(), reader.fraction());
      }
      var json = JsonNodeFactory.instance.objectNode();
      json.put("dropped", reader.dropped());
      var shares = json.putArray("shares");
      for (var w : writers) {
        var files = shares.addArray();
        w.commit().forEach(e -> files.add(Manifest.json(e)));
      }
      return json;
    } finally {
      writers.forEach(PartFiles::close);
    }
  }
}
