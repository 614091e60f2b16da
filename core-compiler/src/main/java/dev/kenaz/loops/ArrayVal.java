package dev.kenaz.loops;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Slot;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** This is an array during the translation: how to get at an element. */
public sealed interface ArrayVal extends Val {
  Prim prim();

  List<Expr> dims();

  /** Every element is this scalar. */
  record Filled(Expr value, List<Expr> dims) implements ArrayVal {
    @Override
    public Prim prim() {
      return value.prim();
    }
  }

  /** {@code start + i * step}, in the start's type. */
  record Counting(Expr n, Expr start, Expr step) implements ArrayVal {
    @Override
    public Prim prim() {
      return start.prim();
    }

    @Override
    public List<Expr> dims() {
      return List.of(n);
    }

    public Expr at(Expr i) {
      var index = prim() == Prim.I64 ? i : new Expr.Conv(prim(), i);
      var scaled = Expr.isConst(step, 1) ? index : new Expr.Bin(BinaryOp.MUL, index, step);
      return Expr.isConst(start, 0) ? scaled : new Expr.Bin(BinaryOp.ADD, start, scaled);
    }
  }

  /**
   * This is an array whose elements are in memory.
   *
   * @param base the address from which places are counted
   * @param offset of the first element from the base, in elements
   * @param strides in elements, one for each dimension
   * @param contiguous whether the elements lie row-major without gaps
   * @param level the depth of lambdas in which the array may be overwritten, -1 for never
   * @param owner the buffer that the array lies in
   */
  record View(
      Prim prim,
      Expr base,
      Expr offset,
      List<Expr> dims,
      List<Expr> strides,
      boolean contiguous,
      int level,
      Owner owner)
      implements ArrayVal {

    public View withLevel(int newLevel) {
      return new View(prim, base, offset, dims, strides, contiguous, newLevel, owner);
    }

    /** Returns the element's place: the number of elements from the base to it. */
    public Expr place(List<Expr> indices) {
      var place = offset;
      for (int k = 0; k < indices.size(); k++) {
        place = Expr.add(place, Expr.mul(indices.get(k), strides.get(k)));
      }
      return place;
    }

    /** Returns the address of the first element, in bytes. */
    public Expr address() {
      return Expr.add(base, Expr.mul(offset, Expr.i64(prim.byteSize())));
    }

    public Expr bytes() {
      return Scope.bytes(prim, dims);
    }

    /** Returns the part at leading indices, which has the rest of the dimensions. */
    public View row(List<Expr> indices, Expr newOffset) {
      int k = indices.size();
      var rest = dims.subList(k, dims.size());
      var restStrides = strides.subList(k, dims.size());
      return new View(prim, base, newOffset, rest, restStrides, contiguous, level, owner);
    }

    public boolean sameMemory(View other) {
      return base.equals(other.base)
          && offset.equals(other.offset)
          && strides.equals(other.strides)
          && prim == other.prim;
    }
  }

  /**
   * The buffer that a view lies in.
   *
   * @param address the buffer's base; 0 if it doesn't belong to a slot
   * @param slots the slots that may hold it
   */
  record Owner(Expr address, Set<Slot> slots) {
    public static final Owner NONE = new Owner(Expr.i64(0), Set.of());

    public Owner {
      // they keep this order, so that the same program always becomes the same code
      slots = Collections.unmodifiableSet(new LinkedHashSet<>(slots));
    }

    public static Owner of(Slot slot) {
      return new Owner(Expr.use(slot.base()), Set.of(slot));
    }
  }

  /** Returns a contiguous array at the start of memory at an address. */
  static View contiguous(Prim prim, Expr base, List<Expr> dims, int level, Owner owner) {
    return new View(prim, base, Expr.i64(0), dims, rowMajor(dims), true, level, owner);
  }

  static List<Expr> rowMajor(List<Expr> dims) {
    var strides = new ArrayList<Expr>();
    Expr stride = Expr.i64(1);
    for (int k = dims.size() - 1; k >= 0; k--) {
      strides.addFirst(stride);
      stride = Expr.mul(dims.get(k), stride);
    }
    return strides;
  }

  static Expr count(List<Expr> dims) {
    Expr n = Expr.i64(1);
    for (var d : dims) {
      n = Expr.size(n, d);
    }
    return n;
  }
}
