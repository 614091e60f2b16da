package dev.kenaz.dataset;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.apache.arrow.vector.VectorSchemaRoot;

/** Reads all rows of a source before they are moved, because something must be known of all. */
final class FirstPass {
  private FirstPass() {}

  /**
   * Returns what was found in each part, in their order.
   *
   * @param begin makes what is found in a part
   * @param add adds rows
   * @param threads how many parts are read at the same time
   */
  static <T> List<T> of(
      RowSource source, Supplier<T> begin, BiConsumer<T, VectorSchemaRoot> add, int threads) {
    while (true) {
      var found = new ArrayList<T>();
      for (int part = 0; part < source.parts(); part++) {
        found.add(begin.get());
      }
      try {
        Parallel.each(source.parts(), threads, part -> read(source, part, found.get(part), add));
        return found;
      } catch (RowSource.Contradiction _) {
        source.settle();
      }
    }
  }

  private static <T> void read(
      RowSource source, int part, T found, BiConsumer<T, VectorSchemaRoot> add) {
    try (var reader = source.open(part)) {
      for (var batch = reader.next(); batch != null; batch = reader.next()) {
        add.accept(found, batch);
      }
    }
  }
}
