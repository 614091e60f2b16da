package dev.kenaz.jvm;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.value.Prim;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;

/**
 * Emits the bytecode of register tiles, the inner part of {@link MatrixProduct}: a few rows times a
 * few vectors of columns of the product stay in registers while the depth is run through. Four rows
 * and four vectors keep sixteen multiply-adds going, which covers their latency, and fit the 32
 * registers of AVX-512; for machines with 16 registers, two vectors do.
 */
final class RegisterTiles {
  static final int ROWS = 4;
  static final int VECTORS = 4;

  private static final ClassDesc SELF = ClassDesc.of("dev.kenaz.jvm.TileCode");
  private static final ClassDesc SEGMENT = ClassDesc.of("java.lang.foreign.MemorySegment");
  private static final ClassDesc BYTE_ORDER = ClassDesc.of("java.nio.ByteOrder");
  private static final ClassDesc L = ConstantDescs.CD_long;
  private static final ClassDesc I = ConstantDescs.CD_int;
  private static final ClassDesc Z = ConstantDescs.CD_boolean;
  private static final MethodTypeDesc TILE =
      MethodTypeDesc.of(ConstantDescs.CD_void, L, L, L, L, L, I, L, L, Z);
  // These are the locals of a tile's method.
  private static final int A = 0;
  private static final int A_ROW = 2;
  private static final int A_COLUMN = 4;
  private static final int B = 6;
  private static final int B_ROW = 8;
  private static final int DEPTH = 10;
  private static final int C = 11;
  private static final int C_ROW = 13;
  private static final int ADD = 15;

  private final Prim prim;
  private final ClassDesc type;
  private final int vectorBytes;
  private final boolean checked;

  private RegisterTiles(Prim prim, boolean checked) {
    this.checked = checked;
    this.prim = prim;
    this.type = Vectors.type(prim);
    this.vectorBytes = Vectors.lanes(prim.byteSize()) * prim.byteSize();
  }

  /** Computes one tile. */
  interface Tile {
    /**
     * Computes a tile of some rows and vectors.
     *
     * @param rows 1, 2 or 4
     * @param vectors 1 to 4
     * @param frame addresses, and strides in bytes: the address of a, its row and column stride,
     *     the address of b, its row stride, the address of c, its row stride; the columns of b and
     *     c are adjacent
     * @param depth how many products are added for each element; it may be 0
     * @param add whether to add to what is in c, or to replace it
     */
    void run(int rows, int vectors, long[] frame, int depth, boolean add);

    /** Copies {@code n} elements, whose distances are given in bytes. */
    void copy(long to, long toStep, long from, long fromStep, int n);
  }

  /**
   * Makes tiles of elements of that type.
   *
   * @param checked whether addresses are those of {@link CheckedMemory}
   */
  static Tile of(Prim prim, boolean checked) {
    try {
      var lookup =
          MethodHandles.lookup().defineHiddenClass(new RegisterTiles(prim, checked).bytes(), true);
      return (Tile)
          lookup.findConstructor(lookup.lookupClass(), MethodType.methodType(void.class)).invoke();
    } catch (Throwable e) {
      throw new CompilerBug("jvm", "the class of tiles doesn't load", e);
    }
  }

  private byte[] bytes() {
    return ClassFile.of().build(SELF, this::build);
  }

