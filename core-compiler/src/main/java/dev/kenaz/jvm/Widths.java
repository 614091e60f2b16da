package dev.kenaz.jvm;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.value.Prim;

/**
 * The widths of the types that a vector loop has, which decide about the number of its lanes. A
 * loop of nothing but bytes has four times as many as one of i32, unless it does what vectors of
 * bytes can't.
 */
final class Widths {
  private final Expr count;
  private final int least;
  private int widest;
  private int narrowest;
  private boolean settled;

  private Widths(Expr count, int least) {
    this.count = count;
    this.least = least;
    clear();
  }

  /** Starts without any type; lanes may be as narrow as bytes. */
  static Widths all(Code.For loop) {
    return new Widths(loop.bound(), Vectors.areNarrow() ? 1 : Integer.BYTES);
  }

  /** Starts without any type; lanes have at least four bytes. */
  static Widths wide(Code.For loop) {
    return new Widths(loop.bound(), Integer.BYTES);
  }

  /** Whether lanes may be narrower than four bytes. */
  boolean mayBeNarrow() {
    return least < Integer.BYTES;
  }

  /** Forgets all types. */
  void clear() {
    widest = least;
    narrowest = Integer.BYTES;
  }

  /** Adds a type with so many bytes. */
  void add(int bytes) {
    if (settled && bytes > widest) {
      throw new CompilerBug("jvm", "a vector loop has become wider");
    }
    widest = Math.max(widest, bytes);
    narrowest = Math.min(narrowest, bytes);
  }

  /**
   * No type comes any more.
   *
   * @throws Unsuitable if elements of a type make no vectors that HotSpot knows
   */
  void settle() throws Unsuitable {
    widest = widest();
    settled = true;
    if (!NarrowVectors.exist(narrowest, widest)) {
      throw new Unsuitable("has vectors of fewer than eight bytes");
    }
  }

  /** Lanes must have at least so many bytes. */
  void atLeast(int bytes) {
    widest = Math.max(widest, bytes);
  }

  /** Returns how many bytes lanes have; a constant number of iterations fills them. */
  int widest() {
    int bytes = widest;
    while (bytes < Integer.BYTES
        && count instanceof Expr.Lit(var n)
        && n.bits() < Vectors.lanes(bytes)) {
      bytes *= 2;
    }
    return bytes;
  }

  /**
   * Whether it shifts by as many bits as the type has, or maybe: the lanes of i32 that hold narrow
   * integers do so as numbers do, while those of bytes take the distance modulo 8.
   */
  static boolean movesFar(BinaryOp op, Prim prim, Expr by) {
    boolean shifts = op == BinaryOp.SHL || op == BinaryOp.SHR || op == BinaryOp.USHR;
    boolean near = by instanceof Expr.Lit(var n) && n.bits() >= 0 && n.bits() < 8 * prim.byteSize();
    return shifts && !near;
  }
}
