package dev.kenaz.jobs.measure;

import static dev.kenaz.error.ErrorCode.K7102;
import static dev.kenaz.error.ErrorCode.K7103;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/**
 * The file with a line for each cell, which is written as soon as the cell is measured. A line that
 * a killed process has not finished is cut off when the file is opened again.
 */
final class MeasurementsFile implements AutoCloseable {
  static final String NAME = "results.jsonl";
  static final ObjectMapper JSON = JsonMapper.builder().build();

  private final Path file;
  private final FileChannel channel;

  private MeasurementsFile(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  /**
   * Opens the file in a folder.
   *
   * @param goOn whether the lines that are there stay
   */
  static MeasurementsFile open(Path folder, boolean goOn) {
    var file = folder.resolve(NAME);
    try {
      var channel =
          FileChannel.open(
              file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
      channel.truncate(goOn ? whole(file) : 0);
      channel.position(channel.size());
      return new MeasurementsFile(file, channel);
    } catch (IOException e) {
      throw new UserError(K7102, "can't write " + file + ": " + UserPath.reason(file, e));
    }
  }

  /** Returns how many bytes all whole lines have. */
  private static long whole(Path file) throws IOException {
    var there = Files.readAllBytes(file);
    int end = there.length;
    while (end > 0 && there[end - 1] != '\n') {
      end--;
    }
    return end;
  }

  /** Adds a line, which is on the disk when the method returns. */
  void add(Measurement m) {
    try {
      var line =
          ByteBuffer.wrap((JSON.writeValueAsString(m) + "\n").getBytes(StandardCharsets.UTF_8));
      while (line.hasRemaining()) {
        channel.write(line);
      }
      channel.force(false);
    } catch (IOException e) {
      throw new UserError(
          K7102,
          "can't write " + file + ": " + UserPath.reason(file, e),
          "what was measured is kept: with room on the disk, continue with --resume");
    }
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new UserError(K7102, "can't write " + file + ": " + UserPath.reason(file, e));
    }
  }

  /**
   * Returns what a folder has, by the names of the cells; of a cell that was measured again, the
   * last line counts.
   *
   * @throws UserError K7103 if the folder has no results of a sweep that measures
   */
  static SequencedMap<String, Measurement> read(Path folder) {
    var file = folder.resolve(NAME);
    if (!Files.exists(file)) {
      throw new UserError(
          K7103,
          folder + " has no " + NAME + " of a sweep that measures",
          "kenaz sweep writes it into the folder that \"output\" names");
    }
    try {
      var text = Files.readString(file);
      var found = new LinkedHashMap<String, Measurement>();
      int number = 0;
      for (var line : text.substring(0, text.lastIndexOf('\n') + 1).lines().toList()) {
        number++;
        var m = measurement(line, file, number);
        found.putLast(m.cell(), m);
      }
      return found;
    } catch (IOException e) {
      throw UserPath.cannotRead(file, K7103, e);
    }
  }

  private static Measurement measurement(String line, Path file, int number) {
    try {
      var m = JSON.readValue(line, Measurement.class);
      if (m.cell() != null && m.axes() != null && m.status() != null) {
        return m;
      }
    } catch (JsonProcessingException _) {
      // The message below says all that a user can do about it.
    }
    throw new UserError(
        K7103,
        file + ", line " + number + ": this is no result of a sweep that measures",
        "remove the line and measure the cell again with --resume");
  }
}
