package dev.kenaz.jobs.train;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.kenaz.jobs.run.DigestedFile;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueReader;
import dev.kenaz.value.ValueWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A file that holds a state: a line of JSON, values in the binary format, and the digest of all
 * that.
 *
 * @param header what the line of JSON says
 */
public record ValuesFile<H>(H header, List<Value> values) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Writes it to a file. */
  public void write(OutputStream out) throws IOException {
    DigestedFile.write(
        out,
        digested -> {
          var line = JSON.createObjectNode().put("values", values.size());
          digested.write(JSON.writeValueAsBytes(line.set("header", JSON.valueToTree(header))));
          digested.write('\n');
          for (var value : values) {
            ValueWriter.writeBinary(value, digested);
          }
        });
  }

  /**
   * Reads a file.
   *
   * @throws dev.kenaz.error.UserError K7103 if it is not whole
   */
  public static <H> ValuesFile<H> read(Path file, Class<H> type) {
    return DigestedFile.read(
        file,
        in -> {
          try {
            var line = JSON.readTree(line(in));
            var header = JSON.treeToValue(line.path("header"), type);
            var reader = ValueReader.of(in, file.toString());
            var values = new ArrayList<Value>();
            for (int i = 0; i < line.path("values").asInt(); i++) {
              values.add(reader.next());
            }
            return new ValuesFile<>(header, values);
          } catch (JsonProcessingException e) {
            throw DigestedFile.damaged(file);
          }
        });
  }

  private static byte[] line(InputStream in) throws IOException {
    var bytes = new ByteArrayOutputStream();
    for (int b = in.read(); b >= 0 && b != '\n'; b = in.read()) {
      bytes.write(b);
    }
    return bytes.toByteArray();
  }
}
