package dev.kenaz.loopir;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** This is a statement. */
public sealed interface Code {
  /** A statement without other statements inside. */
  sealed interface Simple extends Code {}

  record Set(Reg reg, Expr value) implements Simple {}

  /** Stores at {@code base + index * size of prim}. */
  record Store(Prim prim, Expr base, Expr index, Expr value) implements Simple {}

  /**
   * Combines the value with the element there as one indivisible step, in any order.
   *
   * @param op a commutative monoid
   */
  record AtomicUpdate(BinaryOp op, Prim prim, Expr base, Expr index, Expr value)
      implements Simple {}

  /** Makes the slot at least that large; its contents are lost. */
  record Ensure(Slot slot, Expr bytes) implements Simple {}

  /** Empties the slot. */
  record Free(Slot slot) implements Simple {}

  record Swap(Slot a, Slot b) implements Simple {}

  /** Copies bytes between places that don't overlap. */
  record CopyBytes(Expr to, Expr from, Expr bytes) implements Simple {}

  /**
   * Computes {@code c = a * b} or {@code c += a * b}; or else sums of squares of differences in
   * place of sums of products. The matrix c overlaps neither of the others; sums may be formed in
   * any order.
   *
   * @param term what is summed of an element of a row of a and one of a column of b
   * @param prim f32 or f64
   * @param c the result, whose rows are contiguous
   * @param rows of a and c
   * @param columns of b and c
   * @param depth columns of a, rows of b
   * @param add whether the product is added to c, or replaces it
   * @param read which elements of c matter, if not all do; others may become any number
   */
  record MatrixProduct(
      Prim prim,
      Term term,
      Matrix c,
      Matrix a,
      Matrix b,
      Expr rows,
      Expr columns,
      Expr depth,
      boolean add,
      Optional<Band> read)
      implements Simple {

    /** A function of two numbers. */
    public enum Term {
      PRODUCT,
      SQUARED_DIFFERENCE;

      Expr of(Expr x, Expr y) {
        return switch (this) {
          case PRODUCT -> new Expr.Bin(BinaryOp.MUL, x, y);
          case SQUARED_DIFFERENCE -> {
            var d = new Expr.Bin(BinaryOp.SUB, x, y);
            yield new Expr.Bin(BinaryOp.MUL, d, d);
          }
        };
      }
    }

    public List<Expr> operands() {
      var all = new ArrayList<Expr>();
      for (var m : List.of(c, a, b)) {
        all.addAll(List.of(m.address(), m.rowStride(), m.columnStride()));
      }
      all.addAll(List.of(rows, columns, depth));
      var band = read.orElse(new Band(Expr.i64(-Band.FAR), Expr.i64(Band.FAR)));
      all.addAll(List.of(band.from(), band.to()));
      return all;
    }

    /** Returns plain loops that compute the same product. */
    public List<Code> loops() {
      var i = Reg.index("i");
      var j = Reg.index("j");
      var k = Reg.index("k");
      var sum = Reg.fresh("sum", prim);
      var product =
          term.of(
              a.element(prim, Expr.use(i), Expr.use(k)), b.element(prim, Expr.use(k), Expr.use(j)));
      var step = new Set(sum, new Expr.Bin(BinaryOp.ADD, Expr.use(sum), product));
      var fold = new Reduction(sum, BinaryOp.ADD);
      var element =
          List.<Code>of(
              new Set(sum, add ? c.element(prim, Expr.use(i), Expr.use(j)) : Expr.zero(prim)),
              new For(k, depth, List.of(step), true, List.of(fold)),
              new Store(prim, c.address(), c.place(Expr.use(i), Expr.use(j)), Expr.use(sum)));
      var row = List.<Code>of(new For(j, columns, element, true, List.of()));
      return List.of(new For(i, rows, row, true, List.of()));
    }
  }

  /**
   * A matrix in memory.
   *
   * @param address of the first element
   * @param rowStride elements from a row to the next
   * @param columnStride elements from a column to the next
   */
  record Matrix(Expr address, Expr rowStride, Expr columnStride) {
    Expr place(Expr i, Expr j) {
      return Expr.add(Expr.mul(i, rowStride), Expr.mul(j, columnStride));
    }

