package dev.kenaz.jvm;

import dev.kenaz.value.Prim;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.DynamicConstantDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.function.IntConsumer;

/**
 * Emits vectors of every second, third or fourth element in memory: neighbouring elements are
 * loaded and stored, and moved from lane to lane. Processors do that faster than accesses of single
 * elements.
 *
 * @param prim the elements' type, of four bytes or eight
 * @param widest the number of bytes of the widest type of the loop's vectors
 * @param stride the distance of elements
 */
record StridedVectors(CodeBuilder code, Prim prim, int widest, int stride) {
  private static final DirectMethodHandleDesc MOVES =
      ConstantDescs.ofConstantBootstrap(
          ClassDesc.of("dev.kenaz.jvm.VectorConstants"),
          "moves",
          ConstantDescs.CD_Object,
          ConstantDescs.CD_String,
          ConstantDescs.CD_int,
          ConstantDescs.CD_int,
          ConstantDescs.CD_int);

  /**
   * Leaves the vector of the elements from some place on.
   *
   * @param neighbours leaves the vector of neighbouring elements from so many elements after that
   */
  void load(IntConsumer neighbours) {
    for (int part = 0; part < stride; part++) {
      neighbours.accept(VectorConstants.start(Vectors.lanes(widest), stride, part));
      moved(-1, part, part > 0);
    }
  }

  /**
   * Leaves the neighbouring elements that a vector of whole rows has.
   *
   * @param part how many such vectors come before it
   * @param component leaves the vector of the elements with this number, of all rows
   */
  void rows(int part, IntConsumer component) {
    for (int k = 0; k < stride; k++) {
      component.accept(k);
      moved(k, part, k > 0);
    }
  }

  /** Moves the lanes of the vector on the stack, perhaps into that below. */
  private void moved(int component, int part, boolean into) {
    var type = Vectors.type(prim);
    code.loadConstant(constant("shuffle", Vectors.SHUFFLE, component, part));
    code.invokevirtual(type, "rearrange", MethodTypeDesc.of(type, Vectors.SHUFFLE));
    if (into) {
      code.loadConstant(constant("mask", Vectors.MASK, component, part));
      code.invokevirtual(type, "blend", MethodTypeDesc.of(type, Vectors.VECTOR, Vectors.MASK));
    }
  }

  private DynamicConstantDesc<?> constant(String name, ClassDesc type, int component, int part) {
    var species = Vectors.species(prim, widest);
    return DynamicConstantDesc.ofNamed(MOVES, name, type, species, stride, component, part);
  }
}
