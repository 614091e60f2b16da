package dev.kenaz.jvm;

import dev.kenaz.value.Prim;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;
import java.util.stream.Stream;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.Vector;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/**
 * These are the vector shapes that generated code uses. All vectors of a loop have the same number
 * of lanes: as many as fit for its widest type. {@code FULL} is for loops of four-byte types only;
 * with eight-byte types around, four-byte ones use half the register. {@code ALL} is for loops of
 * nothing but bytes, or nothing longer than shorts.
 */
public final class Vectors {
  public static final VectorSpecies<Double> F64 = DoubleVector.SPECIES_PREFERRED;
  public static final VectorSpecies<Long> I64 = LongVector.SPECIES_PREFERRED;
  public static final VectorSpecies<Float> F32_FULL = FloatVector.SPECIES_PREFERRED;
  public static final VectorSpecies<Integer> I32_FULL = IntVector.SPECIES_PREFERRED;

  /** As many elements as tiles of {@link RegisterTiles} have rows. */
  public static final VectorSpecies<Double> F64_ROWS = VectorSpecies.of(double.class, rows(8));

  public static final VectorSpecies<Float> F32_ROWS = VectorSpecies.of(float.class, rows(4));

  private static final VectorShape HALF = VectorShape.forBitSize(F64.vectorBitSize() / 2);
  public static final VectorSpecies<Float> F32_HALF = VectorSpecies.of(float.class, HALF);
  public static final VectorSpecies<Integer> I32_HALF = VectorSpecies.of(int.class, HALF);

  /** Vectors of bytes or shorts with as many lanes as others; null if there are none so short. */
  public static final VectorSpecies<Byte> I8_FULL = bytes(F64.length() * 2);

  /** The same for loops with eight-byte types. */
  public static final VectorSpecies<Byte> I8_HALF = bytes(F64.length());

  /** Vectors of nothing but bytes, or of nothing longer than shorts. */
  public static final VectorSpecies<Byte> I8_ALL = bytes(F64.vectorByteSize());

  public static final VectorSpecies<Short> I16_ALL =
      VectorSpecies.of(short.class, F64.vectorShape());

  /** As many bytes as there are shorts. */
  public static final VectorSpecies<Byte> I8_AS_I16 = bytes(F64.vectorByteSize() / 2);

  public static final VectorSpecies<Short> I16_FULL = narrow(short.class, F64.length() * 32);
  public static final VectorSpecies<Short> I16_HALF = narrow(short.class, F64.length() * 16);

  /** All memory, for vector accesses; see {@link NativeMemory#ALL}. */
  public static final MemorySegment ALL = NativeMemory.ALL;

  public static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;

  /**
   * The number 1, which HotSpot doesn't know to be constant. A loop that advances by it stays as it
   * is. HotSpot would make three loops of one that advances by a constant, and the work before the
   * main one takes longer than a few iterations.
   */
  static long one = 1;

  public static final Class<?> F64_CLASS = F64.zero().getClass();
  public static final Class<?> I64_CLASS = I64.zero().getClass();
  public static final Class<?> F32_FULL_CLASS = F32_FULL.zero().getClass();
  public static final Class<?> I32_FULL_CLASS = I32_FULL.zero().getClass();
  public static final Class<?> F32_HALF_CLASS = F32_HALF.zero().getClass();
  public static final Class<?> I32_HALF_CLASS = I32_HALF.zero().getClass();

  public static final Class<?> I8_ALL_CLASS = I8_ALL.zero().getClass();
  public static final Class<?> I16_ALL_CLASS = I16_ALL.zero().getClass();

  public static final Class<?> F64_MASK = F64.maskAll(true).getClass();
  public static final Class<?> I64_MASK = I64.maskAll(true).getClass();
  public static final Class<?> F32_FULL_MASK = F32_FULL.maskAll(true).getClass();
  public static final Class<?> I32_FULL_MASK = I32_FULL.maskAll(true).getClass();
  public static final Class<?> F32_HALF_MASK = F32_HALF.maskAll(true).getClass();
  public static final Class<?> I32_HALF_MASK = I32_HALF.maskAll(true).getClass();

  public static final Class<?> I8_ALL_MASK = I8_ALL.maskAll(true).getClass();
  public static final Class<?> I16_ALL_MASK = I16_ALL.maskAll(true).getClass();

  public static final VectorShuffle<Double> REVERSE_F64 = reverse(F64);
  public static final VectorShuffle<Long> REVERSE_I64 = reverse(I64);
  public static final VectorShuffle<Float> REVERSE_F32_FULL = reverse(F32_FULL);
  public static final VectorShuffle<Integer> REVERSE_I32_FULL = reverse(I32_FULL);
  public static final VectorShuffle<Float> REVERSE_F32_HALF = reverse(F32_HALF);
  public static final VectorShuffle<Integer> REVERSE_I32_HALF = reverse(I32_HALF);

  public static final VectorShuffle<Byte> REVERSE_I8_ALL = reverse(I8_ALL);
  public static final VectorShuffle<Short> REVERSE_I16_ALL = reverse(I16_ALL);

  /**
   * The lanes of two vectors in turns, as {@code selectFrom} wants them: what becomes the first
   * vector, and the second one.
   */
  public static final DoubleVector LOW_F64 = (DoubleVector) zip(F64, 0);

  public static final DoubleVector HIGH_F64 = (DoubleVector) zip(F64, 1);
  public static final FloatVector LOW_F32 = (FloatVector) zip(F32_FULL, 0);
  public static final FloatVector HIGH_F32 = (FloatVector) zip(F32_FULL, 1);

