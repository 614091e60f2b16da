package dev.kenaz.dataset;

import static dev.kenaz.error.ErrorCode.K6121;
import static dev.kenaz.error.ErrorCode.K6122;

import dev.kenaz.error.UserError;
import dev.kenaz.value.Prim;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;

/** Reads the rows of a CSV file as columns whose types are known. */
final class CsvReader implements RowReader {
  /** A batch is complete when its strings have so many bytes. */
  private static final int TEXT_BYTES = 16 << 20;

  private final CsvOptions options;
  private final List<CsvColumn> columns;
  private final CsvRows rows;
  private final BufferAllocator memory;
  private final VectorSchemaRoot root;
  private final int batch;
  private final boolean drop;
  private long dropped;
  private final boolean nullable;

  /** Whether all columns have numbers that are never null. */
  private final boolean plain;

  /** Reads lines of plain numbers; null if there are none. */
  private final CsvNumberLines plainLines;

  /** Of each column: its field, the type of its numbers or null, and where they are collected. */
  private final int[] fields;

  private final Prim[] prims;
  private final BatchNumbers[] numbers;
  private final BatchText[] texts;

  /** The numbers of the current line, and which of its fields are missing. */
  private final long[] line;

  private final boolean[] missing;
  private final BigDecimal[] decimals;

  CsvReader(DataFile file, CsvOptions options, List<CsvColumn> columns, Schema schema) {
    int n = columns.size();
    this.options = options;
    this.columns = columns;
    this.drop = options.missing() == CsvOptions.Missing.DROP;
    this.nullable = options.missing() == CsvOptions.Missing.NULL;
    // Wide rows make smaller batches, which have at most about 64 MB.
    this.batch = Math.clamp((8L << 20) / Math.max(1, n), 1, BATCH_ROWS);
    this.rows = CsvRows.open(file, options);
    this.memory = BatchMemory.of(file.name());
    this.root = VectorSchemaRoot.create(schema, memory);
    this.fields = columns.stream().mapToInt(CsvColumn::index).toArray();
    this.prims = new Prim[n];
    this.numbers = new BatchNumbers[n];
    this.texts = new BatchText[n];
    this.line = new long[n];
    this.missing = new boolean[n];
    this.decimals = new BigDecimal[n];
    for (int i = 0; i < n; i++) {
      collectors(i);
    }
    this.plain = !nullable && Arrays.stream(prims).allMatch(Objects::nonNull);
    this.plainLines =
        CsvNumberLines.reads(options.separator(), prims)
            ? new CsvNumberLines(options.separator(), rows.names().size(), fields, prims)
            : null;
  }

  private void collectors(int i) {
    switch (columns.get(i).type()) {
      case CsvType.Number(var prim) -> {
        prims[i] = prim;
        numbers[i] = numbers(i, prim);
      }
      case CsvType.Date _ -> numbers[i] = numbers(i, Prim.I32);
      case CsvType.Timestamp _ -> numbers[i] = numbers(i, Prim.I64);
      case CsvType.Text _ -> texts[i] = new BatchText();
      case CsvType.Decimal _ -> ((DecimalVector) root.getVector(i)).allocateNew(batch);
    }
  }

  private BatchNumbers numbers(int i, Prim prim) {
    return new BatchNumbers((BaseFixedWidthVector) root.getVector(i), prim, batch);
  }

  @Override
  public Schema schema() {
    return root.getSchema();
  }

  @Override
  public VectorSchemaRoot next() {
    for (var n : numbers) {
      if (n != null) {
        n.clear();
      }
    }
    int count = 0;
    while (true) {
      count = plainLines == null ? count : plainLines(count);
      if (count == batch || full() || !rows.next()) {
        break;
      }
      if (parse()) {
        if (plain) {
          appendNumbers(count++);
        } else {
          append(count++);
        }
      } else {
        dropped++;
      }
    }
    if (count == 0) {
      return null;
    }
    for (int i = 0; i < fields.length; i++) {
      if (texts[i] != null) {
        texts[i].flush((BaseVariableWidthVector) root.getVector(i));
      } else {
        root.getVector(i).setValueCount(count);
      }
    }
    root.setRowCount(count);
    return root;
  }

  /** Appends plain lines to the rows of the batch, and returns how many rows it has then. */
  private int plainLines(int count) {
    int row = count;
    while (row < batch) {
      int read = rows.numbers(plainLines, batch - row);
      if (read == 0) {
        break;
      }
      for (int i = 0; i < numbers.length; i++) {
        numbers[i].set(row, plainLines.block(), i, numbers.length, read);
      }
      row += read;
    }
    return row;
  }

