package dev.kenaz.spark;

import com.esotericsoftware.kryo.DefaultSerializer;
import dev.kenaz.value.ArrayValue;
import java.io.Serializable;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.Partitioner;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.rdd.ShuffledRDD;
import org.apache.spark.serializer.JavaSerializer;
import scala.Tuple2;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * What one piece sends to another one, by Spark's shuffle.
 *
 * @param from the number of the piece that sends it
 * @param failure why there are no values; null if there are
 */
@DefaultSerializer(com.esotericsoftware.kryo.serializers.JavaSerializer.class)
record Parcel(int from, List<WireValue> values, Outcome.Failed failure) implements Serializable {

  static Tuple2<Integer, Parcel> of(int from, int to, List<ArrayValue> values) {
    var sent = List.copyOf(WireValue.of(List.copyOf(values)));
    return new Tuple2<>(to, new Parcel(from, sent, null));
  }

  /** Work that makes parcels, if what it is given didn't fail; otherwise all pieces learn that. */
  record Sending(PieceRdd.Work<Tuple2<Integer, Parcel>> work, int pieces)
      implements PieceRdd.Work<Tuple2<Integer, Parcel>> {
    @Override
    public Iterator<Tuple2<Integer, Parcel>> run(
        int piece, List<List<?>> given, TaskContext context) {
      var failure = Piece.failure(given);
      if (failure.isEmpty()) {
        return work.run(piece, given, context);
      }
      var parcel = new Parcel(piece, List.of(), failure.get());
      return IntStream.range(0, pieces).mapToObj(to -> new Tuple2<>(to, parcel)).iterator();
    }
  }

  List<ArrayValue> read() {
    return values.stream().map(v -> (ArrayValue) v.read()).toList();
  }

  /** Brings parcels to the pieces that they are for. */
  static RDD<Tuple2<Integer, Parcel>> delivered(PieceRdd<Tuple2<Integer, Parcel>> sent) {
    ClassTag<Integer> keys = ClassTag$.MODULE$.apply(Integer.class);
    ClassTag<Parcel> parcels = ClassTag$.MODULE$.apply(Parcel.class);
    var shuffled = new ShuffledRDD<>(sent, new ToPiece(sent.pieces()), keys, parcels, parcels);
    return shuffled.setSerializer(new JavaSerializer(sent.context().conf()));
  }

  /** Returns the parcels for a piece in the order of the pieces that sent them. */
  static Stream<Parcel> arrived(List<?> delivered) {
    return delivered.stream()
        .map(t -> (Parcel) ((Tuple2<?, ?>) t)._2())
        .sorted(Comparator.comparingInt(Parcel::from));
  }

  /** Returns parcels for several pieces. */
  static Iterator<Tuple2<Integer, Parcel>> all(int from, Map<Integer, List<ArrayValue>> values) {
    return values.entrySet().stream().map(e -> of(from, e.getKey(), e.getValue())).iterator();
  }

  /** The key of a parcel is the number of the piece that it is for. */
  private static final class ToPiece extends Partitioner {
    private static final long serialVersionUID = 1L;
    private final int pieces;

    ToPiece(int pieces) {
      this.pieces = pieces;
    }

    @Override
    public int numPartitions() {
      return pieces;
    }

    @Override
    public int getPartition(Object key) {
      return (Integer) key;
    }
  }
}