  private static final String PACKAGE = "jdk.incubator.vector.";
  static final ClassDesc SELF = ClassDesc.of("dev.kenaz.jvm.Vectors");
  static final ClassDesc SPECIES = ClassDesc.of(PACKAGE + "VectorSpecies");
  static final ClassDesc SHUFFLE = ClassDesc.of(PACKAGE + "VectorShuffle");
  static final ClassDesc VECTOR = ClassDesc.of(PACKAGE + "Vector");
  static final ClassDesc MASK = ClassDesc.of(PACKAGE + "VectorMask");
  static final ClassDesc OPERATORS = ClassDesc.of(PACKAGE + "VectorOperators");

  private static final ValueLayout.OfInt FOUR_BYTES = ValueLayout.JAVA_INT_UNALIGNED;

  private Vectors() {}

  /** Returns a vector of eight bytes, the first four of which were read from there. */
  public static ByteVector halfOfBytes(MemorySegment memory, long at, ByteOrder order) {
    int four = memory.get(FOUR_BYTES, at);
    return IntVector.broadcast(IntVector.SPECIES_64, four).reinterpretAsBytes();
  }

  /** Writes the first four of eight bytes. */
  public static void storeHalfOfBytes(
      ByteVector bytes, MemorySegment memory, long at, ByteOrder order) {
    memory.set(FOUR_BYTES, at, bytes.reinterpretAsInts().lane(0));
  }

  /** Four bytes are half of a vector of eight. */
  private static VectorSpecies<Byte> bytes(int lanes) {
    return narrow(byte.class, lanes == 4 ? 64 : lanes * 8);
  }

  private static <E> VectorSpecies<E> narrow(Class<E> element, int bits) {
    return bits < 64 ? null : VectorSpecies.of(element, VectorShape.forBitSize(bits));
  }

  private static VectorShape rows(int size) {
    return VectorShape.forBitSize(RegisterTiles.ROWS * size * Byte.SIZE);
  }

  /** Returns the places of a zip's part; those in the second vector are negative. */
  private static <E> Vector<E> zip(VectorSpecies<E> species, int part) {
    return VectorShuffle.makeZip(species, part).toVector();
  }

  private static <E> VectorShuffle<E> reverse(VectorSpecies<E> species) {
    return species.iotaShuffle(species.length() - 1, -1, false);
  }

  /** Whether the type has vectors. */
  static boolean supports(Prim prim) {
    return switch (prim) {
      case F64, F32, I64, U64, I32, U32, I8, I16, U8, U16 -> true;
      case BOOL, F16 -> false;
    };
  }

  /** Returns the number of lanes of a loop whose widest type has so many bytes. */
  static int lanes(int widest) {
    return F64.vectorByteSize() / widest;
  }

  /** Whether this machine's longest vectors may be of bytes and shorts, too. */
  static boolean areNarrow() {
    return ByteVector.SPECIES_PREFERRED.vectorByteSize() == F64.vectorByteSize();
  }

  /**
   * Returns the type whose vectors hold values of the type. Integers of one or two bytes, and
   * bools, are held as i32, unless the loop has nothing wider than they are.
   *
   * @param widest the number of bytes of the widest type of the loop's vectors
   */
  static Prim carrier(Prim prim, int widest) {
    return switch (prim) {
      case F64, F32 -> prim;
      case I64, U64 -> Prim.I64;
      case I32, U32, I8, I16, U8, U16, BOOL ->
          widest == 1 ? Prim.I8 : widest == 2 ? Prim.I16 : Prim.I32;
      case F16 -> throw new IllegalArgumentException(prim.toString());
    };
  }

  /** Returns the field of this class with the type's shape. */
  static String species(Prim prim, int widest) {
    if (widest < 4) {
      return carrier(prim, widest) == Prim.I8 ? "I8_ALL" : "I16_ALL";
    }
    return switch (prim) {
      case F64 -> "F64";
      case I64, U64 -> "I64";
      case F32 -> widest == 8 ? "F32_HALF" : "F32_FULL";
      case I32, U32, I8, I16, U8, U16 -> widest == 8 ? "I32_HALF" : "I32_FULL";
      case BOOL, F16 -> throw new IllegalArgumentException(prim.toString());
    };
  }

  /** Returns the field with the shape of one- or two-byte elements in memory. */
  static String narrowSpecies(Prim prim, int widest) {
    if (widest < 4) {
      return prim.byteSize() == widest ? species(prim, widest) : "I8_AS_I16";
    }
    return (prim.byteSize() == 1 ? "I8" : "I16") + (widest == 8 ? "_HALF" : "_FULL");
  }

  /** Returns the class of the type's vectors in loops with types of at least four bytes. */
  static ClassDesc type(Prim prim) {
    return type(prim, 4);
  }

  /** Returns the class of the type's vectors. */
  static ClassDesc type(Prim prim, int widest) {
    return ClassDesc.of(
        PACKAGE
            + switch (carrier(prim, widest)) {
              case F64 -> "DoubleVector";
              case I64 -> "LongVector";
              case F32 -> "FloatVector";
              case I32 -> "IntVector";
              case I16 -> "ShortVector";
              case I8 -> "ByteVector";
              case U64, U32, U16, U8, BOOL, F16 ->
                  throw new IllegalArgumentException(prim.toString());
            });
  }

  /** Returns the type that the vectors' methods have for a single lane. */
  static ClassDesc lane(Prim prim, int widest) {
    return switch (carrier(prim, widest)) {
      case I8 -> ConstantDescs.CD_byte;
      case I16 -> ConstantDescs.CD_short;
      default -> JvmKind.of(prim).desc;
    };
  }

  /** Returns how many bits the longest vectors of each type have on this machine. */
  static List<Integer> sizes() {
    return Stream.of(F64, I64, F32_FULL, I32_FULL).map(VectorSpecies::vectorBitSize).toList();
  }
}
