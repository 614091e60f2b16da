package dev.kenaz.arrow;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6120;
import static dev.kenaz.error.ErrorCode.K6123;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.value.Prim;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;

/** Reads the lines of a CSV file, one at a time; packed files are unpacked on the way. */
final class CsvRows implements AutoCloseable {
  private final Path file;
  private final long size;
  private final Counting counting;
  private final CsvScanner scanner;
  private final List<String> names;
  private boolean pending;

  private CsvRows(Path file, CsvOptions options) throws IOException {
    this.file = file;
    this.size = Math.max(1, Files.size(file));
    this.counting = new Counting(Files.newInputStream(file));
    InputStream in = counting;
    try {
      in = DataFormat.packing(file).unpacked(in);
      this.scanner = new CsvScanner(in, options.separator());
    } catch (IOException e) {
      in.close();
      throw e;
    }
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
      return IntStream.range(0, scanner.count()).mapToObj(i -> "c" + i).toList();
    }
    var seen = new HashSet<String>();
    var all = IntStream.range(0, scanner.count()).mapToObj(scanner::text).toList();
    for (var name : all) {
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
    return all;
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
    if (scanner.count() != names.size()) {
      throw at(K6120, "expected " + names.size() + " fields, found " + scanner.count());
    }
    return true;
  }

  /** Returns a field of the current line, without spaces around it. */
  String field(int i) {
    return scanner.text(i);
  }

  /** Whether a field of the current line has no characters. */
  boolean isEmpty(int i) {
    return scanner.from(i) == scanner.to(i);
  }

  /** Returns a number in normal form if that is simple; otherwise {@link CsvNumber#OTHER}. */
  long simple(int i, Prim type) {
    return CsvNumber.parse(scanner.bytes(), scanner.from(i), scanner.to(i), type);
  }

  /** Returns a field as a number's bits in normal form; nothing if it is no such number. */
  OptionalLong number(int i, Prim type) {
    long simple = simple(i, type);
    return simple == CsvNumber.OTHER ? CsvField.parse(field(i), type) : OptionalLong.of(simple);
  }

  double fraction() {
    return Math.min(1, (double) counting.bytes / size);
  }

  private boolean readLine() {
    try {
      return scanner.next();
    } catch (CsvScanner.Malformed e) {
      throw at(K6120, "this is no CSV: " + e.getMessage());
    } catch (IOException e) {
      throw Faults.cannotRead(file, e);
    }
  }

  /** Returns the error for a fault of the current line. */
  UserError at(ErrorCode code, String message, String... hints) {
    int line = (int) Math.min(scanner.line(), Integer.MAX_VALUE);
    return new UserError(code, new Span(file.toString(), line, 1, line, 1), message, hints);
  }

  @Override
  public void close() {
    try {
      scanner.close();
    } catch (IOException e) {
      throw Faults.cannotRead(file, e);
    }
  }
}