  private boolean full() {
    long bytes = 0;
    for (var t : texts) {
      bytes += t == null ? 0 : t.size();
    }
    return bytes >= TEXT_BYTES;
  }

  /** Reads the fields of a line; returns false if it is left out. */
  private boolean parse() {
    for (int i = 0; i < fields.length; i++) {
      var prim = prims[i];
      if (prim == null) {
        missing[i] = false;
        if (!other(i)) {
          return false;
        }
        continue;
      }
      long bits = rows.simple(fields[i], prim);
      if (nullable) {
        missing[i] = false;
      }
      if (bits == CsvNumber.OTHER) {
        var text = rows.field(fields[i]);
        if (options.isMissing(text)) {
          if (drop) {
            return false;
          }
          bits = missing(i, prim);
        } else {
          bits = number(i, text, prim);
        }
      }
      line[i] = bits;
    }
    return true;
  }

  private long number(int i, String text, Prim prim) {
    // Digits are true and false only where somebody says so.
    boolean told = !columns.get(i).guessed() || prim != Prim.BOOL;
    return checked(
        i,
        text,
        told || Character.isLetter(text.charAt(0))
            ? CsvField.parse(text, prim)
            : OptionalLong.empty());
  }

  private long checked(int i, String text, OptionalLong value) {
    if (value.isEmpty() && columns.get(i).guessed()) {
      throw new RowSource.Contradiction();
    }
    return value.orElseThrow(() -> notOfType(rows, columns.get(i), text));
  }

  /** Reads a field that is no number; returns false if its line is left out. */
  private boolean other(int i) {
    int field = fields[i];
    if (!rows.quoted(field) && options.isMissing(rows.field(field))) {
      missing[i] = true;
      return !drop;
    }
    switch (columns.get(i).type()) {
      case CsvType.Date _ -> {
        var text = rows.field(field);
        line[i] = checked(i, text, CsvTimes.date(text));
      }
      case CsvType.Timestamp t -> {
        var text = rows.field(field);
        line[i] = checked(i, text, CsvTimes.timestamp(text, t.zoned()));
      }
      case CsvType.Decimal d -> decimals[i] = decimal(i, rows.field(field), d);
      case CsvType.Text _, CsvType.Number _ -> {} // Strings are copied if the line is taken.
    }
    return true;
  }

  private BigDecimal decimal(int i, String text, CsvType.Decimal type) {
    return type.exact(text).orElseThrow(() -> notOfType(rows, columns.get(i), text));
  }

  private long missing(int i, Prim prim) {
    var name = columns.get(i).name();
    if (nullable) {
      missing[i] = true;
      return 0;
    }
    if (options.missing() == CsvOptions.Missing.ERROR) {
      throw rows.at(
          K6122,
          "column \"" + name + "\" is missing",
          "drop such rows, or make missing fields null or NaN (--missing drop, null or nan)");
    }
    if (!prim.isFloat() && columns.get(i).guessed()) {
      throw new RowSource.Contradiction();
    }
    if (!prim.isFloat()) {
      throw rows.at(
          K6122,
          "column \"" + name + "\" is missing, and a column of " + prim + " can't hold NaN",
          "give the column a float type");
    }
    return prim.fromDouble(Double.NaN);
  }

  static UserError notOfType(CsvRows rows, CsvColumn column, String text) {
    return rows.at(
        K6121,
        "column \"%s\": \"%s\" is no %s".formatted(column.name(), text, column.type().text()),
        "give the column another type, or leave it out: --columns names those that are imported");
  }

  /** Does what {@link #append} does where all columns have numbers that are never null. */
  private void appendNumbers(int row) {
    for (int i = 0; i < line.length; i++) {
      numbers[i].set(row, line[i]);
    }
  }

  private void append(int row) {
    for (int i = 0; i < fields.length; i++) {
      if (texts[i] != null) {
        if (missing[i]) {
          texts[i].addNull();
        } else {
          rows.copy(fields[i], texts[i]);
        }
      } else if (numbers[i] == null) {
        var vector = (DecimalVector) root.getVector(i);
        if (missing[i]) {
          vector.setNull(row);
        } else {
          vector.set(row, decimals[i]);
        }
      } else if (missing[i]) {
        numbers[i].setNull(row);
      } else {
        numbers[i].set(row, line[i]);
      }
    }
  }

  @Override
  public long dropped() {
    return dropped;
  }

  @Override
  public double fraction() {
    return rows.fraction();
  }

  @Override
  public void close() {
    try (memory;
        root) {
      rows.close();
    }
  }
}
