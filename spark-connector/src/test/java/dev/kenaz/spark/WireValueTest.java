package dev.kenaz.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.spark.SparkConf;
import org.apache.spark.serializer.KryoSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.Tuple2;
import scala.reflect.ClassTag$;

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
      var wire = WireValue.Copied.of(value, most);
      assertEquals(value, sent(wire).read());
      assertTrue(wire.sameAs(WireValue.Copied.of(value, most)));
      assertEquals(value instanceof ArrayValue a ? a.data().byteSize() : Long.BYTES, wire.bytes());
    }
    numbers[14]++;
    var other = WireValue.Copied.of(ArrayValue.ofLongs(numbers, 3, 5), most);
    numbers[14]--;
    assertFalse(other.sameAs(WireValue.Copied.of(ArrayValue.ofLongs(numbers, 3, 5), most)));
    assertEquals(Math.ceilDiv(120, most), other.blocks().length);
  }

  /** A value that leaves the process is copied; one that stays is the same. */
  @Test
  void aHeldValueIsCopiedWhereItIsWritten() throws Exception {
    var value = ArrayValue.ofLongs(new long[] {1, -2, 3}, 3);
    var held = WireValue.held(List.of(value)).getFirst();
    assertSame(value, held.read());
    assertEquals(24, held.bytes());
    var there = sent(held);
    assertInstanceOf(WireValue.Copied.class, there);
    assertEquals(value, there.read());
  }

  /** Kryo, which many Spark users set, takes no records. */
  @Test
  void whatSparkCarriesMayBeWrittenByKryo() {
    var value = ArrayValue.ofLongs(new long[] {1, -2, 3}, 3);
    var part = new Outcome.Part(0, 1, WireValue.held(List.of(value)));
    var place = new Outcome.Place(0, "here", "1");
    var done = Outcome.Done.of(2, List.of(part), List.of(place), 1, Outcome.Times.NONE);
    var read = (Outcome.Done) byKryo(done);
    assertEquals(value, read.parts().getFirst().values().getFirst().read());
    assertEquals(List.of(place), read.places());
    var fault = Outcome.Fault.of(new UserError(ErrorCode.K5005, "wrong", "mend it"));
    var failed = new Outcome.Failed(0, 3, fault);
    assertEquals(failed, byKryo(failed));
    assertEquals(fault.getFirst(), byKryo(fault.getFirst()));
    var piece = (Piece) byKryo(Piece.of(1, List.of(value)));
    assertEquals(value, piece.rows().getFirst().read());
    var parcel = (Tuple2<?, ?>) byKryo(Parcel.of(1, 2, List.of(value)));
    assertEquals(List.of(value), ((Parcel) parcel._2()).read());
    assertEquals(new Carried<>(place), byKryo(new Carried<>(place)));
  }

  private static Object byKryo(Object written) {
    var serializer = new KryoSerializer(new SparkConf()).newInstance();
    var tag = ClassTag$.MODULE$.Object();
    return serializer.deserialize(serializer.serialize(written, tag), tag);
  }
}
