package dev.kenaz.loops;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.value.Prim;
import java.util.List;

/** A statement. */
public sealed interface Code {
  record Set(Reg reg, Expr value) implements Code {}

  /** Stores at {@code base + index * size of prim}. */
  record Store(Prim prim, Expr base, Expr index, Expr value) implements Code {}

  /**
   * Combines the value with the element there as one indivisible step, in any order.
   *
   * @param op a commutative monoid
   */
  record AtomicUpdate(BinaryOp op, Prim prim, Expr base, Expr index, Expr value) implements Code {}

  /** Makes the slot at least as large; its contents are lost when it grows. */
  record Ensure(Slot slot, Expr bytes) implements Code {}

  /** Empties the slot. */
  record Free(Slot slot) implements Code {}

  record Swap(Slot a, Slot b) implements Code {}

  /** Copies bytes between places that don't overlap. */
  record CopyBytes(Expr to, Expr from, Expr bytes) implements Code {}

  record If(Expr condition, List<Code> then, List<Code> otherwise) implements Code {
    public If {
      then = List.copyOf(then);
      otherwise = List.copyOf(otherwise);
    }
  }

  /**
   * {@code for (i = 0; i < bound; i++)}; the bound is evaluated once.
   *
   * @param independent iterations may run in any order or together, but for the reductions
   * @param reductions registers that every iteration combines a value into, once, by an associative
   *     and commutative operator, and does nothing else with
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
  record Check(Expr condition, Fault fault, List<Expr> arguments) implements Code {
    public Check {
      arguments = List.copyOf(arguments);
    }
  }

  /** Prints to standard error. */
  record Print(String label, Expr value) implements Code {}

  /**
   * Decides into how many chunks to cut {@code extent} points of {@code work} scalar operations
   * each: at least 1. The same inputs give the same answer throughout a program's life.
   *
   * @param most an upper bound
   */
  record Plan(Reg chunks, Expr extent, Expr work, Expr most) implements Code {}

  /**
   * Runs the body once a chunk, in parallel, with {@code lo} and {@code hi} bound to its part of
   * {@code 0 .. extent}. The body reads registers of the code around but sets only its own; what it
   * computes it leaves in memory.
   *
   * @param work scalar operations a point, roughly
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

  /** On a GPU only. */
  record Gpu(GpuCode code) implements Code {}
}
