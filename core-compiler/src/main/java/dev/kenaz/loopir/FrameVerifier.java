package dev.kenaz.loopir;

import static dev.kenaz.ir.IllFormed.require;

import dev.kenaz.ir.IllFormed;
import dev.kenaz.loopir.LoopFun.ArrayResult;
import dev.kenaz.loopir.LoopFun.Param;
import dev.kenaz.loopir.LoopFun.Result;
import dev.kenaz.loopir.LoopFun.ScalarResult;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Checks one frame: a function's code, a parallel loop's body, or a kernel's. A register is read
 * only where it is set whichever way control came, but for a failure that ends the program anyway;
 * slots are empty at the start. Loops' registers are set by their loops only, slots' by what is
 * done to the slots. Operands have the types that operators, memory and callees expect.
 */
final class FrameVerifier {
  /** What is known of a frame's surroundings. */
  interface Machine {
    /** Checks that there is such a statement on this machine; not what it is made of. */
    void statement(Code c);

    /** What a call's callee takes and gives. */
    LoopProgram.Callee callee(String name);

    /** Whether slots are changed only by what is done to them, not by assignments. */
    default boolean ownsSlots() {
      return true;
    }

    /** Checks types that only GPU programs know. */
    default void gpu(GpuCode g) {}
  }

  private final Machine machine;
  private final Set<Reg> set = new HashSet<>();

  /** The set registers, in order. */
  private final List<Reg> trail = new ArrayList<>();

  /** What the code here may not assign. */
  private final Set<Reg> fixed = new HashSet<>();

  private FrameVerifier(Machine machine) {
    this.machine = machine;
  }

  static void function(Machine machine, List<Param> params, List<Code> body, List<Result> results) {
    var v = new FrameVerifier(machine);
    for (var p : params) {
      require(v.set.add(p.reg()), "the parameter " + p.reg() + " occurs twice");
      require(
          p.reg().prim() == (p.dims().isEmpty() ? p.prim() : Prim.I64),
          "the parameter " + p.reg() + " is no " + p.prim().text());
    }
    params.forEach(p -> v.words(p.dims(), "a parameter's size"));
    v.frame(body);
    for (var r : results) {
      switch (r) {
        case ScalarResult(var e) -> v.read(e);
        case ArrayResult(_, var slot, var address, var dims) -> {
          v.word(Expr.use(slot.base()), "a slot");
          v.word(address, "a result's address");
          v.words(dims, "a result's size");
        }
      }
    }
  }

  /**
   * @param set what is set at the start
   * @param constant what of it the code may not assign
   */
  static void kernel(
      Machine machine, Collection<Reg> set, Collection<Reg> constant, List<Code> body) {
    var v = new FrameVerifier(machine);
    v.set.addAll(set);
    v.fixed.addAll(constant);
    v.block(body);
  }

  /** Slots belong to the frame, and are empty at its start. */
  private void frame(List<Code> body) {
    for (var slot : Registers.of(body).slots()) {
      for (var reg : List.of(slot.base(), slot.capacity())) {
        require(!fixed.contains(reg), reg + " is of a slot here, and something else around");
        if (machine.ownsSlots()) {
          fixed.add(reg);
        }
        set.add(reg);
      }
    }
    block(body);
  }

  private void block(List<Code> code) {
    for (var c : code) {
      try {
        machine.statement(c);
        statement(c);
      } catch (IllFormed e) {
        throw e.in(LoopPrinter.print(List.of(c)));
      }
    }
  }

  // Registers

  private void assign(Reg reg) {
    require(!fixed.contains(reg), reg + " is assigned, though it is a loop's or a slot's");
    mark(reg);
  }

  private void mark(Reg reg) {
    if (set.add(reg)) {
      trail.add(reg);
    }
  }

  private void read(Expr e) {
    ExprRules.check(e);
    reads(e);
  }

  private void reads(Expr e) {
    if (e instanceof Expr.Use(var reg) && !set.contains(reg)) {
      throw new IllFormed(reg + " is read, but not set on every way here");
    }
    e.operands().forEach(this::reads);
  }

  private void word(Expr e, String what) {
    read(e);
    ExprRules.agree(Prim.I64, e, what);
  }

  private void words(List<Expr> all, String what) {
    all.forEach(e -> word(e, what));
  }

  private void condition(Expr e) {
    read(e);
    ExprRules.condition(e);
  }

  /** An element in memory, and what is combined with it or replaces it. */
  private void element(Prim prim, Expr base, Expr index, Expr value) {
    words(List.of(base, index), "an address");
    read(value);
    ExprRules.agree(prim, value, "the stored value");
  }

  /** The code runs or doesn't: what it sets isn't set after it. What it had set. */
  private List<Reg> perhaps(Runnable code) {
    int start = trail.size();
    code.run();
    var here = trail.subList(start, trail.size());
    var sets = List.copyOf(here);
    here.clear();
    sets.forEach(set::remove);
    return sets;
  }