    Expr element(Prim prim, Expr i, Expr j) {
      return new Expr.Load(prim, address, place(i, j));
    }
  }

  record If(Expr condition, List<Code> then, List<Code> otherwise) implements Code {
    public If {
      then = List.copyOf(then);
      otherwise = List.copyOf(otherwise);
    }
  }

  /**
   * The loop {@code for (i = 0; i < bound; i++)}; the bound is evaluated once.
   *
   * @param independent whether iterations may run in any order or together, except for the
   *     reductions
   * @param reductions registers into which every iteration combines a value, once, by an
   *     associative and commutative operator, and with which it does nothing else; but a counter,
   *     to which 1 or 0 is added last, may tell where to store, so that what isn't counted is
   *     overwritten
   */
  record For(Reg i, Expr bound, List<Code> body, boolean independent, List<Reduction> reductions)
      implements Code {
    public For {
      body = List.copyOf(body);
      reductions = List.copyOf(reductions);
    }
  }

  record Reduction(Reg reg, BinaryOp op) {}

  record While(Expr condition, List<Code> body) implements Code {
    public While {
      body = List.copyOf(body);
    }
  }

  /** Ends the program unless the condition holds. */
  record Check(Expr condition, Fault fault, List<Expr> arguments) implements Simple {
    public Check {
      arguments = List.copyOf(arguments);
    }
  }

  /**
   * Calls a function.
   *
   * @param arguments scalars, and addresses of contiguous arrays
   */
  record Call(String function, List<Expr> arguments, List<Output> outputs) implements Simple {
    public Call {
      arguments = List.copyOf(arguments);
      outputs = List.copyOf(outputs);
    }

    /** Every register that is set, except those of slots. */
    public List<Reg> sets() {
      var regs = new ArrayList<Reg>();
      for (var o : outputs) {
        switch (o) {
          case ScalarOutput(var reg) -> regs.add(reg);
          case ArrayOutput(_, var address, var dims) -> {
            regs.add(address);
            regs.addAll(dims);
          }
        }
      }
      return regs;
    }

    /** The slots that get the buffers of results; what was in them is freed. */
    public List<Slot> slots() {
      return outputs.stream()
          .filter(o -> o instanceof ArrayOutput)
          .map(o -> ((ArrayOutput) o).slot())
          .toList();
    }
  }

  /** Where a call's result goes; see {@link LoopFun.Result}. */
  sealed interface Output {}

  record ScalarOutput(Reg reg) implements Output {}

  record ArrayOutput(Slot slot, Reg address, List<Reg> dims) implements Output {
    public ArrayOutput {
      dims = List.copyOf(dims);
    }
  }

  /** Prints to standard error. */
  record Print(String label, Expr value) implements Simple {}

  /**
   * Decides into how many chunks to cut {@code extent} points of {@code work} scalar operations
   * each: at least 1. The same inputs give the same answer as long as the program lives.
   *
   * @param most an upper bound
   */
  record Plan(Reg chunks, Expr extent, Expr work, Expr most) implements Simple {
    /** Much work is cut into so many chunks for each worker, so that chunks that differ balance. */
    public static final long CHUNKS_PER_WORKER = 8;
  }

  /**
   * Runs the body once for each chunk, in parallel, with {@code lo} and {@code hi} bound to its
   * part of {@code 0 .. extent}. The body reads registers of the code around but sets only its own;
   * it leaves what it computes in memory. Inside of a chunk, it waits for no thread: it takes only
   * those that have nothing else to do.
   *
   * @param work roughly how many scalar operations a point takes
   * @param divisible whether a chunk may be run piece by piece
   */
  record Parallel(
      Expr extent,
      Expr work,
      Expr chunks,
      boolean divisible,
      Reg chunk,
      Reg lo,
      Reg hi,
      List<Code> body)
      implements Code {
    public Parallel {
      body = List.copyOf(body);
    }
  }

  /** Code that only runs on a GPU. */
  record Gpu(GpuCode code) implements Code {}
}
