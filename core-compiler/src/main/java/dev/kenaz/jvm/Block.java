package dev.kenaz.jvm;

import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Registers;
import dev.kenaz.value.Prim;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * This is a loop of a task that becomes a method of its own, called for a part of its iterations at
 * a time. The JIT compiler optimises a method that is called often far better than one long-running
 * loop.
 *
 * @param captured registers that it only reads
 * @param carried registers that it sets and that matter outside, or from one iteration to the next
 */
record Block(Code.For loop, List<Reg> captured, List<Reg> carried) {
  Block {
    captured = List.copyOf(captured);
    carried = List.copyOf(carried);
  }

  CallingConvention handed() {
    return CallingConvention.of(captured);
  }

  /**
   * Returns the method's type. Its parameters are the context, the environment, the carried
   * registers, from, to, and the captured registers.
   */
  MethodTypeDesc type() {
    var l = ConstantDescs.CD_long;
    return handed().type(MethodCode.CONTEXT, MethodCode.LONGS, MethodCode.LONGS, l, l);
  }

  /** Makes a block of the loop, unless the loop shares buffers with the code around it. */
  static Optional<Block> of(Code.For loop, List<Code> around) {
    var inside = Registers.of(List.of(loop));
    var outside = Registers.of(around.stream().filter(c -> c != loop).toList());
    List<Reg> carried = inside.assigned().stream().filter(reg -> outside.mentions(reg)).toList();
    boolean shares =
        inside.slots().stream()
            .anyMatch(s -> carried.contains(s.base()) || carried.contains(s.capacity()));
    return shares ? Optional.empty() : Optional.of(new Block(loop, inside.captured(), carried));
  }

  /** Returns the loop over the iterations between two registers' values. */
  List<Code> part(Reg from, Reg to) {
    var i = Reg.fresh("i", Prim.I64);
    var body = new ArrayList<Code>();
    body.add(new Code.Set(loop.i(), Expr.add(Expr.use(from), Expr.use(i))));
    body.addAll(loop.body());
    var count = Expr.sub(Expr.use(to), Expr.use(from));
    return List.of(new Code.For(i, count, body, loop.independent(), loop.reductions()));
  }
}
