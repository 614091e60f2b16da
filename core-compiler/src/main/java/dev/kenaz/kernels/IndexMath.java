package dev.kenaz.kernels;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Kernel;
import java.util.List;

/** Makes expressions of indices. */
final class IndexMath {
  private IndexMath() {}

  /** Returns a thread's number in the grid. */
  static Expr global(Kernel.Grid g) {
    return Expr.add(Expr.mul(Expr.use(g.block()), Expr.use(g.threads())), Expr.use(g.thread()));
  }

  /** Returns the quotient of two numbers that are not negative, rounded up. */
  static Expr ceil(Expr n, Expr by) {
    return quot(Expr.add(n, Expr.sub(by, Expr.i64(1))), by);
  }

  static Expr quot(Expr a, Expr b) {
    return Expr.isConst(b, 1) ? a : new Expr.Bin(BinaryOp.QUOT, a, b);
  }

  static Expr rem(Expr a, Expr b) {
    return new Expr.Bin(BinaryOp.REM, a, b);
  }

  static Expr min(Expr a, Expr b) {
    return new Expr.Bin(BinaryOp.MIN, a, b);
  }

  static Expr max(Expr a, Expr b) {
    return new Expr.Bin(BinaryOp.MAX, a, b);
  }

  /** Returns the number of a point among all of a space. */
  static Expr flat(List<Expr> dims, List<Expr> point) {
    Expr flat = Expr.i64(0);
    for (int k = 0; k < dims.size(); k++) {
      flat = Expr.add(Expr.mul(flat, dims.get(k)), point.get(k));
    }
    return flat;
  }
}
