package dev.kenaz.jvm;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Registers;
import dev.kenaz.loopir.Slot;
import dev.kenaz.value.Prim;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** Emits the bytecode of statements, for one method of an entry's class. Local 0 is the context. */
final class MethodCode {
  static final ClassDesc CONTEXT = ClassDesc.of("dev.kenaz.jvm.Context");
  static final ClassDesc LONGS = ConstantDescs.CD_long.arrayType();
  private static final ClassDesc L = ConstantDescs.CD_long;
  private static final ClassDesc I = ConstantDescs.CD_int;
  private static final ClassDesc V = ConstantDescs.CD_void;
  private static final ClassDesc FAILURE = ClassDesc.of("java.lang.RuntimeException");

  private final CodeBuilder code;
  private final EntryClass owner;
  private final ScalarCode scalars;
  private final Accesses accesses;
  private final MethodSplitting pieces;
  private final Cutting cutting;

  /** Where registers are if an array holds them, and the local with that array; or null. */
  private FrameArray frame;

  private int frameLocal;

  /** The slots that have memory from the start of the frame around, or of this method. */
  private final Set<Slot> made = new HashSet<>();

  /** Those of this method. */
  private ConstantBuffers constant = ConstantBuffers.NONE;

  MethodCode(CodeBuilder code, EntryClass owner, Cutting cutting) {
    this.code = code;
    this.cutting = cutting;
    this.owner = owner;
    this.scalars = new ScalarCode(code, owner);
    this.accesses = scalars.accesses();
    this.pieces = new MethodSplitting(cutting.limit(), cutting.shared());
  }

  ScalarCode scalars() {
    return scalars;
  }

  /**
   * Emits a whole frame: its slots start empty and are freed however it ends.
   *
   * @param end emitted after the body, before the slots are freed
   */
  void frame(List<Code> body, Runnable end) {
    frame(body, List.of(), end);
  }

  /**
   * Emits a whole frame.
   *
   * @param read registers that {@code end} reads
   */
  void frame(List<Code> body, List<Reg> read, Runnable end) {
    var slots = Registers.of(body).slots();
    prepare(body, slots.stream().filter(s -> !read.contains(s.base())).toList());
    splitIfLarge(body, read);
    frame(body, this::statement, end);
  }

  /** Finds the buffers of a frame with these slots that are made at its start. */
  private void prepare(List<Code> body, List<Slot> own) {
    if (!owner.options().checks()) {
      constant = ConstantBuffers.of(body, own);
      made.addAll(constant.places().keySet());
    }
  }

  private void splitIfLarge(List<Code> body, List<Reg> read) {
    if (Region.size(body) > cutting.limit()) {
      pieces.split(body, read, made);
      // A region that sets a register only on some paths gets its old value, and so the register
      // must be set before.
      pieces.handedIn().stream().filter(r -> !scalars.isSet(r)).forEach(scalars::clear);
    }
  }

  private void frame(List<Code> body, Consumer<Code> statement, Runnable end) {
    frame(body, Registers.of(body).slots(), List.of(), statement, end, () -> {});
  }

  /**
   * Emits a frame.
   *
   * @param slots the slots that are freed at the end
   * @param shared the caller's buffers, which it wants to know of even after a failure
   * @param failed emits code for the case that the body has failed
   */
  private void frame(
      List<Code> body,
      List<Slot> slots,
      List<Reg> shared,
      Consumer<Code> statement,
      Runnable end,
      Runnable failed) {
    var freed = new ArrayList<>(slots);
    freed.removeAll(constant.places().keySet());
    var block = Slot.fresh("constant");
    if (constant.bytes() > 0) {
      freed.add(block);
    }
    for (var slot : freed) {
      code.lconst_0();
      scalars.store(slot.base());
      code.loadConstant(-1L);
      scalars.store(slot.capacity());
    }
    if (freed.isEmpty() && shared.isEmpty()) {
      each(body, statement);
      end.run();
      code.return_();
      return;
    }
    var start = code.newBoundLabel();
    constantBuffers(block);
    each(body, statement);
    end.run();
    var stop = code.newBoundLabel();
    freed.forEach(this::free);
    code.return_();
    var handler = code.newBoundLabel();
    failed.run();
    freed.forEach(this::free);
    code.athrow();
    code.exceptionCatchAll(start, stop, handler);
  }

