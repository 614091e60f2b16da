package dev.kenaz.jvm;

import dev.kenaz.elementary.Elementary;
import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.jvm.Shape.Affine;
import dev.kenaz.jvm.Shape.Varying;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Emits the bytecode of a vector loop's expressions, for one copy of its body at a time: every
 * vector is in a local, and the JIT inlines every operation.
 */
final class VectorExpressions {
  private static final ClassDesc BINARY = Vectors.OPERATORS.nested("Binary");
  private static final ClassDesc UNARY = Vectors.OPERATORS.nested("Unary");
  private static final ClassDesc COMPARISON = Vectors.OPERATORS.nested("Comparison");
  static final ClassDesc ASSOCIATIVE = Vectors.OPERATORS.nested("Associative");
  static final ClassDesc SEGMENT = ClassDesc.of("java.lang.foreign.MemorySegment");
  static final ClassDesc BYTE_ORDER = ClassDesc.of("java.nio.ByteOrder");
  private static final ClassDesc L = ConstantDescs.CD_long;
  private static final ClassDesc I = ConstantDescs.CD_int;

  private final CodeBuilder code;
  private final ScalarCode scalars;
  private final VectorLoop loop;
  private final VectorFunctions functions;
  private final ExactVectors exact;
  private final List<Map<Reg, Integer>> vectors = new ArrayList<>();
  private final Map<Reg, Prim> masks = new HashMap<>();
  private final Map<Kept, Integer> rows = new HashMap<>();
  private int copy;
  private LastVector last;

  /** Elements at a stride that a copy of the body has loaded. */
  private record Strided(Prim prim, Expr base, Expr index, int copy) {}

  private final Map<Strided, Integer> strided = new HashMap<>();
  private int meetings;

  /** A store that waits for others, in a copy of the body. */
  private record Kept(Code.Store store, int copy) {}

  VectorExpressions(
      CodeBuilder code,
      ScalarCode scalars,
      VectorLoop loop,
      VectorFunctions functions,
      ExactVectors exact) {
    this.code = code;
    this.exact = exact;
    this.scalars = scalars;
    this.loop = loop;
    this.functions = functions;
  }

  /** What follows is code for the copy of the body that has this number, counted from 0. */
  void in(int number) {
    copy = number;
    while (vectors.size() <= number) {
      vectors.add(new HashMap<>());
    }
  }

  /** What follows is code for the last vector, or, with null, for whole vectors again. */
  void inLast(LastVector vector) {
    last = vector;
  }

  /** Returns the last vector if this is code for it; otherwise null. */
  LastVector last() {
    return last;
  }

  /** Puts the value of the expression into the vector or the mask that stands for the register. */
  void set(Reg reg, Expr e) {
    if (reg.prim() == Prim.BOOL && (loop.isMasked(reg) || !(shape(e) instanceof Varying))) {
      maskFor(e, Prim.I32);
      masks.put(reg, Prim.I32);
    } else if (reg.prim() == Prim.BOOL) {
      masks.put(reg, mask(e));
    } else {
      vector(e, reg.prim());
    }
    exact.store(local(reg));
  }

  /** Puts the value into the lanes of a mask for i32; the other lanes of the register stay. */
  void setWhere(int active, Reg reg, Expr e) {
    if (reg.prim() == Prim.BOOL) {
      var two = MethodTypeDesc.of(Vectors.MASK, Vectors.MASK);
      maskFor(e, Prim.I32);
      exact.mask(active, Prim.I32);
      code.invokevirtual(Vectors.MASK, "and", two);
      exact.mask(local(reg), Prim.I32);
      exact.mask(active, Prim.I32);
      code.invokevirtual(Vectors.MASK, "andNot", two).invokevirtual(Vectors.MASK, "or", two);
    } else {
      var type = Vectors.type(reg.prim(), loop.widest());
      exact.vector(local(reg), reg.prim());
      vector(e, reg.prim());
      exact.mask(active, Prim.I32);
      if (!Vectors.species(Prim.I32, loop.widest())
          .equals(Vectors.species(reg.prim(), loop.widest()))) {
        species(reg.prim());
        code.invokevirtual(Vectors.MASK, "cast", MethodTypeDesc.of(Vectors.MASK, Vectors.SPECIES));
      }
      code.invokevirtual(type, "blend", MethodTypeDesc.of(type, Vectors.VECTOR, Vectors.MASK));
    }
    exact.store(local(reg));
  }

