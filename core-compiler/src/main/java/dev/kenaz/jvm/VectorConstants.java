package dev.kenaz.jvm;

import java.lang.invoke.MethodHandles;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/** Makes the constants of generated code that move lanes from one vector to another. */
public final class VectorConstants {
  private VectorConstants() {}

  /**
   * Links a constant, as {@link java.lang.invoke} demands.
   *
   * @param name {@code shuffle} for the moves, {@code mask} for the lanes that get something
   * @param field the field of {@link Vectors} with the species
   * @param component which element of each row is moved into a vector of whole rows; or -1 if the
   *     first element of each row is moved from there
   * @param part the number of the vector of whole rows
   */
  public static Object moves(
      MethodHandles.Lookup lookup,
      String name,
      Class<?> type,
      String field,
      int stride,
      int component,
      int part)
      throws ReflectiveOperationException {
    var species = (VectorSpecies<?>) Vectors.class.getField(field).get(null);
    var from =
        component < 0
            ? taken(species.length(), stride, part)
            : put(species.length(), stride, component, part);
    return name.equals("mask") ? mask(species, from) : shuffle(species, from);
  }

  /** Returns from which lane of a part each lane comes; -1 if from none. */
  private static int[] taken(int lanes, int stride, int part) {
    boolean last = part == stride - 1;
    var from = new int[lanes];
    for (int j = 0; j < lanes; j++) {
      int element = stride * j;
      boolean here = element >= part * lanes && (last || element < (part + 1) * lanes);
      from[j] = here ? element - start(lanes, stride, part) : -1;
    }
    return from;
  }

  /**
   * Returns where a part begins that elements are taken from: the last one ends with the last
   * element, as memory may end there.
   */
  static int start(int lanes, int stride, int part) {
    return part == stride - 1 ? part * (lanes - 1) : part * lanes;
  }

  private static int[] put(int lanes, int stride, int component, int part) {
    var from = new int[lanes];
    for (int j = 0; j < lanes; j++) {
      int element = part * lanes + j;
      from[j] = element % stride == component ? element / stride : -1;
    }
    return from;
  }

  private static VectorMask<?> mask(VectorSpecies<?> species, int... from) {
    var bits = new boolean[from.length];
    for (int j = 0; j < from.length; j++) {
      bits[j] = from[j] >= 0;
    }
    return VectorMask.fromArray(species, bits, 0);
  }

  private static VectorShuffle<?> shuffle(VectorSpecies<?> species, int... from) {
    return VectorShuffle.fromOp(species, j -> Math.max(0, from[j]));
  }
}
