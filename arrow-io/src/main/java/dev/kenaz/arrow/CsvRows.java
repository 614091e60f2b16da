package dev.kenaz.arrow;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6120;
import static dev.kenaz.error.ErrorCode.K6123;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.csv.CsvFactory;
import com.fasterxml.jackson.dataformat.csv.CsvParser;
import com.fasterxml.jackson.dataformat.csv.CsvSchema;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;

/** Reads the lines of a CSV file, one at a time; {@code .gz} files are unpacked on the way. */
final class CsvRows implements AutoCloseable {
  private final Path file;
  private final long size;
  private final Counting counting;
  private final CsvParser parser;
  private final List<String> names;
  private final List<String> fields = new ArrayList<>();
  private boolean pending;
  private int line;

  private CsvRows(Path file, CsvOptions options) throws IOException {
    this.file = file;
    this.size = Math.max(1, Files.size(file));
    this.counting = new Counting(Files.newInputStream(file));
    InputStream in = new BufferedInputStream(counting, 1 << 16);
    try {
      in = DataFormat.isPacked(file) ? new GZIPInputStream(in, 1 << 16) : in;
      var factory =
          CsvFactory.builder()
              .enable(CsvParser.Feature.TRIM_SPACES)
              .enable(CsvParser.Feature.SKIP_EMPTY_LINES)
              .build();
      this.parser = factory.createParser(in);
    } catch (IOException e) {
      in.close();
      throw e;
    }
    parser.setSchema(
        CsvSchema.emptySchema().withColumnSeparator(options.separator()).withoutHeader());
    this.names = readNames(options.header());
  }

  static CsvRows open(Path file, CsvOptions options) {
    try {
      return new CsvRows(file, options);
    } catch (IOException e) {
      throw Faults.cannotRead(file, e);
    }
  }

  /** Counts the bytes of the file that were read; of a packed file, the packed bytes. */
  private static final class Counting extends FilterInputStream {
    private long bytes;

    Counting(InputStream in) {
      super(in);
    }

    @Override
    public int read() throws IOException {
      int b = super.read();
      bytes += b < 0 ? 0 : 1;
      return b;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      int n = super.read(into, offset, length);
      bytes += Math.max(0, n);
      return n;
    }
  }

  private List<String> readNames(boolean header) {
    if (!readLine()) {
      throw fault(K6123, file + " is empty", "its first line has the columns' names, or a row");
    }
    if (!header) {
      pending = true;
      return IntStream.range(0, fields.size()).mapToObj(i -> "c" + i).toList();
    }
    var seen = new HashSet<String>();
    for (var name : fields) {
      if (name.isEmpty()) {
        throw at(K6123, "a column has no name", "say that there is no header");
      }
      if (!seen.add(name)) {
        throw at(
            K6123,
            "two columns are named \"" + name + "\"",
            "rename one, or say that there is no header");
      }
    }
    return List.copyOf(fields);
  }

  List<String> names() {
    return names;
  }

  /** Goes to the next line of data; returns false at the end. */
  boolean next() {
    if (pending) {
      pending = false;
      return true;
    }
    if (!readLine()) {
      return false;
    }
    if (fields.size() != names.size()) {
      throw at(K6120, "expected " + names.size() + " fields, found " + fields.size());
    }
    return true;
  }

  /** Returns a field of the current line, without spaces around it. */
  String field(int i) {
    return fields.get(i);
  }

  double fraction() {
    return Math.min(1, (double) counting.bytes / size);
  }

  private boolean readLine() {
    fields.clear();
    try {
      if (parser.nextToken() != JsonToken.START_ARRAY) {
        return false;
      }
      while (parser.nextToken() != JsonToken.END_ARRAY) {
        if (fields.isEmpty()) {
          // The line is known only here: the parser places the start of a row at the end of the
          // line before.
          line = parser.currentTokenLocation().getLineNr();
        }
        fields.add(parser.getText());
      }
      return true;
    } catch (JsonProcessingException e) {
      var place = e.getLocation();
      line = place == null ? line + 1 : place.getLineNr();
      throw at(K6120, "this is no CSV: " + e.getOriginalMessage());
    } catch (IOException e) {
      throw Faults.cannotRead(file, e);
    }
  }

  /** Returns the error for a fault of the current line. */
  UserError at(ErrorCode code, String message, String... hints) {
    return new UserError(code, new Span(file.toString(), line, 1, line, 1), message, hints);
  }

  @Override
  public void close() {
    try {
      parser.close();
    } catch (IOException e) {
      throw Faults.cannotRead(file, e);
    }
  }
}
