package dev.kenaz.jvm;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.loopir.Addresses;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Liveness;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Registers;
import dev.kenaz.loopir.Slot;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Statements that become a method of their own because the method around them would be too large
 * for the JIT compiler (or for the class file).
 *
 * @param in registers whose values it needs
 * @param out registers that it sets and that matter outside
 * @param buffers those of {@code out} that belong to slots: they must reach the caller even if the
 *     statements fail
 * @param made the slots that the caller has made; only their addresses are handed in
 */
record Region(List<Code> code, List<Reg> in, List<Reg> out, List<Reg> buffers, Set<Slot> made) {
  Region {
    code = List.copyOf(code);
    in = List.copyOf(in);
    out = List.copyOf(out);
    buffers = List.copyOf(buffers);
    made = Set.copyOf(made);
  }

  CallingConvention handed() {
    return CallingConvention.of(in);
  }

  /** Returns the slots that belong to the region. */
  List<Slot> slots() {
    return Registers.of(code).slots().stream()
        .filter(s -> !made.contains(s) && !buffers.contains(s.base()))
        .toList();
  }

  /**
   * Returns the method's type. Its parameters are the context, an array for what comes back, and
   * the registers.
   */
  MethodTypeDesc type() {
    return handed().type(MethodCode.CONTEXT, MethodCode.LONGS);
  }

  /**
   * Makes a region of the statements.
   *
   * @param outside the registers that the rest of the frame mentions
   * @param made the slots that the frame makes at its start
   */
  static Region of(List<Code> code, Set<Reg> outside, Set<Slot> made) {
    var inside = Registers.of(code);
    var live = Liveness.of(code);
    var given = new HashSet<Reg>();
    made.forEach(s -> given.addAll(List.of(s.base(), s.capacity())));
    var out =
        inside.assigned().stream().filter(r -> outside.contains(r) && !given.contains(r)).toList();
    var buffers = new ArrayList<Reg>();
    // A buffer outlives the statements if anything outside may point into it.
    var escaping = Addresses.sources(code, out);
    for (var slot : inside.slots()) {
      boolean own = !made.contains(slot);
      if (own && (escaping.contains(slot.base()) || escaping.contains(slot.capacity()))) {
        buffers.add(slot.base());
        buffers.add(slot.capacity());
      }
    }
    var all = new ArrayList<>(out);
    buffers.stream().filter(r -> !all.contains(r)).forEach(all::add);
    var in = new ArrayList<>(live.needed());
    // A slot of the region's own is empty at first.
    for (var slot : inside.slots()) {
      if (!buffers.contains(slot.base())) {
        in.remove(slot.base());
        in.remove(slot.capacity());
      }
      if (made.contains(slot) && inside.read().contains(slot.base()) && !in.contains(slot.base())) {
        in.add(slot.base());
      }
    }
    for (var reg : all) {
      if (!live.set().contains(reg) && !in.contains(reg)) {
        in.add(reg);
      }
    }
    return new Region(code, in, all, buffers, made);
  }

  /**
   * The type of a method whose registers lie in an array. Its parameters are the context and the
   * array.
   */
  static final MethodTypeDesc SHARED =
      MethodTypeDesc.of(ConstantDescs.CD_void, MethodCode.CONTEXT, MethodCode.LONGS);

  /** Returns roughly how many bytes of bytecode the statements take. */
  static int size(List<Code> code) {
    return code.stream().mapToInt(Region::size).sum();
  }

  static int size(Code c) {
    return switch (c) {
      case Code.Set(_, var e) -> 3 + size(e);
      case Code.Store(_, var base, var index, var value) ->
          12 + size(base) + size(index) + size(value);
      case Code.AtomicUpdate(_, _, var base, var index, var value) ->
          16 + size(base) + size(index) + size(value);
      case Code.Ensure(_, var bytes) -> 45 + size(bytes);
      case Code.Free _ -> 16;
      case Code.Swap _ -> 16;
      case Code.CopyBytes(var to, var from, var bytes) -> 4 + size(to) + size(from) + size(bytes);
      case Code.MatrixProduct m -> 6 + m.operands().stream().mapToInt(Region::size).sum();
      case Code.If(var condition, var then, var otherwise) ->
          8 + size(condition) + size(then) + size(otherwise);
      case Code.For f -> {
        int times = Unrolling.times(f);
        yield times >= 0
            ? 3 + times * (3 + size(f.body()))
            : 30 + size(f.bound()) + copies(f) * size(f.body());
      }
      case Code.While(var condition, var body) -> 6 + size(condition) + size(body);
      case Code.Check(var condition, _, var arguments) ->
          16 + size(condition) + arguments.stream().mapToInt(a -> 8 + size(a)).sum();
      case Code.Call call ->
          20
              + call.arguments().stream().mapToInt(a -> 8 + size(a)).sum()
              + 10 * call.sets().size()
              + 30 * call.slots().size();
      case Code.Print(_, var value) -> 12 + size(value);
      case Code.Plan(_, var extent, var work, var most) ->
          8 + size(extent) + size(work) + size(most);
      case Code.Parallel p -> 24 + 12 * Registers.captured(p).size();
      case Code.Gpu _ -> 0;
    };
  }

  /** A loop with more bytes than these makes a method too large for the JIT compiler. */
  private static final int MOST_BYTES = 3000;

  /** Whether a method with the loop's vector code would be too large for the JIT compiler. */
  static boolean isLarge(Code.For loop) {
    return size(loop.body()) > MOST_BYTES;
  }

  /** Returns how many copies of its body a vector loop has, each longer than the scalar one. */
  private static int copies(Code.For f) {
    boolean innermost =
        f.body().stream().noneMatch(c -> c instanceof Code.For || c instanceof Code.While);
    return f.independent() && innermost && !isLarge(f) ? f.reductions().isEmpty() ? 4 : 14 : 1;
  }

  /** Less than the vector code of most functions, which {@link #copies} multiplies. */
  private static final int FUNCTION = 100;

  /** Comparisons come before a division. */
  private static final int WRAPPING = 50;

  static int size(Expr e) {
    return switch (e) {
      case Expr.Lit _, Expr.Use _ -> 3;
      case Expr.Bin(var op, var x, var y) when op == BinaryOp.POW && x.prim().isFloat() ->
          FUNCTION + size(x) + size(y);
      case Expr.Bin(var op, var x, var y) when op == BinaryOp.MOD -> WRAPPING + size(x) + size(y);
      case Expr.Un(var op, var x, _) -> (op.elementary().isPresent() ? FUNCTION : 5) + size(x);
      case Expr.Conv(_, var x) -> 5 + size(x);
      case Expr.Bin(_, var x, var y) -> 3 + size(x) + size(y);
      case Expr.Size(var x, var y) -> 3 + size(x) + size(y);
      case Expr.Cmp(_, var x, var y) -> 8 + size(x) + size(y);
      case Expr.MulAdd(var x, var y, var z) -> 4 + size(x) + size(y) + size(z);
      case Expr.Select(var c, var x, var y) -> 6 + size(c) + size(x) + size(y);
      case Expr.Load(_, var base, var index) -> 12 + size(base) + size(index);
    };
  }
}
