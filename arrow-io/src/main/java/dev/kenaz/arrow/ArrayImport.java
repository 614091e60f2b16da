package dev.kenaz.arrow;

import dev.kenaz.dataset.ArrayFile;
import dev.kenaz.dataset.DataFile;
import dev.kenaz.dataset.DataFormat;
import dev.kenaz.dataset.Unpacked;
import dev.kenaz.error.UserError;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;

/**
 * Imports files that have one array of numbers, those of NumPy ({@code .npy}) and IDX, as one
 * column: of numbers if the array has one dimension, else of lists, in which all further dimensions
 * lie one after the other. The files are read as streams.
 */
public final class ArrayImport {
  private static final int BATCH_BYTES = 16 << 20;

  private ArrayImport() {}

  /**
   * Imports an array.
   *
   * @param format {@link DataFormat#NUMPY} or {@link DataFormat#IDX}
   * @param name the name of the column
   * @param rowsPerFile 0 for a single file
   * @throws UserError K6101, K6103, K6105, K6110, K6111
   */
  public static DatasetImport.Summary array(
      DataFormat format,
      Path source,
      Path target,
      String name,
      long rowsPerFile,
      boolean overwrite,
      Progress progress) {
    AtomicOutput.to(target, overwrite).close();
    try (var file = Unpacked.open(DataFile.of(source));
        var in = new BufferedInputStream(file.stream(), 1 << 16)) {
      var header = ArrayFile.read(format, in, source);
      var column = header.column(name, source);
      try (var out = new PartedOutput(target, List.of(column), rowsPerFile, overwrite)) {
        copy(in, header, source, column, out, progress);
        if (in.read() >= 0) {
          throw ArrayFile.damaged(source, "it goes on after its last element");
        }
        out.commit();
        return new DatasetImport.Summary(List.of(column), out.rows(), 0, out.files());
      }
    } catch (EOFException e) {
      throw ArrayFile.damaged(source, "it ends too early");
    } catch (ArithmeticException e) {
      throw ArrayFile.damaged(source, "its array is too large");
    } catch (IOException e) {
      throw Faults.cannotRead(source, e);
    }
  }

  private static void copy(
      InputStream in,
      ArrayFile header,
      Path source,
      ColumnInfo column,
      PartedOutput out,
      Progress progress)
      throws IOException {
    int size = header.type().byteSize();
    long rowBytes = Math.multiplyExact((long) column.width(), size);
    long rows = header.shape()[0];
    long batch = Math.clamp(BATCH_BYTES / rowBytes, 1, ArrowOutput.BATCH_ROWS);
    for (long done = 0; done < rows; ) {
      long n = Math.min(batch, rows - done);
      var bytes = in.readNBytes(Math.toIntExact(n * rowBytes));
      if (bytes.length < n * rowBytes) {
        throw new EOFException();
      }
      if (header.type() == Prim.BOOL && anyOver1(bytes)) {
        throw ArrayFile.damaged(source, "a boolean is neither 0 nor 1");
      }
      if (header.swapped()) {
        swap(bytes, size);
      }
      var shape = column.list() ? new long[] {n, column.width()} : new long[] {n};
      var array = ArrayValue.allocate(header.type(), shape);
      MemorySegment.copy(MemorySegment.ofArray(bytes), 0, array, 0, bytes.length);
      out.write(List.of(ArrayValue.of(header.type(), array, shape)));
      done += n;
      progress.at(done, (double) done / rows);
    }
  }

  private static boolean anyOver1(byte[] bytes) {
    for (byte b : bytes) {
      if (b < 0 || b > 1) {
        return true;
      }
    }
    return false;
  }

  /** Turns the bytes of each element round. */
  private static void swap(byte[] bytes, int size) {
    for (int at = 0; at < bytes.length; at += size) {
      for (int i = 0; i < size / 2; i++) {
        byte b = bytes[at + i];
        bytes[at + i] = bytes[at + size - 1 - i];
        bytes[at + size - 1 - i] = b;
      }
    }
  }
}
