package dev.kenaz.spark.sql;

import dev.kenaz.arrow.MemoryBatch;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Value;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * A part of a table as the values that executors keep: numbers about it, then three buffers for
 * each column of each batch.
 */
final class PartValues {
  private static final int BUFFERS = 3;
  private static final int NUMBERS = 3;

  private PartValues() {}

  static List<Value> of(PartBuilder.Part part) {
    int batches = part.batches().size();
    int columns = part.widths().size();
    var numbers = new long[NUMBERS + columns + batches];
    numbers[0] = part.leftOut();
    numbers[1] = part.checksum();
    numbers[2] = columns;
    for (int i = 0; i < columns; i++) {
      numbers[NUMBERS + i] = part.widths().get(i);
    }
    var all = new ArrayList<Value>();
    all.add(null);
    for (int b = 0; b < batches; b++) {
      var batch = part.batches().get(b);
      numbers[NUMBERS + columns + b] = batch.rows();
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
    int columns = Math.toIntExact(numbers[2]);
    var widths = new ArrayList<Integer>();
    for (int i = 0; i < columns; i++) {
      widths.add(Math.toIntExact(numbers[NUMBERS + i]));
    }
    var batches = new ArrayList<MemoryBatch>();
    int at = 1;
    for (int b = NUMBERS + columns; b < numbers.length; b++) {
      var buffers = new ArrayList<MemoryBatch.Buffers>();
      for (int i = 0; i < columns; i++) {
        buffers.add(
            new MemoryBatch.Buffers(
                data(values.get(at)), data(values.get(at + 1)), data(values.get(at + 2))));
        at += BUFFERS;
      }
      batches.add(new MemoryBatch(numbers[b], buffers));
    }
    return new PartBuilder.Part(numbers[0], numbers[1], widths, batches);
  }

  private static MemorySegment data(Value v) {
    return ((ArrayValue) v).data();
  }
}
