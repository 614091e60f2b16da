package dev.kenaz.jvm;

import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.DynamicConstantDesc;
import java.lang.invoke.MethodHandles;
import java.util.List;
import java.util.stream.Stream;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/**
 * Makes the constants of generated code that move lanes. The methods are bootstrap methods, as
 * {@link java.lang.invoke} demands.
 */
public final class VectorConstants {
  private static final ClassDesc SELF = ClassDesc.of("dev.kenaz.jvm.VectorConstants");

  private static final DirectMethodHandleDesc LANES =
      ConstantDescs.ofConstantBootstrap(
          SELF,
          "lanes",
          ConstantDescs.CD_Object,
          ConstantDescs.CD_String,
          ConstantDescs.CD_int.arrayType());

  private static final DirectMethodHandleDesc SPECIES =
      ConstantDescs.ofConstantBootstrap(
          SELF, "species", Vectors.SPECIES, ConstantDescs.CD_String, ConstantDescs.CD_int);

  private VectorConstants() {}

  // What generated code loads

  /**
   * Returns the constant that moves lanes of a vector.
   *
   * @param field the field of {@link Vectors} with a species of the elements' type
   * @param from from where each lane comes; there are as many lanes
   */
  static DynamicConstantDesc<?> shuffle(String field, List<Integer> from) {
    return constant("shuffle", Vectors.SHUFFLE, field, from.stream());
  }

  /**
   * Returns the constant that chooses lanes of a vector.
   *
   * @param field the field of {@link Vectors} with a species of the elements' type
   */
  static DynamicConstantDesc<?> mask(String field, List<Boolean> chosen) {
    return constant("mask", Vectors.MASK, field, chosen.stream().map(c -> c ? 1 : 0));
  }

  /**
   * Returns the constant with the species of vectors that have so many lanes.
   *
   * @param field the field of {@link Vectors} with a species of the elements' type
   */
  static DynamicConstantDesc<?> species(String field, int lanes) {
    return DynamicConstantDesc.ofNamed(SPECIES, "species", Vectors.SPECIES, field, lanes);
  }

  private static DynamicConstantDesc<?> constant(
      String name, ClassDesc type, String field, Stream<Integer> lanes) {
    var arguments = Stream.concat(Stream.of(field), lanes).toArray(ConstantDesc[]::new);
    return DynamicConstantDesc.ofNamed(LANES, name, type, arguments);
  }

  // What links it

  /**
   * Links a shuffle or a mask.
   *
   * @param name {@code shuffle} for moves of lanes, {@code mask} for a choice of lanes
   * @param lanes from where each lane comes, or 1 for each lane that is chosen and 0 for others
   */
  public static Object lanes(
      MethodHandles.Lookup lookup, String name, Class<?> type, String field, int... lanes)
      throws ReflectiveOperationException {
    var species = withLanes(field, lanes.length);
    return name.equals("mask") ? mask(species, lanes) : shuffle(species, lanes);
  }

  /** Links a species. */
  public static VectorSpecies<?> species(
      MethodHandles.Lookup lookup, String name, Class<?> type, String field, int lanes)
      throws ReflectiveOperationException {
    return withLanes(field, lanes);
  }

  private static VectorSpecies<?> withLanes(String field, int lanes)
      throws ReflectiveOperationException {
    var species = (VectorSpecies<?>) Vectors.class.getField(field).get(null);
    return VectorSpecies.of(
        species.elementType(), VectorShape.forBitSize(species.elementSize() * lanes));
  }

  private static VectorMask<?> mask(VectorSpecies<?> species, int... chosen) {
    var bits = new boolean[chosen.length];
    for (int j = 0; j < chosen.length; j++) {
      bits[j] = chosen[j] == 1;
    }
    return VectorMask.fromArray(species, bits, 0);
  }

  private static VectorShuffle<?> shuffle(VectorSpecies<?> species, int... from) {
    return VectorShuffle.fromOp(species, j -> from[j]);
  }
}
