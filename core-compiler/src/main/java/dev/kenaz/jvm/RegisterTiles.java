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
import java.util.Locale;

/**
 * Emits the bytecode of register tiles, the inner part of {@link MatrixProduct}: a few rows times a
 * few vectors of columns of the product stay in registers while the depth is run through. Four rows
 * and four vectors keep sixteen multiply-adds going, which covers their latency, and fit the 32
 * registers of AVX-512; for machines with 16 registers, two vectors do.
 */
final class RegisterTiles {
  static final int ROWS = 4;
  static final int VECTORS = 4;

  private static final ClassDesc SELF = TileMemory.SELF;
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

  private final TileMemory memory;
  private final TileMemory.Lanes lanes;
  private final ClassDesc type;
  private final boolean differences;

  private RegisterTiles(Prim prim, boolean differences, boolean checked) {
    this.differences = differences;
    memory = new TileMemory(prim, checked);
    lanes = memory.vectors();
    type = memory.type();
  }

  /** How the factors of a tile lie in memory. */
  enum Layout {
    /** The strides of the frame say it. */
    ANY,
    /** The columns of a are adjacent; so are the rows of b, which are as wide as the tile. */
    ADJACENT,
    /** The columns of a, which are as high as the tile, are adjacent; b is as above. */
    PACKED;

    private String method() {
      return name().toLowerCase(Locale.ROOT);
    }

    private String tile(int rows, int vectors) {
      return method() + rows + "x" + vectors;
    }
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
    void any(int rows, int vectors, long[] frame, int depth, boolean add);

    /** Computes a tile that is {@link Layout#ADJACENT}; {@code frame} has all strides too. */
    void adjacent(int rows, int vectors, long[] frame, int depth, boolean add);

    /** Computes a tile that is {@link Layout#PACKED}; {@code frame} has all strides too. */
    void packed(int rows, int vectors, long[] frame, int depth, boolean add);

    default void run(Layout layout, int rows, int vectors, long[] frame, int depth, boolean add) {
      switch (layout) {
        case ANY -> any(rows, vectors, frame, depth, add);
        case ADJACENT -> adjacent(rows, vectors, frame, depth, add);
        case PACKED -> packed(rows, vectors, frame, depth, add);
      }
    }

    /**
     * Copies {@code n} elements, whose distances are given in bytes.
     *
     * @param which of the elements from an address on these are
     */
    void copy(long to, long toStep, long from, long fromStep, int[] which, int n);

    /** Copies {@code n} vectors likewise. */
    void copyVectors(long to, long toStep, long from, long fromStep, int[] which, int n);

    /**
     * Copies {@code n} groups of {@link #ROWS} adjacent elements likewise, which are fewer than a
     * vector has.
     */
    void copyRows(long to, long toStep, long from, long fromStep, int[] which, int n);

    /**
     * Transposes as many rows as a vector has lanes, and so many columns, a multiple of that. What
     * was a column becomes adjacent.
     *
     * @param toStep the distance in bytes of two columns after
     * @param fromStep the distance of two rows before
     */
    void turn(long to, long toStep, long from, long fromStep, int n);

    /**
     * Copies {@code n} groups of {@link #ROWS} elements likewise, so that those of a group become
     * adjacent.
     *
     * @param apart the distance in bytes of two elements of a group before
     */
    void join(long to, long toStep, long from, long fromStep, int[] which, int n, long apart);
  }