  /** Makes the buffers of the frame that are parts of one block. */
  private void constantBuffers(Slot block) {
    if (constant.bytes() > 0) {
      ensure(block, Expr.i64(constant.bytes()));
    }
    constant
        .places()
        .forEach(
            (slot, at) -> {
              scalars.load(block.base());
              code.loadConstant(at).ladd();
              scalars.store(slot.base());
            });
  }

  private void free(Slot slot) {
    scalars.load(slot.base());
    scalars.load(slot.capacity());
    accesses.free(slot);
  }

  void all(List<Code> body) {
    each(body, this::statement);
  }

  /** Treats the statements; those that were split off become calls. */
  private void each(List<Code> body, Consumer<Code> statement) {
    int next = 0;
    while (next < body.size()) {
      var region = pieces.startingAt(body, next);
      if (region == null) {
        statement.accept(body.get(next++));
      } else {
        call(region);
        next += region.code().size();
      }
    }
  }

  private void call(Region region) {
    if (frame != null) {
      code.aload(0).aload(frameLocal);
      var name = owner.region(new EntryClass.Piece(region, frame, cutting));
      code.invokestatic(owner.self(), name, Region.SHARED);
      return;
    }
    int frame = code.allocateLocal(TypeKind.REFERENCE);
    var handed = region.handed();
    int outs = region.out().size();
    code.loadConstant(Math.max(handed.array().size(), outs));
    code.newarray(TypeKind.LONG).astore(frame);
    for (int k = 0; k < handed.array().size(); k++) {
      scalars.intoArray(frame, k, Expr.use(handed.array().get(k)));
    }
    var start = code.newBoundLabel();
    code.aload(0).aload(frame);
    handed.load(scalars);
    code.invokestatic(
        owner.self(), owner.region(new EntryClass.Piece(region, null, cutting)), region.type());
    var stop = code.newBoundLabel();
    scalars.fromArray(frame, region.out());
    if (!region.buffers().isEmpty()) {
      var after = code.newLabel();
      var handler = code.newLabel();
      code.goto_(after).labelBinding(handler);
      for (var reg : region.buffers()) {
        scalars.fromArray(frame, region.out().indexOf(reg), reg);
      }
      code.athrow().labelBinding(after);
      code.exceptionCatchAll(start, stop, handler);
    }
  }

  private void call(Code.Call call) {
    int out = code.allocateLocal(TypeKind.REFERENCE);
    code.aload(0);
    environment(call.arguments());
    code.loadConstant(call.sets().size() + 2 * call.slots().size());
    code.newarray(TypeKind.LONG).dup().astore(out);
    code.invokestatic(owner.self(), owner.callee(call.function()), EntryClass.RUN);
    int at = 0;
    for (var output : call.outputs()) {
      switch (output) {
        case Code.ScalarOutput(var reg) -> scalars.fromArray(out, at++, reg);
        case Code.ArrayOutput(var slot, var address, var dims) -> {
          free(slot);
          scalars.fromArray(out, at++, slot.base());
          scalars.fromArray(out, at++, slot.capacity());
          scalars.fromArray(out, at++, address);
          for (var d : dims) {
            scalars.fromArray(out, at++, d);
          }
        }
      }
    }
  }

