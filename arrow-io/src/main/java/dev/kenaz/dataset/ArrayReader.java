package dev.kenaz.dataset;

import dev.kenaz.error.UserError;
import dev.kenaz.value.Prim;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Reads files that have one array of numbers, those of NumPy ({@code .npy}) and IDX, as one column:
 * of numbers if the array has one dimension, else of lists, in which all further dimensions lie one
 * after the other. The files are read as streams.
 */
public final class ArrayReader implements RowReader {
  private static final int BATCH_BYTES = 16 << 20;

  private final DataFile file;
  private final Path named;
  private final Unpacked unpacked;
  private final InputStream in;
  private final ArrayFile header;
  private final int width;
  private final BufferAllocator memory;
  private final VectorSchemaRoot root;
  private long done;

  private ArrayReader(DataFile file, Unpacked unpacked, DataFormat format, String name)
      throws IOException {
    this.file = file;
    this.named = Path.of(file.name());
    this.unpacked = unpacked;
    this.in = new BufferedInputStream(unpacked.stream(), 1 << 16);
    this.header = ArrayFile.read(format, in, named);
    var column = header.column(name, named);
    this.width = column.width();
    this.memory = BatchMemory.of(file.name());
    this.root = VectorSchemaRoot.create(new Schema(List.of(column.field())), memory);
  }

  /**
   * Opens a file.
   *
   * @param format {@link DataFormat#NUMPY} or {@link DataFormat#IDX}
   * @param name the name of the column
   * @throws UserError K6101, K6103, K6105
   */
  public static ArrayReader open(DataFile file, DataFormat format, String name) {
    var named = Path.of(file.name());
    try {
      var unpacked = Unpacked.open(file);
      try {
        return new ArrayReader(file, unpacked, format, name);
      } catch (IOException | RuntimeException e) {
        unpacked.close();
        throw e;
      }
    } catch (EOFException e) {
      throw ArrayFile.damaged(named, "it ends too early");
    } catch (ArithmeticException e) {
      throw ArrayFile.damaged(named, "its array is too large");
    } catch (IOException e) {
      throw file.cannotRead(e);
    }
  }

  @Override
  public Schema schema() {
    return root.getSchema();
  }

  @Override
  public VectorSchemaRoot next() {
    try {
      return read();
    } catch (EOFException e) {
      throw ArrayFile.damaged(named, "it ends too early");
    } catch (ArithmeticException e) {
      throw ArrayFile.damaged(named, "its array is too large");
    } catch (IOException e) {
      throw file.cannotRead(e);
    }
  }

  private VectorSchemaRoot read() throws IOException {
    long rowBytes = Math.multiplyExact((long) width, header.type().byteSize());
    long n = Math.min(Math.clamp(BATCH_BYTES / rowBytes, 1, BATCH_ROWS), header.shape()[0] - done);
    if (n == 0) {
      if (in.read() >= 0) {
        throw ArrayFile.damaged(named, "it goes on after its last element");
      }
      return null;
    }
    var bytes = in.readNBytes(Math.toIntExact(n * rowBytes));
    if (bytes.length < n * rowBytes) {
      throw new EOFException();
    }
    if (header.type() == Prim.BOOL && anyOver1(bytes)) {
      throw ArrayFile.damaged(named, "a boolean is neither 0 nor 1");
    }
    if (header.swapped()) {
      swap(bytes, header.type().byteSize());
    }
    fill(root.getVector(0), bytes, (int) n);
    done += n;
    return root;
  }

  private void fill(FieldVector vector, byte[] bytes, int rows) {
    if (vector instanceof FixedSizeListVector lists) {
      lists.setInitialCapacity(rows);
      lists.allocateNew();
      BatchNumbers.segment(lists.getValidityBuffer()).fill((byte) 0xFF);
      cells((BaseFixedWidthVector) lists.getDataVector(), bytes, rows * width);
    } else {
      cells((BaseFixedWidthVector) vector, bytes, rows);
    }
    vector.setValueCount(rows);
    root.setRowCount(rows);
  }

  private void cells(BaseFixedWidthVector cells, byte[] bytes, int count) {
    var numbers = new BatchNumbers(cells, header.type(), count);
    if (header.type() == Prim.BOOL) {
      for (int i = 0; i < count; i++) {
        numbers.set(i, bytes[i]);
      }
    } else {
      BatchNumbers.segment(cells.getDataBuffer())
          .asSlice(0, bytes.length)
          .copyFrom(MemorySegment.ofArray(bytes));
    }
    cells.setValueCount(count);
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

  @Override
  public double fraction() {
    return unpacked.fraction();
  }

  @Override
  public void close() {
    try (memory;
        root) {
      unpacked.close();
    } catch (IOException e) {
      throw file.cannotRead(e);
    }
  }
}
