package dev.kenaz.spark.sql;

import dev.kenaz.arrow.MemoryBatch;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Value;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * A part of a table as the values that executors keep: numbers about it, then three buffers for
 * each column of each batch.
 */
final class PartValues {
  private static final int BUFFERS = 3;
  private static final long CHUNK = 1 << 30;

  private PartValues() {}

  static List<Value> of(PartBuilder.Part part) {
    int batches = part.batches().size();
    int columns = part.widths().size();
    var numbers = new long[2 + columns + batches];
    numbers[0] = part.leftOut();
    numbers[1] = columns;
    for (int i = 0; i < columns; i++) {
      numbers[2 + i] = part.widths().get(i);
    }
    var all = new ArrayList<Value>();
    all.add(null);
    for (int b = 0; b < batches; b++) {
      var batch = part.batches().get(b);
      numbers[2 + columns + b] = batch.rows();
      for (var of : batch.columns()) {
        for (var bytes : List.of(of.validity(), of.cellValidity(), of.cells())) {
          all.add(ArrayValue.of(Prim.U8, bytes, bytes.byteSize()));
        }
      }
    }
    all.set(0, ArrayValue.ofLongs(numbers, numbers.length));
    return List.copyOf(all);
  }

  static PartBuilder.Part read(List<Value> values) {
    var numbers = ((ArrayValue) values.getFirst()).toLongArray();
    int columns = Math.toIntExact(numbers[1]);
    var widths = new ArrayList<Integer>();
    for (int i = 0; i < columns; i++) {
      widths.add(Math.toIntExact(numbers[2 + i]));
    }
    var batches = new ArrayList<MemoryBatch>();
    int at = 1;
    for (int b = 2 + columns; b < numbers.length; b++) {
      var buffers = new ArrayList<MemoryBatch.Buffers>();
      for (int i = 0; i < columns; i++) {
        buffers.add(
            new MemoryBatch.Buffers(
                data(values.get(at)), data(values.get(at + 1)), data(values.get(at + 2))));
        at += BUFFERS;
      }
      batches.add(new MemoryBatch(numbers[b], buffers));
    }
    return new PartBuilder.Part(numbers[0], widths, batches);
  }

  private static MemorySegment data(Value v) {
    return ((ArrayValue) v).data();
  }

  /** Returns a number that is the same for the same cells. */
  static long checksum(PartBuilder.Part part) {
    var sum = new CRC32C();
    for (var batch : part.batches()) {
      for (var of : batch.columns()) {
        for (var bytes : List.of(of.validity(), of.cellValidity(), of.cells())) {
          for (long at = 0; at < bytes.byteSize(); at += CHUNK) {
            long n = Math.min(CHUNK, bytes.byteSize() - at);
            sum.update(bytes.asSlice(at, n).asByteBuffer());
          }
        }
      }
    }
    return sum.getValue();
  }
}
