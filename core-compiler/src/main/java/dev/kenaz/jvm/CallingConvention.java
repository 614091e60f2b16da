package dev.kenaz.jvm;

import dev.kenaz.loopir.Reg;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.List;

/**
 * How registers are passed to a method: as many as parameters as HotSpot can do, which costs the
 * least bytecode and no memory, the others in an array of bits.
 */
record CallingConvention(List<Reg> direct, List<Reg> array) {
  CallingConvention {
    direct = List.copyOf(direct);
    array = List.copyOf(array);
  }

  /** C2 compiles no method with many parameters on the stack ("unsupported calling sequence"). */
  private static final int MOST = 32;

  static CallingConvention of(List<Reg> regs) {
    int n = Math.min(regs.size(), MOST);
    return new CallingConvention(regs.subList(0, n), regs.subList(n, regs.size()));
  }

  /** Returns the type of a method that takes these parameters first. */
  MethodTypeDesc type(ClassDesc... first) {
    var params = new ArrayList<>(List.of(first));
    direct.forEach(r -> params.add(JvmKind.of(r.prim()).desc));
    return MethodTypeDesc.of(ConstantDescs.CD_void, params);
  }

  /** Emits code at the method's beginning that makes the parameters the registers. */
  void bind(ScalarCode scalars, int firstSlot, int arrayLocal) {
    bindDirect(scalars, firstSlot);
    for (int k = 0; k < array.size(); k++) {
      scalars.fromArray(arrayLocal, k, array.get(k));
    }
  }

  /** Emits the same code for only those registers that come as parameters. */
  void bindDirect(ScalarCode scalars, int firstSlot) {
    int slot = firstSlot;
    for (var reg : direct) {
      scalars.bindLocal(reg, slot);
      slot += JvmKind.of(reg.prim()).type.slotSize();
    }
  }

  /** Emits code in the caller that puts the parameters' values onto the stack. */
  void load(ScalarCode scalars) {
    direct.forEach(scalars::load);
  }
}
