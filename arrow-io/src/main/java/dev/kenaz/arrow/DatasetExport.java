package dev.kenaz.arrow;

import dev.kenaz.value.Elements;
import dev.kenaz.value.Prim;
import java.io.BufferedOutputStream;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPOutputStream;

/** Writes a dataset's selected columns as CSV. */
public final class DatasetExport {
  private DatasetExport() {}

  /**
   * Writes a header and a line for each row. Numbers have the shortest form that reads back as the
   * same number, and nulls are empty fields. The elements of a list column {@code x} are columns
   * {@code x_0}, {@code x_1}, ... Rows with nulls are left out if the dataset drops them.
   *
   * @param target the file, which is packed if its name ends in {@code .gz}
   * @throws dev.kenaz.error.UserError K6105 for columns that aren't numbers, K6109 if there are
   *     none, K6110, K6111
   */
  public static void csv(ArrowDataset data, Path target, boolean overwrite, Progress progress) {
    try (var place = AtomicOutput.to(target, overwrite)) {
      try (var out = writer(place.path(), target.toString().endsWith(".gz"))) {
        write(data, out, progress);
      }
      place.commit();
    } catch (IOException e) {
      throw Faults.cannotWrite(target, e);
    }
  }

  /** Writes the same to a stream, which is flushed and stays open. */
  public static void csv(ArrowDataset data, OutputStream stream) {
    try {
      var out = new BufferedWriter(new OutputStreamWriter(stream, StandardCharsets.UTF_8), 1 << 16);
      write(data, out, Progress.NONE);
      out.flush();
    } catch (IOException e) {
      throw Faults.cannotWrite(Path.of("standard output"), e);
    }
  }

  private static void write(ArrowDataset data, Writer out, Progress progress) throws IOException {
    boolean drop = data.options().nulls() == ReadOptions.Nulls.DROP;
    out.write(header(data.numericColumns()));
    long done = 0;
    for (var block : data.blocks()) {
      write(block, drop, out);
      done += block.rows();
      progress.at(done, (double) done / Math.max(1, data.rowCount()));
    }
  }

  private static Writer writer(Path path, boolean packed) throws IOException {
    OutputStream file = new BufferedOutputStream(Files.newOutputStream(path), 1 << 16);
    var bytes = packed ? new GZIPOutputStream(file, 1 << 16) : file;
    return new BufferedWriter(new OutputStreamWriter(bytes, StandardCharsets.UTF_8), 1 << 16);
  }

  private static String header(List<ColumnInfo> columns) {
    var names = new ArrayList<String>();
    for (var c : columns) {
      if (c.list()) {
        for (int j = 0; j < c.width(); j++) {
          names.add(quoted(c.name() + "_" + j));
        }
      } else {
        names.add(quoted(c.name()));
      }
    }
    return String.join(",", names) + "\n";
  }

  private static String quoted(String name) {
    return name.chars().anyMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r')
        ? "\"" + name.replace("\"", "\"\"") + "\""
        : name;
  }

  private static void write(RowBlock block, boolean drop, Writer out) throws IOException {
    var columns = block.columns();
    for (long row = 0; row < block.rows(); row++) {
      long r = row;
      if (drop && columns.stream().anyMatch(c -> c.isNull(r))) {
        continue;
      }
      boolean first = true;
      for (var c : columns) {
        boolean isNull = c.isNull(row);
        for (int j = 0; j < c.info().width(); j++) {
          if (!first) {
            out.write(',');
          }
          first = false;
          if (!isNull) {
            out.write(text(c, (c.offset() + row) * c.info().width() + j));
          }
        }
      }
      out.write('\n');
    }
  }

  private static String text(ColumnData c, long i) {
    return switch (c.prim()) {
      case BOOL -> ColumnData.bit(c.data(), i) ? "true" : "false";
      case I8, I16, I32, I64, U8, U16, U32 -> Long.toString(Elements.bits(c.data(), c.prim(), i));
      case U64 -> Long.toUnsignedString(Elements.bits(c.data(), Prim.U64, i));
      case F16, F32 -> Float.toString((float) number(c, i));
      case F64 -> Double.toString(number(c, i));
    };
  }

  private static double number(ColumnData c, long i) {
    return c.prim().toDouble(Elements.bits(c.data(), c.prim(), i));
  }
}
