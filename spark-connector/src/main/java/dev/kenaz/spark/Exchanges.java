package dev.kenaz.spark;

import dev.kenaz.distribute.Cuts;
import dev.kenaz.distribute.RowFiles;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.rdd.RDD;
import org.apache.spark.storage.StorageLevel;
import scala.Tuple2;

/**
 * Moves rows between pieces by Spark's shuffle. What a piece has for itself isn't shuffled. No job
 * runs: what is made is computed when something needs it.
 */
record Exchanges(SparkRunner runner, int pieces) {
  /** Brings rows to the pieces that the move says. */
  PieceRdd<Piece> moved(List<Piece.Rows> values, RowsMoved.Move move) {
    var reads = Piece.Reads.of(values);
    var sent = delivered(reads.datasets(), new RowsMoved.Sent(move, reads.where()));
    return kept(reads.datasets(), sent, new RowsMoved.Arrived(move, reads.where()));
  }

  /** Brings all rows to all pieces, which take those of their numbers. */
  PieceRdd<Piece> sent(Piece.Rows from, Cuts source, Piece.Rows index) {
    var rows = Piece.Reads.of(List.of(from));
    var both = Piece.Reads.of(List.of(from, index));
    var sent = delivered(rows.datasets(), new RowsFetched.Sent(pieces, rows.where()));
    return kept(both.datasets(), sent, new RowsFetched.Read(source, both.where()));
  }

  /** Brings rows by their numbers. */
  PieceRdd<Piece> fetched(Piece.Rows from, Cuts source, Piece.Rows index) {
    var numbers = Piece.Reads.of(List.of(index));
    var rows = Piece.Reads.of(List.of(from));
    var both = Piece.Reads.of(List.of(from, index));
    var asked = delivered(numbers.datasets(), new RowsFetched.Asked(source, numbers.where()));
    var answered =
        delivered(with(rows.datasets(), asked), new RowsFetched.Answered(source, rows.where()));
    return kept(both.datasets(), answered, new RowsFetched.Arrived(source, both.where()));
  }

  /** Returns the same rows from a shuffle, so that tasks needn't know how they were computed. */
  PieceRdd<Piece> shuffled(PieceRdd<Piece> rows) {
    var sent = delivered(List.of(rows), new RowsMoved.ToItself());
    var again = made(List.<RDD<?>>of(sent), new Piece.Making(new RowsMoved.FromItself()));
    return kept(again, List.of(rows));
  }

  /** Returns rows that were written by each piece. */
  PieceRdd<Piece> read(RowFiles from) {
    var read = made(List.<RDD<?>>of(), new Piece.FromFiles(from));
    read.persist(StorageLevel.MEMORY_AND_DISK());
    return read;
  }

  private RDD<?> delivered(
      List<? extends RDD<?>> parents, PieceRdd.Work<Tuple2<Integer, Parcel>> work) {
    return Parcel.delivered(made(parents, new Parcel.Sending(work, pieces)));
  }

  private PieceRdd<Piece> kept(
      List<PieceRdd<Piece>> reads, RDD<?> sent, PieceRdd.Work<Piece> work) {
    return kept(made(with(reads, sent), new Piece.Making(work)), reads);
  }

  private static PieceRdd<Piece> kept(PieceRdd<Piece> made, List<PieceRdd<Piece>> reads) {
    made.persist(StorageLevel.MEMORY_AND_DISK());
    made.waitsFor(reads);
    return made;
  }

  private static List<RDD<?>> with(List<PieceRdd<Piece>> datasets, RDD<?> last) {
    var all = new ArrayList<RDD<?>>(datasets);
    all.add(last);
    return all;
  }

  private <T> PieceRdd<T> made(List<? extends RDD<?>> parents, PieceRdd.Work<T> work) {
    return new PieceRdd<>(runner.context(), pieces, parents, work, List.of());
  }
}