  /**
   * Emits a region's method: its locals are context, the array for both ways, and its parameters.
   */
  void region(Region region) {
    var own = region.slots();
    handed(region);
    region.handed().bind(scalars, 2, 1);
    prepare(region.code(), own);
    splitIfLarge(region.code(), region.out());
    frame(
        region.code(),
        own,
        region.buffers(),
        this::statement,
        () -> outputs(region, region.out()),
        () -> outputs(region, region.buffers()));
  }

  private void outputs(Region region, List<Reg> regs) {
    for (var reg : regs) {
      scalars.intoArray(1, region.out().indexOf(reg), Expr.use(reg));
    }
  }

  private void statement(Code c) {
    accesses.in(c);
    switch (c) {
      case Code.Set(var reg, var e) -> {
        scalars.value(e);
        scalars.store(reg);
      }
      case Code.Store(var prim, var base, var index, var value) ->
          scalars.storeElement(prim, base, index, value);
      case Code.Ensure(var slot, var bytes) -> ensure(slot, bytes);
      case Code.Free(var slot) -> {
        free(slot);
        code.lconst_0();
        scalars.store(slot.base());
        code.loadConstant(-1L);
        scalars.store(slot.capacity());
      }
      case Code.Swap(var a, var b) -> {
        exchange(a.base(), b.base());
        exchange(a.capacity(), b.capacity());
      }
      case Code.CopyBytes(var to, var from, var bytes) -> {
        scalars.value(to);
        scalars.value(from);
        scalars.value(bytes);
        accesses.copy();
      }
      case Code.MatrixProduct m -> matrixProduct(m);
      case Code.If(var condition, var then, var otherwise) -> branch(condition, then, otherwise);
      case Code.For f -> loop(f);
      case Code.While(var condition, var body) -> {
        var top = code.newBoundLabel();
        var exit = code.newLabel();
        scalars.jumpUnless(condition, exit);
        all(body);
        code.goto_(top).labelBinding(exit);
      }
      case Code.Check(var condition, var fault, var arguments) -> {
        var fails = code.newLabel();
        var holds = code.newLabel();
        scalars.jumpUnless(condition, fails);
        code.goto_(holds).labelBinding(fails);
        code.aload(0);
        code.loadConstant(owner.fault(fault, arguments.stream().map(Expr::prim).toList()));
        bits(arguments);
        code.invokevirtual(CONTEXT, "fault", MethodTypeDesc.of(FAILURE, I, LONGS));
        code.athrow().labelBinding(holds);
      }
      case Code.Call call -> call(call);
      case Code.Print(var label, var value) -> {
        code.aload(0);
        code.loadConstant(owner.label(label)).loadConstant(value.prim().ordinal());
        scalars.value(value);
        scalars.toBits(value.prim());
        code.invokevirtual(CONTEXT, "print", MethodTypeDesc.of(V, I, I, L));
      }
      case Code.Plan(var chunks, var extent, var work, var most) -> {
        code.aload(0);
        scalars.value(extent);
        scalars.value(work);
        scalars.value(most);
        code.invokevirtual(CONTEXT, "plan", MethodTypeDesc.of(L, L, L, L));
        scalars.store(chunks);
      }
      case Code.Parallel p -> {
        code.aload(0);
        code.loadConstant(owner.task(p));
        environment(uses(Registers.captured(p)));
        scalars.value(p.extent());
        scalars.value(p.chunks());
        scalars.value(p.work());
        code.loadConstant(p.divisible() ? 1 : 0);
        var t = MethodTypeDesc.of(V, I, LONGS, L, L, L, ConstantDescs.CD_boolean);
        code.invokevirtual(CONTEXT, "parallel", t);
      }
      case Code.AtomicUpdate _, Code.Gpu _ -> throw new CompilerBug("jvm", "code for a GPU");
    }
  }

  /** Notes that from here on the registers of the frame are in the array in a local. */
  void share(FrameArray f, int local) {
    frame = f;
    frameLocal = local;
    scalars.share(f.places(), local);
  }

  /** Notes which of the region's slots have memory already. */
  void handed(Region region) {
    made.addAll(region.made());
  }

