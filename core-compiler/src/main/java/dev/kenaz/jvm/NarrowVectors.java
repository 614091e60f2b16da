package dev.kenaz.jvm;

import dev.kenaz.value.Prim;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.List;

/**
 * Emits vectors of integers of one or two bytes, and of bools in memory. In registers they are
 * vectors of i32 in normal form, as scalars are: loads extend them, stores cut them off, and
 * operators whose results may leave the type's range are followed by what {@link #wrap} emits. So
 * they have as many lanes as the other vectors of a loop.
 *
 * @param widest the number of bytes of the widest type of the loop's vectors
 */
record NarrowVectors(CodeBuilder code, int widest) {
  private static final ClassDesc INTS = Vectors.type(Prim.I32);
  private static final ClassDesc BINARY = Vectors.OPERATORS.nested("Binary");
  private static final ClassDesc ASSOCIATIVE = Vectors.OPERATORS.nested("Associative");
  private static final ClassDesc CONVERSION = Vectors.OPERATORS.nested("Conversion");

  private static final ClassDesc[] PLACE = {
    ClassDesc.of("java.lang.foreign.MemorySegment"),
    ConstantDescs.CD_long,
    ClassDesc.of("java.nio.ByteOrder")
  };

  /** The smallest vectors that HotSpot knows have so many bytes. */
  private static final int LEAST_BYTES = 8;

  /** Half such a vector is read and written as one int. */
  private static final int HALF_BYTES = 4;

  /** Whether the type is one of these integers. */
  static boolean isNarrow(Prim prim) {
    return prim.isInteger() && prim.byteSize() < 4;
  }

  /**
   * Whether elements of so many bytes fill a vector in memory that HotSpot knows, or half of one.
   */
  static boolean exist(int elementBytes, int widest) {
    int bytes = Vectors.lanes(widest) * elementBytes;
    return bytes >= LEAST_BYTES || elementBytes == 1 && bytes == HALF_BYTES;
  }

  private boolean half(Prim prim) {
    return Vectors.lanes(widest) * prim.byteSize() < LEAST_BYTES;
  }

  /**
   * Loads a vector of the type and extends it.
   *
   * @param place leaves a segment, the offset and the order of bytes
   */
  void load(Prim prim, Runnable place) {
    if (half(prim)) {
      place.run();
      code.invokestatic(Vectors.SELF, "halfOfBytes", MethodTypeDesc.of(type(prim), PLACE));
    } else {
      species(prim);
      place.run();
      var all = List.<ClassDesc>of(Vectors.SPECIES, PLACE[0], PLACE[1], PLACE[2]);
      code.invokestatic(type(prim), "fromMemorySegment", MethodTypeDesc.of(type(prim), all));
    }
    extend(prim);
  }

  /**
   * Does the same where a mask holds; vectors are long.
   *
   * @param mask leaves the mask for i32
   */
  void load(Prim prim, Runnable place, Runnable mask) {
    species(prim);
    place.run();
    mask.run();
    species(prim);
    code.invokevirtual(Vectors.MASK, "cast", MethodTypeDesc.of(Vectors.MASK, Vectors.SPECIES));
    var all = List.<ClassDesc>of(Vectors.SPECIES, PLACE[0], PLACE[1], PLACE[2], Vectors.MASK);
    code.invokestatic(type(prim), "fromMemorySegment", MethodTypeDesc.of(type(prim), all));
    extend(prim);
  }

  /**
   * Stores the vector of ints on the stack, cut off.
   *
   * @param place leaves a segment, the offset and the order of bytes
   */
  void store(Prim prim, Runnable place) {
    cut(prim);
    place.run();
    if (half(prim)) {
      var all = List.<ClassDesc>of(type(prim), PLACE[0], PLACE[1], PLACE[2]);
      var t = MethodTypeDesc.of(ConstantDescs.CD_void, all);
      code.invokestatic(Vectors.SELF, "storeHalfOfBytes", t);
    } else {
      var t = MethodTypeDesc.of(ConstantDescs.CD_void, PLACE);
      code.invokevirtual(type(prim), "intoMemorySegment", t);
    }
  }

  /** Leaves the species of vectors in memory. */
  private void species(Prim prim) {
    code.getstatic(Vectors.SELF, Vectors.narrowSpecies(prim, widest), Vectors.SPECIES);
  }

  private static ClassDesc type(Prim prim) {
    return ClassDesc.of(
        "jdk.incubator.vector." + (prim.byteSize() == 1 ? "ByteVector" : "ShortVector"));
  }

  /** Extends the vector that was loaded. */
  private void extend(Prim prim) {
    boolean signed = prim.isSigned();
    convert(type(prim), (signed ? "" : "ZERO_EXTEND_") + letter(prim) + "2I");
    code.getstatic(Vectors.SELF, Vectors.species(Prim.I32, widest), Vectors.SPECIES).iconst_0();
    shape(type(prim), INTS);
  }

  /** Cuts off the vector of ints that is to be stored. */
  private void cut(Prim prim) {
    convert(INTS, "I2" + letter(prim));
    species(prim);
    code.iconst_0();
    shape(INTS, type(prim));
  }

  private static String letter(Prim prim) {
    return prim.byteSize() == 1 ? "B" : "S";
  }

  private void convert(ClassDesc from, String conversion) {
    code.checkcast(from).getstatic(Vectors.OPERATORS, conversion, CONVERSION);
  }

  private void shape(ClassDesc from, ClassDesc to) {
    var t = MethodTypeDesc.of(Vectors.VECTOR, CONVERSION, Vectors.SPECIES, ConstantDescs.CD_int);
    code.invokevirtual(from, "convertShape", t).checkcast(to);
  }

  /** Brings ints into the normal form of the type, which wraps around. */
  void wrap(Prim prim) {
    switch (prim) {
      case U8 -> lanewise("AND", ASSOCIATIVE, 0xFF);
      case U16 -> lanewise("AND", ASSOCIATIVE, 0xFFFF);
      case I8, I16 -> {
        int bits = 32 - 8 * prim.byteSize();
        lanewise("LSHL", BINARY, bits);
        lanewise("ASHR", BINARY, bits);
      }
      default -> {}
    }
  }

  /**
   * Brings ints that were floats into the normal form of the type: they are truncated and
   * saturated, but negative ones wrap around in an unsigned type.
   */
  void saturate(Prim prim) {
    int bits = 8 * prim.byteSize();
    if (prim.isSigned()) {
      least("min", (1 << bits - 1) - 1);
      least("max", -(1 << bits - 1));
    } else {
      least("min", (1 << bits) - 1);
      wrap(prim);
    }
  }

  private void least(String name, int limit) {
    code.loadConstant(limit)
        .invokevirtual(INTS, name, MethodTypeDesc.of(INTS, ConstantDescs.CD_int));
  }

  private void lanewise(String operator, ClassDesc kind, int operand) {
    code.getstatic(Vectors.OPERATORS, operator, kind).loadConstant(operand);
    code.invokevirtual(INTS, "lanewise", MethodTypeDesc.of(INTS, BINARY, ConstantDescs.CD_int));
  }
}
