package dev.kenaz.loops;

import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp.ArrayLit;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loops.ArrayVal.Owner;
import dev.kenaz.value.Elements;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** Keeps arrays of constants in memory before the program runs; nothing overwrites them. */
final class Constants {
  /**
   * Arrays of up to this many elements are stored one by one: an optimiser may see through that.
   */
  private static final int FEW = 16;

  private final boolean here;
  private final List<MemorySegment> memory = new ArrayList<>();
  private final Map<ArrayLit, ArrayVal> known = new IdentityHashMap<>();

  private Constants(boolean here) {
    this.here = here;
  }

  /** Constants for code that runs in this process. */
  static Constants here() {
    return new Constants(true);
  }

  /** Constants for code that can't read this process's memory. */
  static Constants nowhere() {
    return new Constants(false);
  }

  /** Returns the memory that addresses in the code point to. */
  List<MemorySegment> memory() {
    return memory;
  }

  boolean holds(ArrayLit literal) {
    return here
        && literal.elems().size() > FEW
        && literal.elems().stream().allMatch(x -> x instanceof Const);
  }

  ArrayVal of(ArrayLit literal) {
    return known.computeIfAbsent(literal, this::stored);
  }

  private ArrayVal stored(ArrayLit literal) {
    var prim = literal.row().elemPrim();
    int n = literal.elems().size();
    var segment = Arena.ofAuto().allocate((long) n * prim.byteSize(), 64);
    for (int i = 0; i < n; i++) {
      Elements.setBits(segment, prim, i, ((Const) literal.elems().get(i)).value().bits());
    }
    memory.add(segment);
    var address = Expr.i64(segment.address());
    return ArrayVal.contiguous(prim, address, List.of(Expr.i64(n)), -1, Owner.NONE);
  }
}