  /** Emits all of the code; as much of it as is worth a call is cut out. */
  void pieces(List<Code> body, List<Reg> read) {
    pieces.split(body, read, made);
    all(body);
  }

  /** Leaves an array of the values' bits. */
  private void environment(List<Expr> values) {
    boolean registers = values.stream().allMatch(e -> e instanceof Expr.Use);
    if (frame == null || !registers) {
      bits(values);
      return;
    }
    int made = code.allocateLocal(TypeKind.REFERENCE);
    code.loadConstant(values.size()).newarray(TypeKind.LONG).astore(made);
    var regs = values.stream().map(e -> ((Expr.Use) e).reg()).toList();
    frame.gather(code, frameLocal, regs, made);
    code.aload(made);
  }

  /** Emits a task's body; its outermost loops call methods of their own, block by block. */
  void task(Code.Parallel p) {
    if (p.divisible()) {
      frame(p.body(), () -> {});
      return;
    }
    var blocks = new HashMap<Code, Block>();
    for (var c : p.body()) {
      if (c instanceof Code.For f) {
        Block.of(f, p.body()).ifPresent(b -> blocks.put(f, b));
      }
    }
    var rest = p.body().stream().filter(c -> !blocks.containsKey(c)).toList();
    prepare(rest, Registers.of(rest).slots());
    if (blocks.isEmpty()) {
      splitIfLarge(p.body(), List.of());
    }
    frame(
        p.body(),
        c -> {
          var block = blocks.get(c);
          if (block == null) {
            statement(c);
          } else {
            new BlockCalls(code, owner, this).emit(block, p.work());
          }
        },
        () -> {});
  }

  static List<Expr> uses(List<Reg> regs) {
    return regs.stream().<Expr>map(Expr::use).toList();
  }

  /** Emits a block's method: its locals are context, environment, carried registers, from, to. */
  void block(Block block, Reg from, Reg to) {
    scalars.bindLocal(from, 3);
    scalars.bindLocal(to, 5);
    block.handed().bind(scalars, 7, 1);
    scalars.fromArray(2, block.carried());
    frame(
        block.part(from, to),
        block.carried(),
        () -> {
          for (int k = 0; k < block.carried().size(); k++) {
            scalars.intoArray(2, k, Expr.use(block.carried().get(k)));
          }
        });
  }

  /** Leaves an array of the values' bits. */
  void bits(List<Expr> values) {
    code.loadConstant(values.size()).newarray(TypeKind.LONG);
    for (int i = 0; i < values.size(); i++) {
      code.dup().loadConstant(i);
      scalars.value(values.get(i));
      scalars.toBits(values.get(i).prim());
      code.lastore();
    }
  }

  private void ensure(Slot slot, Expr bytes) {
    if (made.contains(slot)) {
      return;
    }
    if (owner.options().checks()) {
      scalars.load(slot.base());
      code.lconst_0();
      scalars.store(slot.base());
      scalars.value(bytes);
      accesses.grow(slot);
      scalars.store(slot.base());
      scalars.value(bytes);
      scalars.store(slot.capacity());
      return;
    }
    var wanted = Reg.index("bytes");
    scalars.value(bytes);
    scalars.store(wanted);
    var enough = code.newLabel();
    scalars.load(wanted);
    scalars.load(slot.capacity());
    code.lcmp().ifle(enough);
    scalars.load(slot.base());
    scalars.load(slot.capacity());
    // The slot is empty while a larger block is allocated, as that may fail.
    code.lconst_0();
    scalars.store(slot.base());
    scalars.load(wanted);
    code.invokestatic(CONTEXT, "grow", MethodTypeDesc.of(L, L, L, L));
    scalars.store(slot.base());
    scalars.load(wanted);
    code.invokestatic(CONTEXT, "capacity", MethodTypeDesc.of(L, L));
    scalars.store(slot.capacity());
    code.labelBinding(enough);
  }

