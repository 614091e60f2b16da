package dev.kenaz.dataset;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6111;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.kenaz.arrow.AtomicOutput;
import dev.kenaz.arrow.Faults;
import dev.kenaz.arrow.Progress;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.function.Function;
import java.util.zip.CRC32C;

/**
 * Moves all rows of a source into a file system of Hadoop. The files are made in a hidden folder of
 * this machine first, because most formats can't be written as a stream, and uploaded when all are
 * complete. What an interrupted process has made and uploaded of a folder serves the next one that
 * resumes.
 */
public final class RemoteTransfer {
  /** Describes the work whose files are complete. */
  private static final String DONE = "done.json";

  private RemoteTransfer() {}

  /**
   * Moves rows.
   *
   * @param target the address
   * @param temporary a folder of this machine
   * @param outputs says how they are written into a path of this machine
   * @throws dev.kenaz.error.UserError K61xx; nothing is in the place of the target then
   */
  public static Transfer.Summary run(
      RowSource source,
      String target,
      Path temporary,
      Function<Path, RowOutput> outputs,
      RemoteFiles remote,
      Progress progress) {
    var name = target.substring(target.lastIndexOf('/') + 1);
    var any = outputs.apply(Path.of(name));
    remote.requireFree(target, any.overwrite());
    try (var stage = AtomicOutput.resumable(stage(target, temporary), false, any.resume())) {
      var made = stage.path().resolve(name);
      try {
        requirePrivate(stage.path());
        var done = made(source, outputs.apply(made).overwriting(), stage.path(), progress);
        remote.put(made, target, any.overwrite(), any.resume());
        return done;
      } catch (RuntimeException e) {
        if (any.folder() && hasFiles(stage.path())) {
          stage.keep();
        }
        throw e;
      } catch (IOException e) {
        throw Faults.cannotWrite(stage.target(), e);
      }
    }
  }

  /** Returns the place on this machine that belongs to a target. */
  private static Path stage(String target, Path temporary) {
    var sum = new CRC32C();
    sum.update(target.getBytes(StandardCharsets.UTF_8));
    return temporary.resolve("kenaz-remote-%08x".formatted(sum.getValue()));
  }

  /** Others on this machine may not see the rows. */
  private static void requirePrivate(Path folder) throws IOException {
    if (FileSystems.getDefault().supportedFileAttributeViews().contains("posix")) {
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
    }
  }

  private static boolean hasFiles(Path folder) {
    try (var all = Files.list(folder)) {
      return all.findAny().isPresent();
    } catch (IOException e) {
      throw fault(K6111, "can't read the temporary folder " + folder + ": " + e.getMessage());
    }
  }

  /** Makes the files, unless an earlier process has done that. */
  private static Transfer.Summary made(
      RowSource source, RowOutput output, Path stage, Progress progress) throws IOException {
    var record = stage.resolve(DONE);
    if (Files.exists(record)) {
      var json = Manifest.read(Files.readAllBytes(record));
      Transfer.requireSame(json.path("work"), source, output);
      return new Transfer.Summary(
          source.schema(),
          json.path("rows").asLong(),
          json.path("dropped").asLong(),
          json.path("files").asInt());
    }
    var done = Transfer.run(source, output, progress);
    if (output.folder()) {
      var json = JsonNodeFactory.instance.objectNode();
      json.set("work", Transfer.work(source, output));
      json.put("rows", done.rows()).put("dropped", done.dropped()).put("files", done.files());
      Transfer.replace(record, Manifest.write(json));
    }
    return done;
  }
}