  /**
   * Makes tiles of elements of that type.
   *
   * @param differences whether squares of differences are summed in place of products
   * @param checked whether addresses are those of {@link CheckedMemory}
   */
  static Tile of(Prim prim, boolean differences, boolean checked) {
    try {
      var lookup =
          MethodHandles.lookup()
              .defineHiddenClass(new RegisterTiles(prim, differences, checked).bytes(), true);
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
        for (var l : Layout.values()) {
          cb.withMethodBody(l.tile(r, v), TILE, ClassFile.ACC_STATIC, code -> tile(code, l, r, v));
        }
      }
    }
    var run = MethodTypeDesc.of(ConstantDescs.CD_void, I, I, MethodCode.LONGS, I, Z);
    for (var l : Layout.values()) {
      cb.withMethodBody(l.method(), run, ClassFile.ACC_PUBLIC, code -> dispatch(code, l));
    }
    new TileCopies(memory).build(cb);
  }

  private void dispatch(CodeBuilder code, Layout layout) {
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
      int rows = (c.caseValue() - vectors) / VECTORS;
      code.invokestatic(SELF, layout.tile(rows, vectors), TILE).return_();
    }
    code.labelBinding(end).return_();
  }

  private void tile(CodeBuilder code, Layout layout, int rows, int vectors) {
    var sums = new int[rows][vectors];
    for (var row : sums) {
      for (int v = 0; v < vectors; v++) {
        row[v] = code.allocateLocal(TypeKind.REFERENCE);
        memory.species(code, lanes);
        code.invokestatic(type, "zero", MethodTypeDesc.of(type, Vectors.SPECIES)).astore(row[v]);
      }
    }
    int size = memory.prim().byteSize();
    long width = (long) vectors * lanes.bytes();
    if (layout == Layout.ANY) {
      int k = code.allocateLocal(TypeKind.INT);
      code.iconst_0().istore(k);
      var top = code.newBoundLabel();
      var exit = code.newLabel();
      code.iload(k).iload(DEPTH).if_icmpge(exit);
      products(code, sums, A_ROW, 0);
      TileMemory.advanceBy(code, A, A_COLUMN);
      TileMemory.advanceBy(code, B, B_ROW);
      code.iinc(k, 1).goto_(top).labelBinding(exit);
    } else {
      // HotSpot would unroll a loop that counts, and then lack registers.
      int end = code.allocateLocal(TypeKind.LONG);
      code.lload(B).iload(DEPTH).i2l().loadConstant(width).lmul().ladd().lstore(end);
      var top = code.newBoundLabel();
      var exit = code.newLabel();
      code.lload(B).lload(end).lcmp().ifeq(exit);
      boolean packed = layout == Layout.PACKED;
      products(code, sums, packed ? 0 : A_ROW, packed ? size : 0);
      TileMemory.advance(code, A, (long) size * (packed ? rows : 1));
      TileMemory.advance(code, B, width);
      code.goto_(top).labelBinding(exit);
    }
    write(code, sums);
  }

  /**
   * Adds the products of a column of a with a row of b, or the squares of their differences.
   *
   * @param step the local that has the distance of a's rows, or 0 if {@code bytes} is it
   */
  private void products(CodeBuilder code, int[][] sums, int step, long bytes) {
    int vectors = sums[0].length;
    var columns = new int[vectors];
    for (int v = 0; v < vectors; v++) {
      columns[v] = code.allocateLocal(TypeKind.REFERENCE);
      memory.load(code, lanes, B, (long) v * lanes.bytes());
      code.astore(columns[v]);
    }
    int a = code.allocateLocal(TypeKind.LONG);
    int factor = code.allocateLocal(TypeKind.REFERENCE);
    int difference = code.allocateLocal(TypeKind.REFERENCE);
    code.lload(A).lstore(a);
    for (int r = 0; r < sums.length; r++) {
      memory.broadcast(code, a, r * bytes);
      code.astore(factor);
      for (int v = 0; v < vectors; v++) {
        if (differences) {
          code.aload(factor).aload(columns[v]);
          code.invokevirtual(type, "sub", MethodTypeDesc.of(type, Vectors.VECTOR));
          code.astore(difference).aload(difference).aload(difference).aload(sums[r][v]);
        } else {
          code.aload(factor).aload(columns[v]).aload(sums[r][v]);
        }
        code.invokevirtual(type, "fma", MethodTypeDesc.of(type, Vectors.VECTOR, Vectors.VECTOR));
        code.astore(sums[r][v]);
      }
      if (step != 0 && r + 1 < sums.length) {
        TileMemory.advanceBy(code, a, step);
      }
    }
  }

  private void write(CodeBuilder code, int[][] sums) {
    var replace = code.newLabel();
    var add = MethodTypeDesc.of(type, Vectors.VECTOR);
    code.iload(ADD).ifeq(replace);
    for (int pass = 0; pass < 2; pass++) {
      for (int r = 0; r < sums.length; r++) {
        for (int v = 0; v < sums[r].length; v++) {
          long at = (long) v * lanes.bytes();
          code.aload(sums[r][v]);
          if (pass == 0) {
            memory.load(code, lanes, C, at);
            code.invokevirtual(type, "add", add);
          }
          memory.store(code, lanes, C, at);
        }
        if (r + 1 < sums.length) {
          TileMemory.advanceBy(code, C, C_ROW);
        }
      }
      code.return_();
      if (pass == 0) {
        code.labelBinding(replace);
      }
    }
  }
}
