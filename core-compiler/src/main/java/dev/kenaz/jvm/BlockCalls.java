package dev.kenaz.jvm;

import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;

/** Emits the loop that calls a block's method for so many iterations at a time. */
record BlockCalls(CodeBuilder code, EntryClass owner, MethodCode method) {
  private static final ClassDesc L = ConstantDescs.CD_long;

  /**
   * Emits the loop.
   *
   * @param work of one iteration
   */
  void emit(Block block, Expr work) {
    var scalars = method.scalars();
    int environment = code.allocateLocal(TypeKind.REFERENCE);
    int carry = code.allocateLocal(TypeKind.REFERENCE);
    method.bits(MethodCode.uses(block.handed().array()));
    code.astore(environment);
    method.bits(MethodCode.uses(block.carried()));
    code.astore(carry);
    var bound = Reg.index("bound");
    var size = Reg.index("size");
    var from = Reg.index("from");
    var to = Reg.index("to");
    scalars.value(block.loop().bound());
    scalars.store(bound);
    scalars.value(work);
    code.invokestatic(MethodCode.CONTEXT, "block", MethodTypeDesc.of(L, L));
    scalars.store(size);
    code.lconst_0();
    scalars.store(from);
    var top = code.newBoundLabel();
    var exit = code.newLabel();
    scalars.load(from);
    scalars.load(bound);
    code.lcmp().ifge(exit);
    scalars.load(from);
    scalars.load(size);
    code.ladd();
    scalars.load(bound);
    code.invokestatic(ScalarCode.MATH, "min", MethodTypeDesc.of(L, L, L));
    scalars.store(to);
    code.aload(0).aload(environment).aload(carry);
    scalars.load(from);
    scalars.load(to);
    block.handed().load(scalars);
    code.invokestatic(owner.self(), owner.block(block), block.type());
    scalars.load(to);
    scalars.store(from);
    code.goto_(top).labelBinding(exit);
    scalars.fromArray(carry, block.carried());
  }
}