  private void exchange(Reg a, Reg b) {
    scalars.load(a);
    scalars.load(b);
    scalars.store(a);
    scalars.store(b);
  }

  private void branch(Expr condition, List<Code> then, List<Code> otherwise) {
    if (then.isEmpty() && otherwise.isEmpty()) {
      return;
    }
    var no = code.newLabel();
    scalars.jumpUnless(condition, no);
    all(then);
    if (otherwise.isEmpty()) {
      code.labelBinding(no);
      return;
    }
    var end = code.newLabel();
    code.goto_(end).labelBinding(no);
    all(otherwise);
    code.labelBinding(end);
  }

  private void loop(Code.For f) {
    int times = Unrolling.times(f);
    boolean cut = pieces.isCut(f.body());
    if (times >= 0) {
      for (int k = 0; k < times; k++) {
        code.loadConstant((long) k);
        scalars.store(f.i());
        all(f.body());
      }
      code.loadConstant((long) times);
      scalars.store(f.i());
      return;
    }
    var bound = Reg.index("bound");
    scalars.value(f.bound());
    scalars.store(bound);
    code.lconst_0();
    scalars.store(f.i());
    if ((!cut || cutting.vectors()) && vectors(f, bound)) {
      return;
    }
    var body = cut ? f.body() : carrying(f, bound);
    var top = code.newBoundLabel();
    var exit = code.newLabel();
    scalars.load(f.i());
    scalars.load(bound);
    code.lcmp().ifge(exit);
    all(body);
    scalars.load(f.i());
    code.lconst_1().ladd();
    scalars.store(f.i());
    code.goto_(top).labelBinding(exit);
  }

  /**
   * Emits what comes before the loop if it carries elements in registers; returns its body. Where
   * accesses are checked, they stay as they are, as their places are known by their statements.
   */
  private List<Code> carrying(Code.For f, Reg bound) {
    if (owner.options().checks()) {
      return f.body();
    }
    var carried = CarriedElements.of(f, bound, owner.buffers());
    carried.ifPresent(c -> all(c.before()));
    return carried.map(CarriedElements.Result::body).orElse(f.body());
  }

  /** Runs most iterations in vectors, where that can be done; tells whether it ran all. */
  private boolean vectors(Code.For f, Reg bound) {
    if (owner.options().vectors() == JvmOptions.Vectors.OFF) {
      return false;
    }
    try {
      var loop = owner.options().checks() ? VectorLoops.of(f) : MaskedReads.vectors(f);
      if (!cutting.vectors() && Region.size(loop.body()) > cutting.limit()) {
        // loops that are written out in vectors may be larger than the code that was estimated
        return false;
      }
      var vectors = new VectorCode(code, scalars, loop, cutting.once());
      owner.chosen("vectors of " + Vectors.lanes(loop.widest()));
      Runnable rest = () -> all(f.body());
      if (vectors.loop(f.i(), bound, f.bound(), rest)) {
        return true;
      }
      return vectors.leavesMany()
          && new VectorCode(code, scalars, loop.wide(), true).loop(f.i(), bound, f.bound(), rest);
    } catch (Unsuitable u) {
      owner.chosen("scalar: " + u.getMessage());
      return false;
    }
  }

  private void matrixProduct(Code.MatrixProduct m) {
    if (owner.options().vectors() == JvmOptions.Vectors.OFF) {
      all(m.loops());
      return;
    }
    code.loadConstant(m.prim() == Prim.F64 ? 1 : 0);
    code.loadConstant(m.term() == Code.MatrixProduct.Term.SQUARED_DIFFERENCE ? 1 : 0);
    var operands = new ArrayList<>(m.operands());
    operands.remove(2); // The columns of c are adjacent.
    bits(operands);
    code.loadConstant(m.add() ? 1 : 0);
    accesses.product();
  }
}
