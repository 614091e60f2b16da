package dev.kenaz.dataset;

import dev.kenaz.arrow.Progress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.apache.arrow.vector.VectorSchemaRoot;

/**
 * Reads all rows of a source before they are moved, because something must be known of all.
 *
 * @param threads how many parts are read at the same time
 * @param progress is told how far it is
 */
public record FirstPass(int threads, Progress progress) {

  /**
   * Returns what was found in each part, in their order.
   *
   * @param why what is looked for
   * @param begin makes what is found in a part
   * @param add adds rows
   */
  <T> List<T> over(
      RowSource source, String why, Supplier<T> begin, BiConsumer<T, VectorSchemaRoot> add) {
    while (true) {
      var found = new ArrayList<T>();
      for (int part = 0; part < source.parts(); part++) {
        found.add(begin.get());
      }
      try {
        var shown = shown(source, why);
        Parallel.each(
            source.parts(), threads, part -> read(source, part, found.get(part), add, shown));
        return found;
      } catch (RowSource.Contradiction _) {
        settle(source, progress);
      }
    }
  }

  /** Says that a pass begins, and returns what is told of the rows that it reads. */
  TransferProgress shown(RowSource source, String why) {
    progress.pass(why);
    return new TransferProgress(source, progress);
  }

  /** Looks at all lines of a source that has said otherwise than its first ones. */
  static void settle(RowSource source, Progress progress) {
    progress.pass("types of columns");
    source.settle();
  }

  private static <T> void read(
      RowSource source,
      int part,
      T found,
      BiConsumer<T, VectorSchemaRoot> add,
      TransferProgress shown) {
    try (var reader = source.open(part)) {
      for (var batch = reader.next(); batch != null; batch = reader.next()) {
        add.accept(found, batch);
        shown.add(part, batch.getRowCount(), reader.fraction());
      }
    }
  }
}
