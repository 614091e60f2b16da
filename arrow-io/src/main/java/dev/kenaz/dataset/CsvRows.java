package dev.kenaz.dataset;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6120;
import static dev.kenaz.error.ErrorCode.K6123;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.value.Prim;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;

/** Reads the lines of a CSV file, one at a time; packed files are unpacked on the way. */
public final class CsvRows implements AutoCloseable {
  private final DataFile file;
  private final Unpacked unpacked;
  private final CsvScanner scanner;
  private final List<String> names;
  private boolean pending;

  private CsvRows(DataFile file, CsvOptions options) throws IOException {
    this.file = file;
    this.unpacked = Unpacked.open(file);
    try {
      this.scanner = new CsvScanner(unpacked.stream(), options.separator());
      this.names = readNames(options.header());
    } catch (IOException | RuntimeException e) {
      unpacked.close();
      throw e;
    }
  }

  public static CsvRows open(DataFile file, CsvOptions options) {
    try {
      return new CsvRows(file, options);
    } catch (IOException e) {
      throw file.cannotRead(e);
    }
  }

  private List<String> readNames(boolean header) {
    if (!readLine()) {
      throw fault(
          K6123, file.name() + " is empty", "its first line has the columns' names, or a row");
    }
    if (!header) {
      pending = true;
      return IntStream.range(0, scanner.count()).mapToObj(i -> "c" + i).toList();
    }
    IntStream.range(0, scanner.count()).forEach(this::requireText);
    var seen = new HashSet<String>();
    var all = IntStream.range(0, scanner.count()).mapToObj(scanner::text).toList();
    requireSeparated(all);
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

  /** Refuses a single column whose name looks like several that other characters separate. */
  private void requireSeparated(List<String> all) {
    var name = all.getFirst();
    if (all.size() == 1 && !scanner.quoted(0) && CsvSink.OTHER_SEPARATORS.matcher(name).find()) {
      throw at(
          K6123,
          "the only column is named \"" + name + "\"",
          "name what separates fields: --separator ';'; if that is its name, put it in quotes");
    }
  }

  public List<String> names() {
    return names;
  }

  /** Goes to the next line of data; returns false at the end. */
  public boolean next() {
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

  /** Reads plain lines of numbers that come next, see {@link CsvScanner#numbers}. */
  int numbers(CsvNumberLines plain, int most) {
    return pending ? 0 : scanner.numbers(plain, most);
  }

  /** Returns a field of the current line, without spaces around it. */
  public String field(int i) {
    return scanner.text(i);
  }

  /** Whether a field of the current line stands between quotation marks. */
  boolean quoted(int i) {
    return scanner.quoted(i);
  }

  /** Appends a field of the current line to others. */
  void copy(int i, BatchText to) {
    requireText(i);
    if (scanner.doubled(i)) {
      to.add(scanner.text(i).getBytes(StandardCharsets.UTF_8));
    } else {
      to.add(scanner.bytes(), scanner.from(i), scanner.to(i));
    }
  }

  private void requireText(int i) {
    if (!scanner.isText(i)) {
      throw at(
          K6120,
          "field " + (i + 1) + " is no text in UTF-8",
          "write the file as UTF-8, as by: iconv -f windows-1252 -t utf-8");
    }
  }

  /** Whether a field of the current line has no characters. */
  public boolean isEmpty(int i) {
    return scanner.from(i) == scanner.to(i);
  }

  /** Returns a number in normal form if that is simple; otherwise {@link CsvNumber#OTHER}. */
  public long simple(int i, Prim type) {
    return CsvNumber.parse(scanner.bytes(), scanner.from(i), scanner.to(i), type);
  }

  /** Returns a field as a number's bits in normal form; nothing if it is no such number. */
  public OptionalLong number(int i, Prim type) {
    long simple = simple(i, type);
    return simple == CsvNumber.OTHER ? CsvField.parse(field(i), type) : OptionalLong.of(simple);
  }

  public double fraction() {
    return unpacked.fraction();
  }

  private boolean readLine() {
    try {
      return scanner.next();
    } catch (CsvScanner.Malformed e) {
      throw at(
          K6120,
          "this is no CSV: " + e.getMessage(),
          "correct the line, or name what separates fields: --separator ';'");
    } catch (IOException e) {
      throw file.cannotRead(e);
    }
  }

  /** Returns the error for a fault of the current line. */
  public UserError at(ErrorCode code, String message, String... hints) {
    int line = (int) Math.min(scanner.line(), Integer.MAX_VALUE);
    return new UserError(code, new Span(file.name(), line, 1, line, 1), message, hints);
  }

  @Override
  public void close() {
    try {
      scanner.close();
    } catch (IOException e) {
      throw file.cannotRead(e);
    }
  }
}