  private int local(Reg reg) {
    return vectors.get(copy).computeIfAbsent(reg, _ -> code.allocateLocal(TypeKind.REFERENCE));
  }

  /** Returns how far what grows by a step in each iteration is in this copy from the first one. */
  Expr distance(long step) {
    return Expr.i64(step * copy * Vectors.lanes(loop.widest()));
  }

  Shape shape(Expr e) {
    try {
      return loop.shape(e);
    } catch (Unsuitable u) {
      throw new CompilerBug("jvm", "a vector loop has changed: " + u.getMessage());
    }
  }

  private void species(Prim prim) {
    code.getstatic(Vectors.SELF, Vectors.species(prim, loop.widest()), Vectors.SPECIES);
  }

  /** Returns the number of bytes of a vector. */
  int bytes(Prim prim) {
    return Vectors.lanes(loop.widest()) * prim.byteSize();
  }

  void segment(Prim prim, Expr base, Expr index, Runnable check) {
    code.getstatic(Vectors.SELF, "ALL", SEGMENT);
    scalars.address(prim, base, index);
    check.run();
    code.getstatic(Vectors.SELF, "ORDER", BYTE_ORDER);
  }

  void broadcast(Expr uniform) {
    broadcast(uniform.prim(), () -> scalars.value(uniform));
  }

  /**
   * Leaves a vector whose lanes are all the same.
   *
   * @param number leaves the scalar
   */
  private void broadcast(Prim prim, Runnable number) {
    species(prim);
    number.run();
    switch (Vectors.carrier(prim, loop.widest())) {
      case I8 -> code.i2b();
      case I16 -> code.i2s();
      default -> {}
    }
    var type = Vectors.type(prim, loop.widest());
    var lane = Vectors.lane(prim, loop.widest());
    code.invokestatic(type, "broadcast", MethodTypeDesc.of(type, Vectors.SPECIES, lane));
  }

  /** Leaves the expression as a vector of this type. */
  void vector(Expr e, Prim prim) {
    var type = Vectors.type(prim, loop.widest());
    switch (shape(e)) {
      case Shape.Uniform _ -> broadcast(e);
      case Affine(var step) -> {
        // These are the first lane's value, and the distance of the others from it.
        broadcast(Expr.add(e, distance(step)));
        code.loadConstant((int) step).invokevirtual(type, "addIndex", MethodTypeDesc.of(type, I));
      }
      case Varying _ -> varying(e, type);
    }
  }

  /** Leaves {@code x * y + z} on the stack, rounded once. */
  void mulAdd(Expr x, Expr y, Runnable z) {
    var type = Vectors.type(x.prim(), loop.widest());
    vector(x, x.prim());
    vector(y, x.prim());
    z.run();
    code.invokevirtual(type, "fma", MethodTypeDesc.of(type, Vectors.VECTOR, Vectors.VECTOR));
  }

  private void varying(Expr e, ClassDesc type) {
    switch (e) {
      case Expr.Use(var reg) -> exact.vector(local(reg), reg.prim());
      case Expr.Un(var op, var x, var prim) -> {
        vector(x, prim);
        if (op.elementary().isPresent() && prim.isFloat()) {
          functions.apply(op.elementary().get(), prim);
        } else {
          code.getstatic(Vectors.OPERATORS, VectorOperations.of(op, prim), UNARY);
          code.invokevirtual(type, "lanewise", MethodTypeDesc.of(type, UNARY));
          narrow().wrap(prim);
        }
      }
      case Expr.Bin(var op, var x, var y) when op == BinaryOp.POW -> {
        asF64(x);
        asF64(y);
        functions.apply(Elementary.POW, Prim.F64);
        if (x.prim() == Prim.F32) {
          new VectorConversions(code, loop.widest()).convert(Prim.F64, Prim.F32);
        }
      }
      case Expr.Bin(var op, var x, Expr.Lit(var y)) when WholeDivision.exists(op, y) -> {
        vector(x, x.prim());
        WholeDivision.divide(code, loop.widest(), op, x.prim(), y.bits());
      }
      case Expr.Bin(var op, var x, var y) ->
          binary(op, x.prim(), () -> vector(x, x.prim()), () -> vector(y, x.prim()));
      case Expr.MulAdd(var x, var y, var z) -> mulAdd(x, y, () -> vector(z, x.prim()));
      case Expr.Conv(var to, var x) when x.prim() == Prim.BOOL -> {
        broadcast(Expr.zero(to));
        broadcast(new Expr.Lit(ScalarValue.ofLong(to, 1)));
        maskFor(x, to);
        code.invokevirtual(type, "blend", MethodTypeDesc.of(type, Vectors.VECTOR, Vectors.MASK));
      }
      case Expr.Conv(var to, var x) -> {
        vector(x, x.prim());
        new VectorConversions(code, loop.widest()).convert(x.prim(), to);
      }
      case Expr.Select(var c, Expr.Load read, _) when loop.masks() && MaskedReads.is(e) ->
          masked(c, read);
      case Expr.Select(var c, var x, var y) -> {
        vector(y, y.prim());
        vector(x, x.prim());
        maskFor(c, x.prim());
        code.invokevirtual(type, "blend", MethodTypeDesc.of(type, Vectors.VECTOR, Vectors.MASK));
      }
      case Expr.Load(var prim, var base, var index) -> load(prim, base, index);
      case Expr.Lit _, Expr.Size _, Expr.Cmp _ ->
          throw new CompilerBug("jvm", "not a vector: " + e);
    }
  }

