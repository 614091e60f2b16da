package dev.kenaz.jvm;

import dev.kenaz.value.Prim;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * Emits the bytecode of the methods with which {@link MatrixProduct} copies factors into the order
 * of {@link RegisterTiles}.
 *
 * <p>A square of as many rows as vectors have lanes is transposed in registers. If vectors {@code
 * i} and {@code i + lanes / 2} are interleaved and become vectors {@code 2 i} and {@code 2 i + 1},
 * the bits of an element's place (its vector's number, then its lane) have rotated by one; after as
 * many times as a lane's number has bits, vectors and lanes are exchanged.
 */
final class TileCopies {
  private static final ClassDesc L = ConstantDescs.CD_long;
  private static final ClassDesc I = ConstantDescs.CD_int;
  private static final MethodTypeDesc COPY =
      MethodTypeDesc.of(ConstantDescs.CD_void, L, L, L, L, I.arrayType(), I);
  private static final MethodTypeDesc JOIN =
      MethodTypeDesc.of(ConstantDescs.CD_void, L, L, L, L, I.arrayType(), I, L);
  private static final MethodTypeDesc TURN =
      MethodTypeDesc.of(ConstantDescs.CD_void, L, L, L, L, I);

  // These are the locals of the methods.
  private static final int TO = 1;
  private static final int TO_STEP = 3;
  private static final int FROM = 5;
  private static final int FROM_STEP = 7;
  private static final int WHICH = 9;
  private static final int N = 10;
  private static final int APART = 11;
  private static final int SQUARES = 9;

  private final TileMemory memory;

  TileCopies(TileMemory memory) {
    this.memory = memory;
  }

  /** Whether vectors are so long that squares are transposed faster in registers. */
  static boolean turns() {
    return Vectors.F64.vectorByteSize() >= 64;
  }

  void build(ClassBuilder cb) {
    method(cb, "copy", COPY, code -> copies(code, from -> memory.move(code, TO, 0, from)));
    method(cb, "copyVectors", COPY, code -> copyVectors(code, memory.vectors()));
    method(cb, "copyRows", COPY, code -> copyVectors(code, memory.rows()));
    method(cb, "join", JOIN, this::join);
    method(cb, "turn", TURN, this::turn);
  }

  private static void method(
      ClassBuilder cb, String name, MethodTypeDesc type, Consumer<CodeBuilder> code) {
    cb.withMethodBody(name, type, ClassFile.ACC_PUBLIC, code::accept);
  }

  private void copyVectors(CodeBuilder code, TileMemory.Lanes lanes) {
    copies(
        code,
        from -> {
          memory.load(code, lanes, from, 0);
          memory.store(code, lanes, TO, 0);
        });
  }

  private void join(CodeBuilder code) {
    int size = memory.prim().byteSize();
    copies(
        code,
        element -> {
          for (int r = 0; r < RegisterTiles.ROWS; r++) {
            memory.move(code, TO, (long) r * size, element);
            if (r + 1 < RegisterTiles.ROWS) {
              TileMemory.advanceBy(code, element, APART);
            }
          }
        });
  }

  /**
   * Makes the body of a method that moves something at each of so many steps.
   *
   * @param move gets the local with the address of what it moves
   */
  private static void copies(CodeBuilder code, IntConsumer move) {
    int from = code.allocateLocal(TypeKind.LONG);
    steps(
        code,
        N,
        1,
        i -> {
          code.aload(WHICH).iload(i).iaload().i2l().lload(FROM_STEP).lmul();
          code.lload(FROM).ladd().lstore(from);
          move.accept(from);
          TileMemory.advanceBy(code, TO, TO_STEP);
        });
  }

  /**
   * Makes the body of a method that counts to a number.
   *
   * @param n the local with the number
   * @param step what it does each time, with the local that counts
   */
  private static void steps(CodeBuilder code, int n, int by, IntConsumer step) {
    int i = code.allocateLocal(TypeKind.INT);
    code.iconst_0().istore(i);
    var top = code.newBoundLabel();
    var exit = code.newLabel();
    code.iload(i).iload(n).if_icmpge(exit);
    step.accept(i);
    code.iinc(i, by).goto_(top).labelBinding(exit).return_();
  }

  private void turn(CodeBuilder code) {
    var lanes = memory.vectors();
    int size = memory.prim().byteSize();
    int n = lanes.bytes() / size;
    var square = new int[n];
    for (int r = 0; r < n; r++) {
      square[r] = code.allocateLocal(TypeKind.REFERENCE);
    }
    int row = code.allocateLocal(TypeKind.LONG);
    steps(
        code,
        SQUARES,
        n,
        i -> {
          code.lload(FROM).lstore(row);
          for (int r = 0; r < n; r++) {
            memory.load(code, lanes, row, 0);
            code.astore(square[r]);
            TileMemory.advanceBy(code, row, FROM_STEP);
          }
          for (int done = 1; done < n; done *= 2) {
            interleave(code, square);
          }
          for (int r = 0; r < n; r++) {
            code.aload(square[r]);
            memory.store(code, lanes, TO, 0);
            TileMemory.advanceBy(code, TO, TO_STEP);
          }
          TileMemory.advance(code, FROM, lanes.bytes());
        });
  }

  /** Interleaves the first half of vectors with the second one. */
  private void interleave(CodeBuilder code, int[] vectors) {
    int half = vectors.length / 2;
    var type = memory.type();
    var select = MethodTypeDesc.of(type, Vectors.VECTOR, Vectors.VECTOR);
    var suffix = memory.prim() == Prim.F64 ? "_F64" : "_F32";
    for (int i = 0; i < half; i++) {
      for (var ends : new String[] {"LOW", "HIGH"}) {
        code.getstatic(Vectors.SELF, ends + suffix, type);
        code.aload(vectors[i]).aload(vectors[i + half]);
        code.invokevirtual(type, "selectFrom", select);
      }
    }
    for (int k = vectors.length - 1; k >= 0; k--) {
      code.astore(vectors[k]);
    }
  }
}
