package dev.kenaz.jobs.measure;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.kenaz.value.Value;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/** This is a cell's function with its arguments, ready to be called again and again. */
interface CellFunction extends AutoCloseable {
  /**
   * Compiles the program of a cell.
   *
   * @param folder the folder from which paths start
   */
  static CellFunction of(ObjectNode settings, Path folder) {
    return settings.has("spark")
        ? SparkCell.of(settings, folder)
        : CellProgram.of(settings, folder);
  }

  /** Returns how long Kenaz took to compile. */
  double compileSeconds();

  List<Value> call();

  /** Returns how long the last call computed, if a device tells that better than a clock. */
  OptionalLong computeNanos();

  /** Says that results are not read any more. */
  void release(List<Value> results);

  /** Returns the function's own arguments, without those that a derivative takes beside them. */
  List<Value> ownArguments();

  /** Returns how much a call computes and moves, as far as it can be told. */
  default CellWork work(boolean counted) {
    return new CellWork(null, null);
  }

  /** Whether all that a call computes is computed in this process. */
  default boolean isHere() {
    return true;
  }

  @Override
  void close();
}