  /** The code runs while these registers are somebody else's to set. */
  private List<Reg> with(List<Reg> regs, List<Code> code) {
    return perhaps(
        () -> {
          for (var r : regs) {
            require(r.prim() == Prim.I64, "the counter " + r + " is no i64");
            require(fixed.add(r), "the loop's register " + r + " is one of a loop around");
            mark(r);
          }
          block(code);
          regs.forEach(fixed::remove);
        });
  }

  // Statements

  private void statement(Code c) {
    switch (c) {
      case Code.Set(var reg, var e) -> {
        read(e);
        ExprRules.agree(reg.prim(), e, "the value");
        assign(reg);
      }
      case Code.Store(var prim, var base, var index, var value) ->
          element(prim, base, index, value);
      case Code.AtomicUpdate(var op, var prim, var base, var index, var value) -> {
        require(op.isCommutativeMonoid() && op.takes(prim), op + " of " + prim.text());
        element(prim, base, index, value);
      }
      case Code.Ensure(var slot, var bytes) -> {
        slot(slot);
        word(bytes, "a number of bytes");
      }
      case Code.Free(var slot) -> slot(slot);
      case Code.Swap(var a, var b) -> {
        slot(a);
        slot(b);
      }
      case Code.CopyBytes(var to, var from, var bytes) ->
          words(List.of(to, from, bytes), "a copy's operand");
      case Code.MatrixProduct m -> {
        require(m.prim() == Prim.F32 || m.prim() == Prim.F64, "a product of " + m.prim().text());
        words(m.operands(), "a product's operand");
      }
      case Code.If(var condition, var then, var otherwise) -> {
        condition(condition);
        var inThen = new HashSet<>(perhaps(() -> block(then)));
        perhaps(() -> block(otherwise)).stream().filter(inThen::contains).forEach(this::mark);
      }
      case Code.For f -> loop(f);
      case Code.While(var condition, var body) -> {
        condition(condition);
        perhaps(
            () -> {
              block(body);
              condition(condition);
            });
      }
      case Code.Check(var condition, _, var arguments) -> {
        condition(condition);
        arguments.forEach(this::read);
      }
      case Code.Call call -> call(call);
      case Code.Print(_, var value) -> read(value);
      case Code.Plan(var chunks, var extent, var work, var most) -> {
        words(List.of(extent, work, most), "a plan's operand");
        require(chunks.prim() == Prim.I64, chunks + " is no i64");
        assign(chunks);
      }
      case Code.Parallel p -> parallel(p);
      case Code.Gpu(var g) -> gpu(g);
    }
  }

  private void slot(Slot slot) {
    words(List.of(Expr.use(slot.base()), Expr.use(slot.capacity())), "a slot");
  }

  private void loop(Code.For f) {
    word(f.bound(), "a bound");
    for (var r : f.reductions()) {
      reads(Expr.use(r.reg()));
      require(
          r.op().isCommutativeMonoid() && r.op().takes(r.reg().prim()),
          "a reduction by " + r.op() + " in " + r.reg());
    }
    with(List.of(f.i()), f.body());
  }

  private void parallel(Code.Parallel p) {
    words(List.of(p.extent(), p.work(), p.chunks()), "a parallel loop's operand");
    var inner = new FrameVerifier(machine);
    inner.set.addAll(set);
    inner.fixed.addAll(set);
    var own = List.of(p.chunk(), p.lo(), p.hi());
    own.forEach(
        r -> require(inner.fixed.add(r), "the loop's register " + r + " is used around it"));
    inner.set.addAll(own);
    inner.frame(p.body());
  }

  private void call(Code.Call call) {
    var callee = machine.callee(call.function());
    require(
        callee.params().size() == call.arguments().size()
            && callee.results().size() == call.outputs().size(),
        "a call that differs in arity from its callee");
    for (int k = 0; k < call.arguments().size(); k++) {
      read(call.arguments().get(k));
      ExprRules.agree(callee.params().get(k).reg().prim(), call.arguments().get(k), "an argument");
    }
    for (int k = 0; k < call.outputs().size(); k++) {
      boolean fits =
          switch (call.outputs().get(k)) {
            case Code.ScalarOutput(var reg) ->
                callee.results().get(k) instanceof ScalarResult(var e) && e.prim() == reg.prim();
            case Code.ArrayOutput(_, _, var dims) ->
                callee.results().get(k) instanceof ArrayResult a && a.dims().size() == dims.size();
          };
      require(fits, "result " + k + " is no result of the callee");
    }
    call.slots().forEach(this::slot);
    call.sets().forEach(this::assign);
  }

  private void gpu(GpuCode g) {
    machine.gpu(g);
    g.operands().forEach(this::read);
    switch (g) {
      case GpuCode.Locked(_, _, var body) -> block(body);
      case GpuCode.Attempt(var body) -> block(body);
      default -> g.sets().forEach(this::assign);
    }
  }
}