  private void build(ClassBuilder cb) {
    cb.withFlags(ClassFile.ACC_FINAL | ClassFile.ACC_SUPER);
    cb.withInterfaceSymbols(ClassDesc.of("dev.kenaz.jvm.RegisterTiles$Tile"));
    cb.withField("U", ScalarCode.UNSAFE, ClassFile.ACC_STATIC | ClassFile.ACC_FINAL);
    cb.withMethodBody(
        ConstantDescs.CLASS_INIT_NAME,
        ConstantDescs.MTD_void,
        ClassFile.ACC_STATIC,
        code ->
            code.invokestatic(
                    MethodCode.CONTEXT, "unsafe", MethodTypeDesc.of(ConstantDescs.CD_Object))
                .checkcast(ScalarCode.UNSAFE)
                .putstatic(SELF, "U", ScalarCode.UNSAFE)
                .return_());
    cb.withMethodBody(
        ConstantDescs.INIT_NAME,
        ConstantDescs.MTD_void,
        0,
        code ->
            code.aload(0)
                .invokespecial(
                    ConstantDescs.CD_Object, ConstantDescs.INIT_NAME, ConstantDescs.MTD_void)
                .return_());
    for (int rows = 1; rows <= ROWS; rows *= 2) {
      for (int vectors = 1; vectors <= VECTORS; vectors++) {
        int r = rows;
        int v = vectors;
        cb.withMethodBody(name(r, v), TILE, ClassFile.ACC_STATIC, code -> tile(code, r, v));
      }
    }
    var run = MethodTypeDesc.of(ConstantDescs.CD_void, I, I, MethodCode.LONGS, I, Z);
    cb.withMethodBody("run", run, ClassFile.ACC_PUBLIC, this::dispatch);
    var copy = MethodTypeDesc.of(ConstantDescs.CD_void, L, L, L, L, I);
    cb.withMethodBody("copy", copy, ClassFile.ACC_PUBLIC, this::copy);
  }

  private static String name(int rows, int vectors) {
    return "tile" + rows + "x" + vectors;
  }

  private void dispatch(CodeBuilder code) {
    var end = code.newLabel();
    var cases = new ArrayList<SwitchCase>();
    for (int rows = 1; rows <= ROWS; rows *= 2) {
      for (int vectors = 1; vectors <= VECTORS; vectors++) {
        cases.add(SwitchCase.of(rows * VECTORS + vectors, code.newLabel()));
      }
    }
    code.iload(1).loadConstant(VECTORS).imul().iload(2).iadd().lookupswitch(end, cases);
    for (var c : cases) {
      int vectors = (c.caseValue() - 1) % VECTORS + 1;
      code.labelBinding(c.target());
      for (int k = 0; k < 5; k++) {
        code.aload(3).loadConstant(k).laload();
      }
      code.iload(4);
      code.aload(3).loadConstant(5).laload();
      code.aload(3).loadConstant(6).laload().iload(5);
      code.invokestatic(SELF, name((c.caseValue() - vectors) / VECTORS, vectors), TILE).return_();
    }
    code.labelBinding(end).return_();
  }

  private void copy(CodeBuilder code) {
    int to = 1;
    int toStep = 3;
    int from = 5;
    int fromStep = 7;
    int n = 9;
    var kind = prim == Prim.F64 ? L : I;
    var suffix = prim == Prim.F64 ? "Long" : "Int";
    int i = code.allocateLocal(TypeKind.INT);
    code.iconst_0().istore(i);
    var top = code.newBoundLabel();
    var exit = code.newLabel();
    code.iload(i).iload(n).if_icmpge(exit);
    code.getstatic(SELF, "U", ScalarCode.UNSAFE).lload(to);
    check(code, "write", prim.byteSize());
    code.getstatic(SELF, "U", ScalarCode.UNSAFE).lload(from);
    check(code, "read", prim.byteSize());
    code.invokevirtual(ScalarCode.UNSAFE, "get" + suffix, MethodTypeDesc.of(kind, L));
    code.invokevirtual(
        ScalarCode.UNSAFE, "put" + suffix, MethodTypeDesc.of(ConstantDescs.CD_void, L, kind));
    code.lload(to).lload(toStep).ladd().lstore(to);
    code.lload(from).lload(fromStep).ladd().lstore(from);
    code.iinc(i, 1).goto_(top).labelBinding(exit).return_();
  }

