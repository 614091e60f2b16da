package dev.kenaz.jvm;

import dev.kenaz.value.Prim;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * Emits vectors of every second, third or fourth element in memory: neighbouring elements are
 * loaded and stored, and moved from lane to lane. Processors do that faster than accesses of single
 * elements.
 */
final class StridedVectors {
  private final CodeBuilder code;
  private final String species;
  private final ClassDesc type;
  private final StridedLanes lanes;

  /**
   * Emits vectors of one type and stride.
   *
   * @param prim the elements' type; of which vectors are {@link Vectors#carrier carriers}
   * @param widest the number of bytes of the widest type of the loop's vectors
   * @param stride the distance of elements
   */
  StridedVectors(CodeBuilder code, Prim prim, int widest, int stride) {
    this.code = code;
    this.species = Vectors.species(prim, widest);
    this.type = Vectors.type(prim, widest);
    this.lanes = new StridedLanes(Vectors.lanes(widest), stride);
  }

  /**
   * Leaves the vector of the elements from some place on.
   *
   * @param neighbours leaves the vector of neighbouring elements from so many elements after that
   */
  void load(IntConsumer neighbours) {
    var windows = lanes.windows();
    for (var w : windows) {
      neighbours.accept(w.start());
      if (w != windows.getFirst()) {
        takeWhere(w.taken());
      }
    }
    move(lanes.order(windows));
  }

  /** Moves the lanes of the vector on the stack to where {@link #rows} takes them. */
  void spread(int component) {
    move(lanes.spread(component));
  }

  /**
   * Leaves the neighbouring elements that a vector of whole rows has.
   *
   * @param part how many such vectors come before it
   * @param component leaves the vector of the elements with this number, of all rows, spread
   */
  void rows(int part, IntConsumer component) {
    for (int k = 0; k < lanes.stride(); k++) {
      component.accept(k);
      if (k > 0) {
        takeWhere(lanes.taken(part, k));
      }
    }
    move(lanes.settled(part));
  }

  /** Puts lanes of the vector on the stack into the vector below. */
  private void takeWhere(List<Boolean> taken) {
    code.loadConstant(VectorConstants.mask(species, taken));
    code.invokevirtual(type, "blend", MethodTypeDesc.of(type, Vectors.VECTOR, Vectors.MASK));
  }

  /** Moves the lanes of the vector on the stack. */
  private void move(List<Integer> from) {
    if (!StridedLanes.stay(from)) {
      code.loadConstant(VectorConstants.shuffle(species, from));
      code.invokevirtual(type, "rearrange", MethodTypeDesc.of(type, Vectors.SHUFFLE));
    }
  }
}
