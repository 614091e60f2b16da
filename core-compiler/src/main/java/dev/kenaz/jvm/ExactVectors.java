package dev.kenaz.jvm;

import dev.kenaz.value.Prim;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.HashMap;
import java.util.Map;

/**
 * Loads vectors and masks so that HotSpot knows their classes, such as that of eight doubles.
 *
 * <p>An operation of a vector whose class isn't known is a call of a virtual method, and its
 * operands and its result are objects. HotSpot knows the class of what an operation has just made,
 * but not that of a local where several paths meet, as at the top of a loop. There it would believe
 * what it has seen so far, and check that, but only if few checks of the methods of the Vector API
 * have failed before, in any program of the process and in any library that uses this API. So the
 * first load after paths have met casts to the class. The classes aren't public, so that the cast
 * can't name them; but {@code Class.cast} of a constant is the same to HotSpot's second compiler.
 */
final class ExactVectors {
  private static final ClassDesc CLASS = ConstantDescs.CD_Class;
  private static final MethodTypeDesc CAST =
      MethodTypeDesc.of(ConstantDescs.CD_Object, ConstantDescs.CD_Object);

  private final CodeBuilder code;
  private final int widest;

  /**
   * The locals that hold the same with its class known. What a cast leaves has a local of its own:
   * a loop must not set what doesn't change in it, or HotSpot makes objects of it again.
   */
  private final Map<Integer, Integer> known = new HashMap<>();

  private final Map<Integer, Integer> casts = new HashMap<>();

  private int meetings;

  /**
   * Starts where no class is known.
   *
   * @param widest the number of bytes of the widest type of the loop's vectors
   */
  ExactVectors(CodeBuilder code, int widest) {
    this.code = code;
    this.widest = widest;
  }

  /** Returns how often paths have met so far. */
  int meetings() {
    return meetings;
  }

  /** Several paths meet here, or what follows may run again. */
  void meet() {
    known.clear();
    meetings++;
  }

  /** Moves what an operation has made from the stack to a local. */
  void store(int local) {
    code.astore(local);
    known.put(local, local);
  }

  /** Loads a vector of the type. */
  void vector(int local, Prim prim) {
    load(local, prim, "_CLASS", Vectors.type(prim, widest));
  }

  /** Loads a mask for vectors of the type. */
  void mask(int local, Prim prim) {
    load(local, prim, "_MASK", Vectors.MASK);
  }

  private void load(int local, Prim prim, String suffix, ClassDesc type) {
    var same = known.get(local);
    if (same != null) {
      code.aload(same);
      return;
    }
    code.getstatic(Vectors.SELF, Vectors.species(prim, widest) + suffix, CLASS);
    code.aload(local).invokevirtual(CLASS, "cast", CAST).checkcast(type).dup();
    int cast = casts.computeIfAbsent(local, _ -> code.allocateLocal(TypeKind.REFERENCE));
    code.astore(cast);
    known.put(local, cast);
  }

  /** Does the same for a vector on the stack that several paths may have left there. */
  static void onStack(CodeBuilder code, Prim prim, int widest) {
    code.getstatic(Vectors.SELF, Vectors.species(prim, widest) + "_CLASS", CLASS).swap();
    code.invokevirtual(CLASS, "cast", CAST).checkcast(Vectors.type(prim, widest));
  }
}
