package dev.kenaz.loopir;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.value.Prim;
import java.util.List;
import java.util.stream.Stream;

/**
 * Statements that only GPU programs have: {@link Memory} and {@link Launch} in code that the host
 * runs, all others in kernels. "Warp" is 32 consecutive threads of a block.
 */
public sealed interface GpuCode {
  /** Sets an i64 to how many bytes of memory the device has, those in use included. */
  record Memory(Reg to) implements GpuCode {}

  /**
   * Starts a kernel; what the host does next with device memory comes after it.
   *
   * @param blocks how many blocks of {@code threads} threads; 0 starts nothing
   * @param threads of a block
   * @param sharedBytes how large the kernel's shared array of unknown size is; 0 without one
   * @param arguments one a parameter of the kernel
   */
  record Launch(String kernel, Expr blocks, Expr threads, Expr sharedBytes, List<Expr> arguments)
      implements GpuCode {
    public Launch {
      arguments = List.copyOf(arguments);
    }
  }

  /**
   * Makes every thread of the block wait here for the others; each then sees what all have written.
   */
  record Barrier() implements GpuCode {}

  /** Makes what this thread wrote before visible, to any thread, before what it writes after. */
  record Fence() implements GpuCode {}

  /** Reads afresh an element in memory that other threads may change. */
  record ReadShared(Reg to, Prim prim, Expr base, Expr index) implements GpuCode {}

  /** Writes, at once, an element in memory that other threads may be reading. */
  record WriteShared(Prim prim, Expr base, Expr index, Expr value) implements GpuCode {}

  /**
   * Does {@code old = element; element = op(element, value)} as one indivisible step, for i32, i64,
   * u32, u64, f32 or f64.
   */
  record Fetch(Reg old, BinaryOp op, Prim prim, Expr base, Expr index, Expr value)
      implements GpuCode {}

  /**
   * Runs the body while no other thread runs code under the same lock; fences included. The body
   * has no barrier, and doesn't leave an {@link Attempt} around.
   *
   * @param base with {@code index}: an i32 in device memory, 0 while free
   */
  record Locked(Expr base, Expr index, List<Code> body) implements GpuCode {
    public Locked {
      body = List.copyOf(body);
    }
  }

  enum Lane {
    /** The value comes from the lane {@code lane} less; where there is none, from this lane. */
    UP,
    /** The value comes from the lane {@code lane} more; where there is none, from this lane. */
    DOWN,
    /** The value comes from lane {@code lane}. */
    AT
  }

  /** Gets the value that another lane of the warp has; all 32 lanes run this together. */
  record Shuffle(Reg to, Lane how, Expr value, Expr lane) implements GpuCode {}

  /**
   * Sets a bit of the u32 for each lane of the warp for which the condition holds; all run this
   * together.
   */
  record Ballot(Reg to, Expr condition) implements GpuCode {}

  /**
   * Adds a product of two matrices of f64 to a matrix of 16 rows and 8 columns, by products and
   * sums that are rounded once, in order. The lanes of a warp have the elements, and all run this
   * together. What lane {@code 4g + t} has, with t below 4, is
   *
   * <ul>
   *   <li>in sums: columns {@code 2t} and {@code 2t + 1} of row g, and of row {@code g + 8};
   *   <li>on the left, for each four columns of that matrix: column t of them in row g, and in row
   *       {@code g + 8};
   *   <li>on the right, for each four rows of that matrix: row t of them in column g.
   * </ul>
   */
  record MultiplyTile(List<Reg> sums, List<Expr> left, List<Expr> right) implements GpuCode {
    /** So many columns of the left matrix, and rows of the right one, are one element a lane. */
    public static final int STEP = 4;

    public static final int ROWS = 16;
    public static final int COLUMNS = 8;

    public MultiplyTile {
      sums = List.copyOf(sums);
      left = List.copyOf(left);
      right = List.copyOf(right);
    }
  }

  /**
   * Unless the condition holds, the first failure of the program is noted in the fault record (see
   * {@code dev.kenaz.kernels.Device}) and control leaves the innermost {@link Attempt}.
   *
   * @param site index in the program's faults
   */
  record Guard(Expr condition, int site, List<Expr> arguments) implements GpuCode {
    public Guard {
      arguments = List.copyOf(arguments);
    }
  }

  /**
   * Tells whether the fault record holds a failure by now; loops that wait for other blocks ask it.
   */
  record Failed(Reg to) implements GpuCode {}

  /** A body that a failed {@link Guard} leaves; it has no barrier. */
  record Attempt(List<Code> body) implements GpuCode {
    public Attempt {
      body = List.copyOf(body);
    }
  }

  /** Returns the code inside, in order. */
  default List<Code> inner() {
    return switch (this) {
      case Locked l -> l.body();
      case Attempt a -> a.body();
      case Launch _,
          Memory _,
          Barrier _,
          Fence _,
          ReadShared _,
          WriteShared _,
          Fetch _,
          Shuffle _,
          Ballot _,
          MultiplyTile _,
          Failed _,
          Guard _ ->
          List.of();
    };
  }

  /** The expressions that are evaluated, in order; those of {@link #inner} are not among them. */
  default List<Expr> operands() {
    return switch (this) {
      case Launch(_, var blocks, var threads, var shared, var arguments) ->
          Stream.concat(Stream.of(blocks, threads, shared), arguments.stream()).toList();
      case Memory _, Barrier _, Fence _, Failed _, Attempt _ -> List.of();
      case ReadShared(_, _, var base, var index) -> List.of(base, index);
      case WriteShared(_, var base, var index, var value) -> List.of(base, index, value);
      case Fetch(_, _, _, var base, var index, var value) -> List.of(base, index, value);
      case Locked(var base, var index, _) -> List.of(base, index);
      case Shuffle(_, _, var value, var lane) -> List.of(value, lane);
      case Ballot(_, var condition) -> List.of(condition);
      case MultiplyTile(var sums, var left, var right) ->
          Stream.of(sums.stream().<Expr>map(Expr::use), left.stream(), right.stream())
              .flatMap(s -> s)
              .toList();
      case Guard(var condition, _, var arguments) ->
          Stream.concat(Stream.of(condition), arguments.stream()).toList();
    };
  }

  /** Returns the registers that are set. */
  default List<Reg> sets() {
    return switch (this) {
      case Memory m -> List.of(m.to());
      case ReadShared r -> List.of(r.to());
      case Fetch f -> List.of(f.old());
      case Shuffle s -> List.of(s.to());
      case Ballot b -> List.of(b.to());
      case MultiplyTile m -> m.sums();
      case Failed f -> List.of(f.to());
      case Launch _, Barrier _, Fence _, WriteShared _, Locked _, Guard _, Attempt _ -> List.of();
    };
  }
}
