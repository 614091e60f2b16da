package dev.kenaz.arrow;

import dev.kenaz.distribute.Cuts;
import dev.kenaz.distribute.LocalPieces;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.NativeLimit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * These are the pieces of datasets in Arrow files, for computing in one process. A piece is read
 * when it is asked for. As many as fit a part of the memory are kept; the others are read each
 * time.
 */
public final class ArrowPieces implements LocalPieces.Source {
  /** The part of the memory for arrays that pieces may take. */
  private static final int PART = 4;

  private final ParameterData data;
  private final List<Cuts> cuts;
  private final Map<Integer, List<ArrayValue>> kept = new HashMap<>();
  private long bytes;

  /**
   * @param cuts where the rows are cut, as {@link ParameterData#pieces} has it
   */
  public ArrowPieces(ParameterData data, List<Cuts> cuts) {
    this.data = data;
    this.cuts = List.copyOf(cuts);
  }

  /** Returns which rows each piece has, without those that are left out for nulls. */
  public List<Cuts> cuts() {
    return data.kept(cuts);
  }

  @Override
  public List<ArrayValue> columns(int piece) {
    var there = kept.get(piece);
    if (there != null) {
      return there;
    }
    var columns = data.read(cuts, piece);
    long size = columns.stream().mapToLong(c -> c.data().byteSize()).sum();
    if (bytes + size <= NativeLimit.limit() / PART) {
      bytes += size;
      kept.put(piece, columns);
    }
    return columns;
  }
}