  private void asF64(Expr x) {
    vector(x, x.prim());
    if (x.prim() == Prim.F32) {
      new VectorConversions(code, loop.widest()).convert(Prim.F32, Prim.F64);
    }
  }

  /** Leaves elements, bools as ints, in the order of the lanes. */
  private void load(Prim prim, Expr base, Expr index) {
    if (shape(index) instanceof Affine(var step) && step > 1) {
      strided(new Strided(prim, base, loop.inlined(index), copy), index, (int) step);
      return;
    }
    boolean backwards = shape(index).equals(new Affine(-1));
    int before = Vectors.lanes(loop.widest()) - 1;
    var here = Expr.add(index, distance(backwards ? -1 : 1));
    var first = backwards ? Expr.sub(here, Expr.i64(before)) : here;
    neighbours(prim, base, first);
    if (backwards) {
      var wide = prim.byteSize() < 4 ? Prim.I32 : prim;
      var vector = Vectors.type(wide, loop.widest());
      var shuffle = "REVERSE_" + Vectors.species(wide, loop.widest());
      code.getstatic(Vectors.SELF, shuffle, Vectors.SHUFFLE);
      code.invokevirtual(vector, "rearrange", MethodTypeDesc.of(vector, Vectors.SHUFFLE));
    }
  }

  /** Loads where the condition holds; what the other lanes have doesn't matter. */
  private void masked(Expr c, Expr.Load read) {
    var prim = read.prim();
    if (shape(read.index()) instanceof Affine) {
      Runnable place =
          () -> segment(prim, read.base(), Expr.add(read.index(), distance(1)), () -> {});
      if (isExtended(prim)) {
        narrow().load(prim, place, () -> maskFor(c, Prim.I32));
        return;
      }
      species(prim);
      place.run();
      maskFor(c, prim);
      MaskedReads.load(code, prim, loop.widest());
      return;
    }
    var none = code.newLabel();
    var end = code.newLabel();
    int element = code.allocateLocal(JvmKind.of(prim).type);
    maskFor(c, prim);
    code.invokevirtual(Vectors.MASK, "anyTrue", MethodTypeDesc.of(ConstantDescs.CD_boolean));
    code.ifeq(none);
    scalars.value(read);
    code.storeLocal(JvmKind.of(prim).type, element).goto_(end).labelBinding(none);
    exact.meet();
    scalars.value(Expr.zero(prim));
    code.storeLocal(JvmKind.of(prim).type, element).labelBinding(end);
    exact.meet();
    broadcast(prim, () -> code.loadLocal(JvmKind.of(prim).type, element));
  }

  /** Loads elements at a stride, unless they have been loaded since paths have met. */
  private void strided(Strided what, Expr index, int step) {
    if (meetings != exact.meetings()) {
      strided.clear();
      meetings = exact.meetings();
    }
    var known = strided.get(what);
    if (known == null) {
      var start = Expr.add(index, distance(step));
      new StridedVectors(code, what.prim, loop.widest(), step)
          .load(k -> neighbours(what.prim, what.base, Expr.add(start, Expr.i64(k))));
      known = code.allocateLocal(TypeKind.REFERENCE);
      exact.store(known);
      if (loop.isEarly(what.index) && loop.isEarly(what.base)) {
        strided.put(what, known);
      }
    }
    exact.vector(known, what.prim);
  }

