package dev.kenaz.jvm;

import dev.kenaz.elementary.Elementary;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.value.Prim;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Emits the elementary functions of one vector loop. Their code is part of the loop, as a method
 * that gets a vector and is not inlined would get an object. But HotSpot's first compiler gives up
 * methods with much vector code, and such a method stays slow for long. So only the first functions
 * of a method are emitted in place. The others are called, and get and leave their vector in
 * memory. Its address suits vectors: a processor hands on what was stored across two of its lines
 * only after everything before is done, and calls took three times as long by arrays of Java, which
 * begin anywhere.
 */
final class VectorFunctions {
  private final CodeBuilder code;
  private final EntryClass owner;
  private final Room room;
  private final int widest;
  private final List<ScalarFormula.Of> all = new ArrayList<>();
  private final Map<Array, Integer> arrays = new HashMap<>();

  /** The local with the address of the arguments of functions that are called; -1 if none is. */
  private int address = -1;

  /** An array for the arguments of functions without a formula. */
  private record Array(Prim prim, int arity) {
    static Array of(ScalarFormula.Of function) {
      return new Array(function.prim(), function.function().arity());
    }
  }

  private int operations;

  /** Whether there may be more copies of a function than are counted. */
  private boolean repeats;

  /** The room that a method has for vector operations and the code of functions. */
  static final class Room {
    private static final int MOST_STEPS = 170;

    private int left = MOST_STEPS;

    /** Takes room for so many steps of formulas; tells whether there was enough. */
    private boolean take(int steps) {
      if (steps > left) {
        left = 0;
        return false;
      }
      left -= steps;
      return true;
    }
  }

  VectorFunctions(CodeBuilder code, EntryClass owner, Room room, VectorLoop loop) {
    this.code = code;
    this.owner = owner;
    this.room = room;
    this.widest = loop.widest();
    CodeWalk.code(loop.body(), c -> repeats |= c instanceof Code.For, this::find);
    loop.folds().forEach(f -> CodeWalk.expr(f.operand(), this::find));
  }

  private void find(Expr e) {
    operations += e.operands().isEmpty() ? 0 : 1;
    if (e instanceof Expr.Un(var op, _, var prim)
        && (prim == Prim.F64 || prim == Prim.F32)
        && op.elementary().isPresent()) {
      all.add(new ScalarFormula.Of(op.elementary().get(), prim));
    }
    if (e instanceof Expr.Bin(var op, var x, _) && op == BinaryOp.POW && x.prim().isFloat()) {
      all.add(new ScalarFormula.Of(Elementary.POW, Prim.F64));
    }
  }

  /** Whether the loop has any. */
  boolean isEmpty() {
    return all.isEmpty();
  }

  /**
   * Whether all of them are computed in vectors. Others are computed lane by lane, and then lanes
   * that are no iterations, or not of the branch with the function, take as long as the others.
   */
  boolean areFormulas() {
    return all.stream().allMatch(of -> of.steps() > 0);
  }

  /**
   * Makes what calls need, before the loop.
   *
   * @param bodies how often its body is written out
   */
  void prepare(int bodies) {
    room.take(3 * operations * bodies);
    int steps = bodies * all.stream().mapToInt(ScalarFormula.Of::steps).sum();
    if (!repeats && steps <= room.left && areFormulas()) {
      return;
    }
    all.stream().filter(of -> of.steps() == 0).forEach(this::array);
    if (all.stream().anyMatch(of -> of.steps() > 0)) {
      address = code.allocateLocal(TypeKind.LONG);
      var t = MethodTypeDesc.of(ConstantDescs.CD_long);
      code.invokestatic(MethodCode.CONTEXT, "arguments", t).lstore(address);
    }
  }

  private void array(ScalarFormula.Of of) {
    var key = Array.of(of);
    if (!arrays.containsKey(key)) {
      int array = code.allocateLocal(TypeKind.REFERENCE);
      var kind = of.prim() == Prim.F32 ? TypeKind.FLOAT : TypeKind.DOUBLE;
      code.loadConstant(key.arity * Vectors.lanes(widest)).newarray(kind).astore(array);
      arrays.put(key, array);
    }
  }

  /** Replaces the vector on the stack, or the two vectors, by the function of their lanes. */
  void apply(Elementary function, Prim prim) {
    var of = new ScalarFormula.Of(function, prim);
    owner.functions().scalar(of);
    if (of.steps() > 0 && room.take(of.steps())) {
      VectorFormula.apply(code, owner.self(), of, widest);
    } else if (of.steps() > 0) {
      var vectors = new VectorFormula.Of(of, widest);
      owner.functions().vector(vectors);
      VectorFormula.call(code, owner.self(), vectors, address);
    } else {
      var vectors = new VectorFormula.Of(of, widest);
      VectorFormula.lanes(code, owner.self(), vectors, arrays.get(Array.of(of)));
    }
  }
}
