package dev.kenaz.jvm;

import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.LoopFun;
import dev.kenaz.loopir.LoopFun.ArrayResult;
import dev.kenaz.loopir.LoopFun.ScalarResult;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Registers;
import dev.kenaz.loopir.Slot;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.List;

/**
 * Emits the bytecode of frames whose registers lie in an array, {@link FrameArray}: in methods as
 * small as possible, where those of {@link MethodCode} alone turned out too large.
 */
final class SharedCode {
  private static final MethodTypeDesc FRAME =
      MethodTypeDesc.of(
          MethodCode.LONGS,
          MethodCode.LONGS,
          ConstantDescs.CD_int,
          ConstantDescs.CD_int,
          ConstantDescs.CD_int,
          ConstantDescs.CD_int);

  private final CodeBuilder code;
  private final Cutting cutting;
  private final MethodCode method;
  private final ScalarCode scalars;

  SharedCode(CodeBuilder code, EntryClass owner, Cutting cutting) {
    this.code = code;
    this.cutting = cutting;
    this.method = new MethodCode(code, owner, cutting);
    this.scalars = method.scalars();
  }

  /** A piece of code for the frame, whose array is in the local. */
  private interface Step {
    void emit(FrameArray frame, int local);
  }

  /** Emits a function's method: its locals are context, arguments, results. */
  void function(List<LoopFun.Param> params, List<Code> body, List<LoopFun.Result> results) {
    var all = new ArrayList<>(body);
    var out = new ArrayList<Reg>();
    var bases = new ArrayList<Reg>();
    for (var result : results) {
      switch (result) {
        case ScalarResult(var e) -> out.add(reg(e, all));
        case ArrayResult(_, var slot, var address, var dims) -> {
          bases.add(slot.base());
          out.add(slot.base());
          out.add(slot.capacity());
          out.add(reg(address, all));
          dims.forEach(d -> out.add(reg(d, all)));
        }
      }
    }
    Step end =
        (f, local) -> {
          f.gather(code, local, out, 2);
          f.clear(code, local, bases);
        };
    var given = params.stream().map(LoopFun.Param::reg).toList();
    frame(given, all, Registers.of(all).slots(), out, (_, _) -> {}, end, (_, _) -> {});
  }

  private static Reg reg(Expr e, List<Code> code) {
    if (e instanceof Expr.Use(var reg)) {
      return reg;
    }
    var reg = Reg.fresh("result", e.prim());
    code.add(new Code.Set(reg, e));
    return reg;
  }

  /** Emits a task's method: its locals are context, environment, chunk, from, to. */
  void task(Code.Parallel p) {
    scalars.bindLocal(p.chunk(), 2);
    scalars.bindLocal(p.lo(), 4);
    scalars.bindLocal(p.hi(), 6);
    Step none = (_, _) -> {};
    var own = Registers.of(p.body()).slots();
    frame(Registers.captured(p), p.body(), own, List.of(), none, none, none);
  }

  /** Emits a block's method: its locals are context, environment, carried registers, from, to. */
  void block(Block block, Reg from, Reg to) {
    scalars.bindLocal(from, 3);
    scalars.bindLocal(to, 5);
    block.handed().bindDirect(scalars, 7);
    var body = block.part(from, to);
    frame(
        block.handed().array(),
        body,
        Registers.of(body).slots(),
        block.carried(),
        (f, local) -> f.scatter(code, local, block.carried(), 2),
        (f, local) -> f.gather(code, local, block.carried(), 2),
        (_, _) -> {});
  }

  /**
   * Emits a region's method: its locals are context, the array for both ways, and its parameters.
   */
  void region(Region region) {
    method.handed(region);
    region.handed().bindDirect(scalars, 2);
    Step back = (f, local) -> f.gather(code, local, region.out(), 1);
    frame(
        region.handed().array(),
        region.code(),
        region.slots(),
        region.out(),
        (_, _) -> {},
        back,
        back);
  }

  /**
   * Emits a frame.
   *
   * @param given registers whose values come in the array in local 1
   * @param slots the slots that are freed at the end
   * @param read registers that {@code end} and {@code failed} read
   */
  private void frame(
      List<Reg> given,
      List<Code> all,
      List<Slot> slots,
      List<Reg> read,
      Step begin,
      Step end,
      Step failed) {
    var body = SmallExpressions.in(all);
    var frame = FrameArray.of(given, slots, body, read);
    int local = code.allocateLocal(TypeKind.REFERENCE);
    code.aload(1).loadConstant(given.size()).loadConstant(frame.size());
    code.loadConstant(frame.slotsAt()).loadConstant(slots.size());
    code.invokestatic(MethodCode.CONTEXT, "frame", FRAME).astore(local);
    // These came in locals.
    frame
        .places()
        .forEach(
            (reg, place) -> {
              if (scalars.isSet(reg)) {
                scalars.intoArray(local, place, Expr.use(reg));
              }
            });
    method.share(frame, local);
    begin.emit(frame, local);
    var start = code.newBoundLabel();
    method.pieces(body, read);
    end.emit(frame, local);
    var stop = code.newBoundLabel();
    free(frame, local);
    code.return_();
    var handler = code.newBoundLabel();
    failed.emit(frame, local);
    free(frame, local);
    code.athrow();
    code.exceptionCatchAll(start, stop, handler);
  }

  private void free(FrameArray frame, int local) {
    if (!frame.slots().isEmpty()) {
      code.aload(local).loadConstant(frame.slotsAt()).loadConstant(frame.slots().size());
      scalars.accesses().freeAll();
    }
  }

  /** Emits a piece of such a frame: its locals are context and the frame's array. */
  void piece(Region region, FrameArray frame) {
    method.handed(region);
    if (cutting.isCut()) {
      method.share(frame, 1);
      method.pieces(region.code(), region.out());
      code.return_();
      return;
    }
    scalars.share(frame.ofBuffers(), 1);
    for (var reg : region.in()) {
      if (!frame.buffers().contains(reg)) {
        scalars.fromArray(1, frame.place(reg), reg);
      }
    }
    method.all(region.code());
    for (var reg : region.out()) {
      if (!frame.buffers().contains(reg)) {
        scalars.intoArray(1, frame.place(reg), Expr.use(reg));
      }
    }
    code.return_();
  }
}
