package dev.kenaz.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Values that travel in blocks: an array of Java has 2 GiB at most, a value of a program more. */
final class WireValueTest {
  private static WireValue sent(WireValue value) throws Exception {
    var bytes = new ByteArrayOutputStream();
    try (var out = new ObjectOutputStream(bytes)) {
      out.writeObject(value);
    }
    try (var in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      return (WireValue) in.readObject();
    }
  }

  /** A block may end within an element. */
  @ParameterizedTest
  @ValueSource(ints = {1, 5, 8, 40, 119, 120, 121})
  void aValueIsTheSameWhateverItsBlocks(int most) throws Exception {
    var numbers = LongStream.range(0, 15).map(i -> i * 0x0123456789abcL).toArray();
    for (Value value :
        new Value[] {
          ArrayValue.ofLongs(numbers, 3, 5),
          ArrayValue.ofLongs(Prim.I16, numbers, 15),
          ArrayValue.ofLongs(new long[0], 0, 4),
          ArrayValue.ofLongs(numbers, 3, 5).rows(1, 3),
          ScalarValue.i64(-7)
        }) {
      var wire = WireValue.of(value, most);
      assertEquals(value, sent(wire).read());
      assertTrue(wire.sameAs(WireValue.of(value, most)));
      assertEquals(value instanceof ArrayValue a ? a.data().byteSize() : Long.BYTES, wire.bytes());
    }
    numbers[14]++;
    var other = WireValue.of(ArrayValue.ofLongs(numbers, 3, 5), most);
    numbers[14]--;
    assertFalse(other.sameAs(WireValue.of(ArrayValue.ofLongs(numbers, 3, 5), most)));
    assertEquals(Math.ceilDiv(120, most), other.blocks().length);
  }
}
