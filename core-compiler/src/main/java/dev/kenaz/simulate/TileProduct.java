package dev.kenaz.simulate;

import dev.kenaz.kernels.Eval;
import dev.kenaz.kernels.Expressions;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.GpuCode.MultiplyTile;
import java.util.List;

/** Multiplies matrices whose elements the lanes of a warp have. */
final class TileProduct implements Instruction {
  private final int[] sums;
  private final List<Eval> left;
  private final List<Eval> right;

  TileProduct(Expressions expressions, MultiplyTile m) {
    sums = m.sums().stream().mapToInt(expressions::number).toArray();
    left = evaluations(expressions, m.left());
    right = evaluations(expressions, m.right());
  }

  private static List<Eval> evaluations(Expressions expressions, List<Expr> elements) {
    return elements.stream().map(expressions::of).toList();
  }

  @Override
  public void step(Warp w) {
    Translation.together(w, "a product of tiles");
    var a = values(w, left);
    var b = values(w, right);
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((w.active >>> lane & 1) != 0) {
        for (int s = 0; s < sums.length; s++) {
          add(w, lane, s, a, b);
        }
      }
    }
    w.at++;
  }

  /** What each lane has; lanes that have failed count as zeros, as does all that comes of them. */
  private static double[][] values(Warp w, List<Eval> elements) {
    var all = new double[elements.size()][Warp.LANES];
    for (int e = 0; e < all.length; e++) {
      for (int lane = 0; lane < Warp.LANES; lane++) {
        if ((w.active >>> lane & 1) != 0) {
          all[e][lane] = Double.longBitsToDouble(elements.get(e).of(w, lane));
        }
      }
    }
    return all;
  }

  private void add(Warp w, int lane, int s, double[][] a, double[][] b) {
    int row = lane / MultiplyTile.STEP;
    int column = lane % MultiplyTile.STEP * 2 + s % 2;
    double sum = Double.longBitsToDouble(w.get(sums[s], lane));
    for (int part = 0; part < b.length; part++) {
      for (int t = 0; t < MultiplyTile.STEP; t++) {
        double x = a[2 * part + s / 2][row * MultiplyTile.STEP + t];
        double y = b[part][column * MultiplyTile.STEP + t];
        sum = Math.fma(x, y, sum);
      }
    }
    w.set(sums[s], lane, Double.doubleToRawLongBits(sum));
  }
}
