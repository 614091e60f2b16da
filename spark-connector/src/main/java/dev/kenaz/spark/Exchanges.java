package dev.kenaz.spark;

import dev.kenaz.distribute.Cuts;
import dev.kenaz.distribute.RowFiles;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.rdd.RDD;
import org.apache.spark.storage.StorageLevel;

/**
 * Moves rows between pieces by Spark's shuffle. What a piece has for itself isn't shuffled. No job
 * runs: what is made is computed when something needs it.
 */
record Exchanges(SparkRunner runner, int pieces) {
  /** Brings rows to the pieces that the move says. */
  PieceRdd<Piece> moved(List<Piece.Rows> values, RowsMoved.Move move) {
    var reads = Piece.Reads.of(values);
    var sent = Parcel.delivered(made(reads.datasets(), new RowsMoved.Sent(move, reads.where())));
    return kept(reads, sent, new RowsMoved.Arrived(move, reads.where()));
  }

  /** Brings rows by their numbers. */
  PieceRdd<Piece> fetched(Piece.Rows from, Cuts source, Piece.Rows index) {
    var numbers = Piece.Reads.of(List.of(index));
    var rows = Piece.Reads.of(List.of(from));
    var both = Piece.Reads.of(List.of(from, index));
    var asked = made(numbers.datasets(), new RowsFetched.Asked(source, numbers.where()));
    var answered =
        made(
            with(rows.datasets(), Parcel.delivered(asked)),
            new RowsFetched.Answered(source, rows.where()));
    var arrived = new RowsFetched.Arrived(source, both.where());
    return kept(both, Parcel.delivered(answered), arrived);
  }

  /** Returns the same rows from a shuffle, so that tasks needn't know how they were computed. */
  PieceRdd<Piece> shuffled(PieceRdd<Piece> rows) {
    var sent = Parcel.delivered(made(List.of(rows), new RowsMoved.ToItself()));
    var again = made(List.<RDD<?>>of(sent), new RowsMoved.FromItself());
    again.persist(StorageLevel.MEMORY_AND_DISK());
    return again;
  }

  /** Returns rows that were written by each piece. */
  PieceRdd<Piece> read(RowFiles from) {
    var read = made(List.<RDD<?>>of(), new Piece.FromFiles(from));
    read.persist(StorageLevel.MEMORY_AND_DISK());
    return read;
  }

  private PieceRdd<Piece> kept(Piece.Reads reads, RDD<?> sent, PieceRdd.Work<Piece> work) {
    var arrived = made(with(reads.datasets(), sent), work);
    arrived.persist(StorageLevel.MEMORY_AND_DISK());
    arrived.waitsFor(reads.datasets());
    return arrived;
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
