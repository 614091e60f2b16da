package dev.kenaz.jvm;

import dev.kenaz.ir.ScalarOps;
import dev.kenaz.value.Prim;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * Emits vectors of integers of one or two bytes, and of bools in memory. In registers they are
 * vectors of i32 in normal form, as scalars are: loads extend them, stores cut them off, and
 * operators whose results may leave the type's range are followed by what {@link #wrap} emits. So
 * they have as many lanes as the other vectors of a loop. In a loop of shorts and bytes all are
 * vectors of shorts, and in one of bytes they are vectors of bytes: what fills its lanes wraps
 * around by itself.
 *
 * @param widest the number of bytes of the widest type of the loop's vectors
 */
record NarrowVectors(CodeBuilder code, int widest) {
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

  /** Whether vectors in registers are as those in memory. */
  private boolean fills(Prim prim) {
    return widest == prim.byteSize();
  }

  private ClassDesc carrier() {
    return Vectors.type(Prim.I32, widest);
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
   * Stores the vector on the stack, cut off.
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
    if (!fills(prim)) {
      boolean signed = prim.isSigned();
      convert(type(prim), (signed ? "" : "ZERO_EXTEND_") + letter(prim) + "2" + letter());
      code.getstatic(Vectors.SELF, Vectors.species(Prim.I32, widest), Vectors.SPECIES).iconst_0();
      shape(type(prim), carrier());
    }
  }

  /** Cuts off the vector that is to be stored. */
  private void cut(Prim prim) {
    if (!fills(prim)) {
      convert(carrier(), letter() + "2" + letter(prim));
      species(prim);
      code.iconst_0();
      shape(carrier(), type(prim));
    }
  }

  /** Returns the letter of the vectors in registers. */
  private String letter() {
    return widest == 2 ? "S" : "I";
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

  /** Whether as many elements as a row has fill a lane. */
  boolean pack(Prim prim, int stride) {
    return isNarrow(prim) && stride * prim.byteSize() == Math.min(4, widest);
  }

  /**
   * Leaves rows in lanes, which are so in memory, too.
   *
   * @param component leaves the vector of the elements with this number, of all rows
   */
  void packed(Prim prim, int stride, IntConsumer component) {
    for (int k = 0; k < stride; k++) {
      component.accept(k);
      if (prim.isSigned() && k < stride - 1) {
        wrap(ScalarOps.unsignedOf(prim));
      }
      if (k > 0) {
        lanewise("LSHL", BINARY, 8 * k * prim.byteSize());
        code.getstatic(Vectors.OPERATORS, "OR", ASSOCIATIVE).swap();
        var t = MethodTypeDesc.of(carrier(), BINARY, Vectors.VECTOR);
        code.invokevirtual(carrier(), "lanewise", t);
      }
    }
  }

  /** Brings the vector into the normal form of the type, which wraps around. */
  void wrap(Prim prim) {
    if (fills(prim)) {
      return;
    }
    switch (prim) {
      case U8 -> lanewise("AND", ASSOCIATIVE, 0xFF);
      case U16 -> lanewise("AND", ASSOCIATIVE, 0xFFFF);
      case I8, I16 -> {
        int bits = 8 * (Math.min(4, widest) - prim.byteSize());
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
        .invokevirtual(carrier(), name, MethodTypeDesc.of(carrier(), ConstantDescs.CD_int));
  }

  private void lanewise(String operator, ClassDesc kind, int operand) {
    var t = MethodTypeDesc.of(carrier(), BINARY, Vectors.lane(Prim.I32, widest));
    code.getstatic(Vectors.OPERATORS, operator, kind).loadConstant(operand);
    code.invokevirtual(carrier(), "lanewise", t);
  }
}
