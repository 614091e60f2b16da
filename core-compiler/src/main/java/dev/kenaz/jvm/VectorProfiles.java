package dev.kenaz.jvm;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import jdk.incubator.vector.Vector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Lets HotSpot see what all programs of a process may do with vectors before the first one does.
 *
 * <p>The methods of the Vector API are the same for all types, operators and kinds of memory, and
 * so is what HotSpot notes about them. If a first program has only additions of doubles, then
 * HotSpot compiles these methods for additions of doubles, with checks, and these fail in a second
 * program. It counts failures, and adds them up over all methods that it compiles into one; where
 * they are many, it no longer believes that a vector has the class that it always had, and makes an
 * object of it. A loop with many operations then is several times slower than in a process of its
 * own. If it has seen several classes everywhere before it compiles anything, there are no such
 * checks, and nothing fails.
 */
final class VectorProfiles {
  /** Programs that are given less don't run long enough for HotSpot to compile them. */
  private static final long ENOUGH_BYTES = 1 << 16;

  /** HotSpot begins to take notes when a method has been called some hundred times. */
  private static final int TURNS = 200;

  private static final AtomicLong BYTES = new AtomicLong();

  private VectorProfiles() {}

  /** Does its work as soon as programs have been given so many bytes that it is worth it. */
  static void given(long bytes) {
    long before = BYTES.getAndAdd(bytes);
    if (before < ENOUGH_BYTES && before + bytes >= ENOUGH_BYTES) {
      show();
    }
  }

  private static void show() {
    long scratch = NativeMemory.allocate(Vectors.F64.vectorByteSize());
    try {
      int bytes = Vectors.F64.vectorByteSize();
      var segments =
          List.of(
              MemorySegment.ofAddress(scratch).reinterpret(bytes),
              MemorySegment.ofArray(new byte[bytes]),
              MemorySegment.ofArray(new long[bytes / Long.BYTES]));
      for (int turn = 0; turn < TURNS; turn++) {
        for (var segment : segments) {
          floats(Vectors.F64, segment);
          floats(Vectors.F32_FULL, segment);
          integers(Vectors.I64, segment);
          integers(Vectors.I32_FULL, segment);
        }
      }
    } finally {
      NativeMemory.free(scratch, NativeMemory.capacity(Vectors.F64.vectorByteSize()));
    }
  }

  private static <E> void floats(VectorSpecies<E> species, MemorySegment segment) {
    var x = species.fromMemorySegment(segment, 0, Vectors.ORDER);
    var y = common(x).lanewise(VectorOperators.FMA, x, x).lanewise(VectorOperators.SQRT).div(x);
    y.intoMemorySegment(segment, 0, Vectors.ORDER);
  }

  private static <E> void integers(VectorSpecies<E> species, MemorySegment segment) {
    var x = species.fromMemorySegment(segment, 0, Vectors.ORDER);
    var y = common(x).lanewise(VectorOperators.LSHL, x).lanewise(VectorOperators.NOT);
    y.lanewise(VectorOperators.XOR, x).intoMemorySegment(segment, 0, Vectors.ORDER);
  }

  private static <E> Vector<E> common(Vector<E> x) {
    var y = x.add(x).sub(x.broadcast(1)).mul(x).max(x).neg().abs();
    var smaller = y.compare(VectorOperators.LT, x).or(x.compare(VectorOperators.EQ, y));
    return y.blend(x, smaller.not());
  }
}
