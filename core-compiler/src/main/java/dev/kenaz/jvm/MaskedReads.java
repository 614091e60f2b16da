package dev.kenaz.jvm;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.value.Prim;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Reads in branches of vector loops whose conditions differ between lanes:
 *
 * <pre>
 *   if c then y = a[i] * 2 else y = 1
 *     is  t = c ? a[i] : 0
 *         y = c ? t * 2 : 1
 * </pre>
 *
 * <p>Such a selection of an element or zero reads only where the condition holds, as there may be
 * no element elsewhere. Processors with long vectors have masks for this; an element that is one
 * for all lanes is read if it is wanted in any.
 */
final class MaskedReads {
  /** Processors with such vectors have registers for masks. */
  private static final int LEAST_BYTES = 64;

  private MaskedReads() {}

  /** The branches whose reads have masks. */
  enum Where {
    NOWHERE,
    /**
     * Those that data decide about. Others compare indices, so that they may stay branches where
     * all lanes agree, as those of a stencil's border do.
     */
    DATA,
    EVERYWHERE
  }

  /** Returns the loop with vectors; if it needs them, with masks. */
  static VectorLoop vectors(Code.For loop) throws Unsuitable {
    try {
      return VectorLoops.of(loop);
    } catch (Unsuitable without) {
      if (mayHelp(loop.body())) {
        for (var where : List.of(Where.DATA, Where.EVERYWHERE)) {
          try {
            return VectorLoops.of(loop, where, Widths.all(loop));
          } catch (Unsuitable _) {
            continue; // What hinders without masks says more to the user.
          }
        }
      }
      throw without;
    }
  }

  /** Returns the registers whose values depend on what is read from arrays. */
  static Set<Reg> data(List<Code> body) {
    var data = new HashSet<Reg>();
    int before;
    do {
      before = data.size();
      CodeWalk.code(
          body,
          c -> {
            if (c instanceof Code.Set(var reg, var e) && isData(e, data)) {
              data.add(reg);
            }
          },
          _ -> {});
    } while (data.size() > before);
    return data;
  }

  /** Whether it depends on what is read from arrays. */
  static boolean isData(Expr e, Set<Reg> data) {
    return Operands.reads(e, data) || !Operands.isPure(e);
  }

  /** Whether the processor has masks, and the code has branches with reads. */
  private static boolean mayHelp(List<Code> body) {
    var found = new boolean[1];
    CodeWalk.code(
        body,
        c -> found[0] |= c instanceof Code.If(_, var a, var b) && (areReads(a) || areReads(b)),
        _ -> {});
    return found[0] && Vectors.F64.vectorByteSize() >= LEAST_BYTES;
  }

  private static boolean areReads(List<Code> code) {
    return code.stream().anyMatch(c -> c instanceof Code.Set(_, var e) && !Operands.isPure(e));
  }

  /** Whether it selects an element or zero. */
  static boolean is(Expr e) {
    return e instanceof Expr.Select(_, Expr.Load _, Expr.Lit(var zero)) && zero.bits() == 0;
  }

  /** Whether the expression is pure but for elements at places that are. */
  static boolean isPure(Expr e) {
    return Operands.isPure(unread(e));
  }

  private static Expr unread(Expr e) {
    return e instanceof Expr.Load(var prim, var base, var index)
            && Operands.isPure(base)
            && Operands.isPure(index)
        ? Expr.zero(prim)
        : e.map(MaskedReads::unread);
  }

  /**
   * Returns the expression with elements that are read only where the condition holds.
   *
   * @param out gets what is read
   */
  static Expr where(Reg condition, Expr e, List<Code> out) {
    return switch (e) {
      case Expr.Select(var c, Expr.Load read, var zero) when is(e) ->
          new Expr.Select(new Expr.Bin(BinaryOp.AND, Expr.use(condition), c), read, zero);
      case Expr.Load(var prim, var base, var index) when prim == Prim.BOOL -> {
        var bits = where(condition, new Expr.Load(Prim.U8, base, index), out);
        var none = new Expr.Cmp(CompareOp.EQ, bits, Expr.zero(Prim.U8));
        yield new Expr.Un(UnaryOp.NOT, none, Prim.BOOL);
      }
      case Expr.Load read -> {
        var element = Reg.fresh("read", read.prim());
        out.add(
            new Code.Set(
                element, new Expr.Select(Expr.use(condition), read, Expr.zero(read.prim()))));
        yield Expr.use(element);
      }
      default -> e.map(x -> where(condition, x, out));
    };
  }

  /**
   * Emits the load of a vector with the mask on the stack, which is for its type.
   *
   * @param widest the number of bytes of the widest type of the loop's vectors
   */
  static void load(CodeBuilder code, Prim prim, int widest) {
    var type = Vectors.type(prim, widest);
    var t =
        MethodTypeDesc.of(
            type,
            Vectors.SPECIES,
            VectorExpressions.SEGMENT,
            ConstantDescs.CD_long,
            VectorExpressions.BYTE_ORDER,
            Vectors.MASK);
    code.invokestatic(type, "fromMemorySegment", t);
  }
}