  private void neighbours(Prim prim, Expr base, Expr first) {
    Runnable place = () -> segment(prim, base, first, () -> place("read", prim));
    if (isExtended(prim)) {
      narrow().load(prim, place);
      return;
    }
    species(prim);
    place.run();
    if (last != null) {
      last.load(prim);
      return;
    }
    var type = Vectors.type(prim, loop.widest());
    var t = MethodTypeDesc.of(type, Vectors.SPECIES, SEGMENT, L, BYTE_ORDER);
    code.invokestatic(type, "fromMemorySegment", t);
  }

  private void place(String how, Prim prim) {
    scalars
        .accesses()
        .place(
            how,
            () -> {
              if (last == null) {
                code.loadConstant(bytes(prim));
              } else {
                last.bytes(prim);
              }
            });
  }

  /** Returns the local for an element of each row. */
  private int kept(Code.Store store) {
    return rows.computeIfAbsent(new Kept(store, copy), _ -> code.allocateLocal(TypeKind.REFERENCE));
  }

  /** Stores elements of rows, once all of them are there. */
  void element(Code.Store store, Interleaved.Row row) {
    int stride = row.stores().size();
    var rows = new StridedVectors(code, store.prim(), loop.widest(), stride);
    vector(store.value(), store.prim());
    if (!narrow().pack(store.prim(), stride)) {
      rows.spread(row.stores().indexOf(store));
    }
    exact.store(kept(store));
    if (store == row.last()) {
      var first = Expr.add(row.first(), distance(stride));
      if (narrow().pack(store.prim(), stride)) {
        narrow()
            .packed(store.prim(), stride, k -> exact.vector(kept(row.stores().get(k)), Prim.I32));
        store(Vectors.carrier(store.prim(), loop.widest()), store.prim(), store.base(), first);
        return;
      }
      for (int part = 0; part < stride; part++) {
        rows.rows(part, k -> exact.vector(kept(row.stores().get(k)), store.prim()));
        var at = Expr.add(first, Expr.i64((long) part * Vectors.lanes(loop.widest())));
        store(store.prim(), store.base(), at);
      }
    }
  }

  /** Stores the vector on the stack. */
  void store(Prim prim, Expr base, Expr index) {
    store(prim, prim, base, index);
  }

  /**
   * Does the same.
   *
   * @param prim the type of lanes in memory
   * @param element the type of the elements that the index counts
   */
  private void store(Prim prim, Prim element, Expr base, Expr index) {
    strided.clear();
    Runnable place = () -> segment(element, base, index, () -> place("write", prim));
    if (isExtended(prim)) {
      narrow().store(prim, place);
      return;
    }
    place.run();
    if (last != null) {
      last.store(prim);
      return;
    }
    var t = MethodTypeDesc.of(ConstantDescs.CD_void, SEGMENT, L, BYTE_ORDER);
    code.invokevirtual(Vectors.type(prim, loop.widest()), "intoMemorySegment", t);
  }

  /** Whether vectors in memory are shorter than those in registers. */
  private boolean isExtended(Prim prim) {
    return prim.byteSize() < Math.min(4, loop.widest());
  }

  private NarrowVectors narrow() {
    return new NarrowVectors(code, loop.widest());
  }

  /** Leaves what is stored: bools as ints. */
  void stored(Expr value, Prim prim) {
    if (prim == Prim.BOOL) {
      var number = Vectors.carrier(prim, loop.widest());
      vector(new Expr.Conv(number, value), number);
    } else {
      vector(value, prim);
    }
  }

  void binary(BinaryOp op, Prim prim, Runnable left, Runnable right) {
    var type = Vectors.type(prim, loop.widest());
    var two = MethodTypeDesc.of(type, Vectors.VECTOR);
    left.run();
    right.run();
    switch (op) {
      case ADD -> code.invokevirtual(type, "add", two);
      case SUB -> code.invokevirtual(type, "sub", two);
      case MUL -> code.invokevirtual(type, "mul", two);
      case DIV -> code.invokevirtual(type, "div", two);
      case MIN, MAX -> extremum(op, prim, type);
      default -> {
        var t = MethodTypeDesc.of(type, BINARY, Vectors.VECTOR);
        // The operator comes first, then the vector.
        var field = op.isCommutativeMonoid() ? ASSOCIATIVE : BINARY;
        code.getstatic(Vectors.OPERATORS, VectorOperations.of(op, prim), field).swap();
        code.invokevirtual(type, "lanewise", t);
      }
    }
    switch (op) {
      case ADD, SUB, MUL, SHL -> narrow().wrap(prim);
      default -> {}
    }
  }