  private void tile(CodeBuilder code, int rows, int vectors) {
    var sums = new int[rows][vectors];
    for (var row : sums) {
      for (int v = 0; v < vectors; v++) {
        row[v] = code.allocateLocal(TypeKind.REFERENCE);
        species(code);
        code.invokestatic(type, "zero", MethodTypeDesc.of(type, Vectors.SPECIES)).astore(row[v]);
      }
    }
    int a = code.allocateLocal(TypeKind.LONG);
    int k = code.allocateLocal(TypeKind.INT);
    var columns = new int[vectors];
    for (int v = 0; v < vectors; v++) {
      columns[v] = code.allocateLocal(TypeKind.REFERENCE);
    }
    code.iconst_0().istore(k);
    var top = code.newBoundLabel();
    var exit = code.newLabel();
    code.iload(k).iload(DEPTH).if_icmpge(exit);
    for (int v = 0; v < vectors; v++) {
      load(code, B, v);
      code.astore(columns[v]);
    }
    code.lload(A).lstore(a);
    int factor = code.allocateLocal(TypeKind.REFERENCE);
    for (int r = 0; r < rows; r++) {
      element(code, a);
      code.astore(factor);
      for (int v = 0; v < vectors; v++) {
        code.aload(factor).aload(columns[v]).aload(sums[r][v]);
        code.invokevirtual(type, "fma", MethodTypeDesc.of(type, Vectors.VECTOR, Vectors.VECTOR));
        code.astore(sums[r][v]);
      }
      if (r + 1 < rows) {
        code.lload(a).lload(A_ROW).ladd().lstore(a);
      }
    }
    code.lload(A).lload(A_COLUMN).ladd().lstore(A);
    code.lload(B).lload(B_ROW).ladd().lstore(B);
    code.iinc(k, 1).goto_(top).labelBinding(exit);
    write(code, sums);
  }

  private void species(CodeBuilder code) {
    var field = Vectors.species(prim, prim.byteSize());
    code.getstatic(Vectors.SELF, field, Vectors.SPECIES);
  }

  /** Leaves a vector whose lanes are all the scalar at the address in a local. */
  private void element(CodeBuilder code, int address) {
    var kind = JvmKind.of(prim).desc;
    species(code);
    code.getstatic(SELF, "U", ScalarCode.UNSAFE).lload(address);
    check(code, "read", prim.byteSize());
    var get = prim == Prim.F64 ? "getDouble" : "getFloat";
    code.invokevirtual(ScalarCode.UNSAFE, get, MethodTypeDesc.of(kind, L));
    code.invokestatic(type, "broadcast", MethodTypeDesc.of(type, Vectors.SPECIES, kind));
  }

  /** Replaces the address on the stack by the place of so many bytes. */
  private void check(CodeBuilder code, String how, int bytes) {
    if (checked) {
      var checking = ClassDesc.of("dev.kenaz.jvm.CheckedMemory");
      code.loadConstant((long) bytes).invokestatic(checking, how, MethodTypeDesc.of(L, L, L));
    }
  }

  private void place(CodeBuilder code, int address, int vector, String how) {
    code.getstatic(Vectors.SELF, "ALL", SEGMENT);
    code.lload(address).loadConstant((long) vector * vectorBytes).ladd();
    check(code, how, vectorBytes);
    code.getstatic(Vectors.SELF, "ORDER", BYTE_ORDER);
  }

  private void load(CodeBuilder code, int address, int vector) {
    species(code);
    place(code, address, vector, "read");
    var t = MethodTypeDesc.of(type, Vectors.SPECIES, SEGMENT, L, BYTE_ORDER);
    code.invokestatic(type, "fromMemorySegment", t);
  }

  private void write(CodeBuilder code, int[][] sums) {
    var replace = code.newLabel();
    var store = MethodTypeDesc.of(ConstantDescs.CD_void, SEGMENT, L, BYTE_ORDER);
    var add = MethodTypeDesc.of(type, Vectors.VECTOR);
    code.iload(ADD).ifeq(replace);
    for (int pass = 0; pass < 2; pass++) {
      for (int r = 0; r < sums.length; r++) {
        for (int v = 0; v < sums[r].length; v++) {
          code.aload(sums[r][v]);
          if (pass == 0) {
            load(code, C, v);
            code.invokevirtual(type, "add", add);
          }
          place(code, C, v, "write");
          code.invokevirtual(type, "intoMemorySegment", store);
        }
        if (r + 1 < sums.length) {
          code.lload(C).lload(C_ROW).ladd().lstore(C);
        }
      }
      code.return_();
      if (pass == 0) {
        code.labelBinding(replace);
      }
    }
  }
}
