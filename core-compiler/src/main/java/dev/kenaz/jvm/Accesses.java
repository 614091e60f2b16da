package dev.kenaz.jvm;

import dev.kenaz.error.Span;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Slot;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;

/**
 * Emits how a method's code accesses memory: in normal mode an address is a place in native memory,
 * and nothing is emitted to find it; where accesses are checked, {@link CheckedMemory} finds the
 * place.
 */
final class Accesses {
  private static final ClassDesc CHECKED = ClassDesc.of("dev.kenaz.jvm.CheckedMemory");
  private static final ClassDesc L = ConstantDescs.CD_long;
  private static final ClassDesc I = ConstantDescs.CD_int;
  private static final ClassDesc V = ConstantDescs.CD_void;
  private static final MethodTypeDesc PLACE = MethodTypeDesc.of(L, L, I, MethodCode.CONTEXT, I);

  private final CodeBuilder code;
  private final EntryClass owner;
  private Code statement;
  private Span source = Span.NONE;

  Accesses(CodeBuilder code, EntryClass owner) {
    this.code = code;
    this.owner = owner;
  }

  private boolean checked() {
    return owner.options().checks();
  }

  /** Notes the statement that the following code belongs to. */
  void in(Code c) {
    statement = c;
    var known = owner.source(c);
    source = known.known() ? known : source;
  }

  /** Replaces the address on the stack by the place of so many bytes to be read. */
  void read(int bytes) {
    place("read", () -> code.loadConstant(bytes));
  }

  /** Replaces the address on the stack by the place of so many bytes to be written. */
  void write(int bytes) {
    place("write", () -> code.loadConstant(bytes));
  }

  /**
   * Replaces the address on the stack by a place.
   *
   * @param bytes loads how many bytes are accessed
   */
  void place(String how, Runnable bytes) {
    if (checked()) {
      bytes.run();
      site("");
      code.invokestatic(CHECKED, how, PLACE);
    }
  }

  /** Loads the context and the number of the place in the program. */
  private void site(String what) {
    code.aload(0).loadConstant(owner.place(what, statement, source));
  }

  /**
   * Returns the number that checked code has in its place, as it may be the address of an array in
   * the code.
   */
  long constant(long value) {
    return checked() ? owner.constant(value) : value;
  }

  /** Copies memory, with {@code to, from, bytes} on the stack. */
  void copy() {
    if (checked()) {
      site("");
      code.invokestatic(CHECKED, "copy", MethodTypeDesc.of(V, L, L, L, MethodCode.CONTEXT, I));
    } else {
      code.invokestatic(
          ClassDesc.of("dev.kenaz.jvm.Helpers"), "copy", MethodTypeDesc.of(V, L, L, L));
    }
  }

  /** Multiplies matrices, with the parameters of {@link MatrixProduct#run} on the stack. */
  void product() {
    var z = ConstantDescs.CD_boolean;
    if (checked()) {
      site("");
      var t = MethodTypeDesc.of(V, z, z, MethodCode.LONGS, z, MethodCode.CONTEXT, I);
      code.invokestatic(CHECKED, "product", t);
    } else {
      var t = MethodTypeDesc.of(V, z, z, MethodCode.LONGS, z);
      code.invokestatic(ClassDesc.of("dev.kenaz.jvm.MatrixProduct"), "run", t);
    }
  }

  /**
   * Replaces a slot's base and the bytes wanted, both on the stack, by another buffer's address.
   */
  void grow(Slot slot) {
    site(slot.base().toString());
    var t = MethodTypeDesc.of(L, L, L, MethodCode.CONTEXT, I);
    code.invokestatic(CHECKED, "grow", t);
  }

  /**
   * Frees slots, with an array of registers, the place of its first slot, and the number of slots
   * on the stack.
   */
  void freeAll() {
    if (checked()) {
      site("");
      var t = MethodTypeDesc.of(V, MethodCode.LONGS, I, I, MethodCode.CONTEXT, I);
      code.invokestatic(CHECKED, "freeAll", t);
    } else {
      var t = MethodTypeDesc.of(V, MethodCode.LONGS, I, I);
      code.invokestatic(MethodCode.CONTEXT, "freeAll", t);
    }
  }

  /** Frees a slot, with its base and capacity on the stack. */
  void free(Slot slot) {
    if (checked()) {
      code.pop2();
      site(slot.base().toString());
      code.invokestatic(CHECKED, "free", MethodTypeDesc.of(V, L, MethodCode.CONTEXT, I));
    } else {
      code.invokestatic(MethodCode.CONTEXT, "free", MethodTypeDesc.of(V, L, L));
    }
  }
}
