package dev.kenaz.kernels;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.ScalarOps;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loops.Scope;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import java.util.ArrayList;
import java.util.List;

/**
 * Packs a tuple into words of 64 bits, each of which tells in its two lowest bits what it is a part
 * of. A word is written and read at once, so that what belongs together is known without a fence:
 * fences cost more than all else that a tile of a scan does for others.
 */
final class TileStatus {
  private static final int STATUS_BITS = 2;
  private static final int WORD = 64;

  /**
   * Bits of a component.
   *
   * @param from the first bit of the component
   * @param at where the bits are in the word
   */
  private record Piece(int component, int from, int bits, int word, int at) {}

  private final List<Prim> prims;
  private final List<Piece> pieces = new ArrayList<>();
  private int count;

  TileStatus(List<Prim> prims) {
    this.prims = List.copyOf(prims);
    int used = WORD;
    for (int k = 0; k < prims.size(); k++) {
      int width = width(prims.get(k));
      for (int from = 0; from < width; from += 32) {
        int bits = Math.min(32, width - from);
        if (used + bits > WORD) {
          count++;
          used = STATUS_BITS;
        }
        pieces.add(new Piece(k, from, bits, count - 1, used));
        used += bits;
      }
    }
  }

  int words() {
    return count;
  }

  private static int width(Prim prim) {
    return prim == Prim.BOOL ? 1 : 8 * prim.byteSize();
  }

  static Expr u64(long x) {
    return new Expr.Lit(ScalarValue.ofLong(Prim.U64, x));
  }

  static Expr status(Expr word) {
    return new Expr.Bin(BinaryOp.AND, word, u64((1 << STATUS_BITS) - 1));
  }

  /** Returns the words for a tuple. */
  List<Expr> words(Scope scope, List<Expr> values, long status) {
    var words = new ArrayList<Expr>();
    for (int k = 0; k < count; k++) {
      words.add(u64(status));
    }
    for (var p : pieces) {
      var bits = masked(shifted(BinaryOp.USHR, bits(values.get(p.component)), p.from), p.bits);
      var part = shifted(BinaryOp.SHL, bits, p.at);
      words.set(p.word, new Expr.Bin(BinaryOp.OR, words.get(p.word), part));
    }
    return words.stream().map(w -> scope.let("word", w)).toList();
  }

  /** Returns the tuple in words. */
  List<Expr> values(Scope scope, List<Reg> words) {
    var values = new ArrayList<Expr>();
    for (int k = 0; k < prims.size(); k++) {
      Expr bits = null;
      for (var p : pieces) {
        if (p.component == k) {
          var piece = masked(shifted(BinaryOp.USHR, Expr.use(words.get(p.word)), p.at), p.bits);
          var part = shifted(BinaryOp.SHL, piece, p.from);
          bits = bits == null ? part : new Expr.Bin(BinaryOp.OR, bits, part);
        }
      }
      values.add(scope.let("y", value(prims.get(k), bits)));
    }
    return values;
  }

  private static Expr shifted(BinaryOp op, Expr x, int by) {
    return by == 0 ? x : new Expr.Bin(op, x, u64(by));
  }

  private static Expr masked(Expr x, int bits) {
    return new Expr.Bin(BinaryOp.AND, x, u64((1L << bits) - 1));
  }

  /** Returns the bits as u64. */
  private static Expr bits(Expr x) {
    var prim = x.prim();
    if (prim == Prim.BOOL) {
      return new Expr.Select(x, u64(1), u64(0));
    }
    if (prim.isFloat()) {
      return new Expr.Conv(Prim.U64, new Expr.Un(UnaryOp.TO_BITS, x, ScalarOps.unsignedOf(prim)));
    }
    return new Expr.Conv(Prim.U64, x);
  }

  private static Expr value(Prim prim, Expr bits) {
    if (prim == Prim.BOOL) {
      return Cooperation.not(Scope.equal(bits, u64(0)));
    }
    if (prim.isFloat()) {
      return new Expr.Un(UnaryOp.FROM_BITS, new Expr.Conv(ScalarOps.unsignedOf(prim), bits), prim);
    }
    return new Expr.Conv(prim, bits);
  }
}