  /**
   * Computes the extremum of two vectors on the stack; where one lane is NaN, the result is that of
   * the other.
   */
  private void extremum(BinaryOp op, Prim prim, ClassDesc type) {
    var name = op == BinaryOp.MIN ? "min" : "max";
    var two = MethodTypeDesc.of(type, Vectors.VECTOR);
    if (prim.isUnsigned() && !isExtended(prim)) {
      unsigned("U" + op.name(), type);
      return;
    }
    if (!prim.isFloat()) {
      code.invokevirtual(type, name, two);
      return;
    }
    int y = code.allocateLocal(TypeKind.REFERENCE);
    int x = code.allocateLocal(TypeKind.REFERENCE);
    code.astore(y).astore(x);
    code.aload(x).aload(y).invokevirtual(type, name, two);
    blendWhereNaN(type, y, x);
    blendWhereNaN(type, x, y);
  }

  private void unsigned(String operator, ClassDesc type) {
    code.getstatic(Vectors.OPERATORS, operator, ASSOCIATIVE).swap();
    code.invokevirtual(type, "lanewise", MethodTypeDesc.of(type, BINARY, Vectors.VECTOR));
  }

  private void blendWhereNaN(ClassDesc type, int replacement, int tested) {
    code.aload(replacement).aload(tested);
    code.getstatic(Vectors.OPERATORS, "NE", COMPARISON).aload(tested);
    var t = MethodTypeDesc.of(Vectors.MASK, COMPARISON, Vectors.VECTOR);
    code.invokevirtual(type, "compare", t);
    code.invokevirtual(type, "blend", MethodTypeDesc.of(type, Vectors.VECTOR, Vectors.MASK));
  }

  // Masks

  /** Leaves a mask for vectors of the type. */
  void maskFor(Expr e, Prim prim) {
    if (!(shape(e) instanceof Varying)) {
      species(prim);
      scalars.value(e);
      var t = MethodTypeDesc.of(Vectors.MASK, ConstantDescs.CD_boolean);
      code.invokeinterface(Vectors.SPECIES, "maskAll", t);
      return;
    }
    var made = mask(e);
    if (!Vectors.species(made, loop.widest()).equals(Vectors.species(prim, loop.widest()))) {
      species(prim);
      code.invokevirtual(Vectors.MASK, "cast", MethodTypeDesc.of(Vectors.MASK, Vectors.SPECIES));
    }
  }

  /** Leaves a mask; returns the type whose vectors it fits. */
  Prim mask(Expr e) {
    return switch (e) {
      case Expr.Use(var reg) -> {
        var prim = masks.get(reg);
        exact.mask(local(reg), prim);
        yield prim;
      }
      case Expr.Cmp(var op, var x, var y) -> {
        var type = Vectors.type(x.prim(), loop.widest());
        vector(x, x.prim());
        code.getstatic(Vectors.OPERATORS, VectorOperations.of(op, x.prim()), COMPARISON);
        vector(y, x.prim());
        var t = MethodTypeDesc.of(Vectors.MASK, COMPARISON, Vectors.VECTOR);
        code.invokevirtual(type, "compare", t);
        yield x.prim();
      }
      case Expr.Un(_, var x, _) -> {
        var prim = mask(x);
        code.invokevirtual(Vectors.MASK, "not", MethodTypeDesc.of(Vectors.MASK));
        yield prim;
      }
      case Expr.Bin(var op, var x, var y) -> {
        boolean first = shape(x) instanceof Varying;
        var prim = mask(first ? x : y);
        maskFor(first ? y : x, prim);
        var name = op == BinaryOp.AND ? "and" : "or";
        code.invokevirtual(Vectors.MASK, name, MethodTypeDesc.of(Vectors.MASK, Vectors.MASK));
        yield prim;
      }
      case Expr.Load(var prim, var base, var index) -> {
        load(prim, base, index);
        code.getstatic(Vectors.OPERATORS, "NE", COMPARISON).iconst_0();
        var lane = Vectors.lane(prim, loop.widest());
        var t = MethodTypeDesc.of(Vectors.MASK, COMPARISON, lane);
        code.invokevirtual(Vectors.type(prim, loop.widest()), "compare", t);
        yield Prim.I32;
      }
      case Expr.Lit _, Expr.Size _, Expr.MulAdd _, Expr.Conv _, Expr.Select _ ->
          throw new CompilerBug("jvm", "not a mask: " + e);
    };
  }
}
