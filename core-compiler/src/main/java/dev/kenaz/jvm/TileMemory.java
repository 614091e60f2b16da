package dev.kenaz.jvm;

import dev.kenaz.value.Prim;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;

/**
 * Emits what the code of {@link RegisterTiles} and of {@link TileCopies} does with memory.
 *
 * @param prim the type of the elements, f32 or f64
 * @param checked whether addresses are those of {@link CheckedMemory}
 */
record TileMemory(Prim prim, boolean checked) {
  /** The class that has the code, and in {@code U} the object for accesses to single elements. */
  static final ClassDesc SELF = ClassDesc.of("dev.kenaz.jvm.TileCode");

  private static final ClassDesc SEGMENT = ClassDesc.of("java.lang.foreign.MemorySegment");
  private static final ClassDesc BYTE_ORDER = ClassDesc.of("java.nio.ByteOrder");
  private static final ClassDesc L = ConstantDescs.CD_long;
  private static final ClassDesc I = ConstantDescs.CD_int;

  /** Some vectors of the type: the field of {@link Vectors} that says which, and their size. */
  record Lanes(String species, int bytes) {}

  /** Returns the longest vectors. */
  Lanes vectors() {
    int size = prim.byteSize();
    return new Lanes(Vectors.species(prim, size), Vectors.lanes(size) * size);
  }

  /** Returns the vectors of as many elements as tiles have rows. */
  Lanes rows() {
    return new Lanes(prim.name() + "_ROWS", RegisterTiles.ROWS * prim.byteSize());
  }

  ClassDesc type() {
    return Vectors.type(prim);
  }

  /** Loads the vector so many bytes after the address in a local. */
  void load(CodeBuilder code, Lanes lanes, int address, long bytes) {
    species(code, lanes);
    place(code, lanes, address, bytes, "read");
    var t = MethodTypeDesc.of(type(), Vectors.SPECIES, SEGMENT, L, BYTE_ORDER);
    code.invokestatic(type(), "fromMemorySegment", t);
  }

  /** Stores the vector on the stack likewise. */
  void store(CodeBuilder code, Lanes lanes, int address, long bytes) {
    place(code, lanes, address, bytes, "write");
    var t = MethodTypeDesc.of(ConstantDescs.CD_void, SEGMENT, L, BYTE_ORDER);
    code.invokevirtual(type(), "intoMemorySegment", t);
  }

  void species(CodeBuilder code, Lanes lanes) {
    code.getstatic(Vectors.SELF, lanes.species, Vectors.SPECIES);
  }

  private void place(CodeBuilder code, Lanes lanes, int address, long bytes, String how) {
    code.getstatic(Vectors.SELF, "ALL", SEGMENT);
    code.lload(address).loadConstant(bytes).ladd();
    check(code, how, lanes.bytes);
    code.getstatic(Vectors.SELF, "ORDER", BYTE_ORDER);
  }

  /** Leaves a vector whose lanes are all the scalar so many bytes after the address in a local. */
  void broadcast(CodeBuilder code, int address, long bytes) {
    var kind = JvmKind.of(prim).desc;
    species(code, vectors());
    code.getstatic(SELF, "U", ScalarCode.UNSAFE).lload(address).loadConstant(bytes).ladd();
    check(code, "read", prim.byteSize());
    var get = prim == Prim.F64 ? "getDouble" : "getFloat";
    code.invokevirtual(ScalarCode.UNSAFE, get, MethodTypeDesc.of(kind, L));
    code.invokestatic(type(), "broadcast", MethodTypeDesc.of(type(), Vectors.SPECIES, kind));
  }

  /** Copies an element from the address in one local to that in another, and so many bytes. */
  void move(CodeBuilder code, int to, long bytes, int from) {
    var kind = prim == Prim.F64 ? L : I;
    var suffix = prim == Prim.F64 ? "Long" : "Int";
    code.getstatic(SELF, "U", ScalarCode.UNSAFE).lload(to).loadConstant(bytes).ladd();
    check(code, "write", prim.byteSize());
    code.getstatic(SELF, "U", ScalarCode.UNSAFE).lload(from);
    check(code, "read", prim.byteSize());
    code.invokevirtual(ScalarCode.UNSAFE, "get" + suffix, MethodTypeDesc.of(kind, L));
    code.invokevirtual(
        ScalarCode.UNSAFE, "put" + suffix, MethodTypeDesc.of(ConstantDescs.CD_void, L, kind));
  }

  /** Replaces the address on the stack by the place of so many bytes. */
  private void check(CodeBuilder code, String how, int bytes) {
    if (checked) {
      var checking = ClassDesc.of("dev.kenaz.jvm.CheckedMemory");
      code.loadConstant((long) bytes).invokestatic(checking, how, MethodTypeDesc.of(L, L, L));
    }
  }

  /** Adds a constant to a local. */
  static void advance(CodeBuilder code, int address, long bytes) {
    code.lload(address).loadConstant(bytes).ladd().lstore(address);
  }

  /** Adds one local to another. */
  static void advanceBy(CodeBuilder code, int address, int step) {
    code.lload(address).lload(step).ladd().lstore(address);
  }
}
