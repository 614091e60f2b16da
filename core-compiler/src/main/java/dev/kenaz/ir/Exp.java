package dev.kenaz.ir;

import static dev.kenaz.error.ErrorCode.K5001;
import static dev.kenaz.error.ErrorCode.K5002;
import static dev.kenaz.error.ErrorCode.K5006;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.value.Prim;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * This is an expression to which a statement binds variables. Sizes and indices are i64 unless said
 * otherwise. Where {@code checked} is true the access is checked at run time, and a failure is an
 * error at the statement's span; it is false once a pass has proved the access to be in bounds.
 */
public sealed interface Exp {

  // Kinds

  /** An expression whose operands are all atoms: no body, no lambda. */
  sealed interface Simple extends Exp {}

  /** What scalars are computed of, or tested. */
  sealed interface Arithmetic extends Simple {}

  /** The operand, or a part of it, as it lies in memory; no element is copied. */
  sealed interface View extends Simple {}

  /** The result is an array in memory of its own. */
  sealed interface NewArray extends Simple {}

  /**
   * A second-order array combinator applies one lambda to all elements, in any order or at once.
   */
  sealed interface Soac extends Exp {}

  // Scalars

  /** The result is the atom itself; if the atom is an array, the result is an alias of it. */
  record Alias(Atom value) implements View {}

  record Unary(UnaryOp op, Atom x) implements Arithmetic {}

  record Binary(BinaryOp op, Atom x, Atom y) implements Arithmetic {}

  record Compare(CompareOp op, Atom x, Atom y) implements Arithmetic {}

  /** The result is {@code x * y + z} of floats, rounded once. */
  record Fma(Atom x, Atom y, Atom z) implements Arithmetic {}

  /**
   * Conversion between scalar types: integers wrap, or extend by the source's sign where both are
   * signed and by zeros elsewhere; float to integer truncates, saturating, but negative ones wrap
   * in unsigned types, and NaN and infinities become 0; to bool is {@code != 0}; from bool is 0 or
   * 1.
   */
  record Convert(Prim to, Atom x) implements Arithmetic {}

  /**
   * Fails with the message unless the condition holds. It binds nothing. It is never removed or
   * moved out of a branch, nor moved before an earlier Assert; but an assertion that arrays of some
   * sizes are possible may leave lambdas whose results' types have these sizes.
   *
   * @param code of the error: {@link #FAILED}, {@link #OUTSIDE} or {@link #TOO_LARGE}
   * @param message each {@code {}} stands for the next argument's value
   */
  record Assert(Atom condition, ErrorCode code, String message, List<Atom> arguments)
      implements Arithmetic {
    /** What the program says doesn't hold. */
    public static final ErrorCode FAILED = K5002;

    /** An index is outside an array. */
    public static final ErrorCode OUTSIDE = K5001;

    /** An array is too large for any memory. */
    public static final ErrorCode TOO_LARGE = K5006;

    public Assert {
      arguments = List.copyOf(arguments);
    }

    /** Whether it says that sizes can be held, not something that the program says. */
    public boolean isOfSizes() {
      return code == TOO_LARGE;
    }
  }

  /** Prints the value to standard error when evaluated, and is the value. */
  record Trace(String label, Atom value) implements View {}

  // Arrays

  /** An element, or a subarray when there are fewer indices than dimensions. */
  record Index(Var array, List<Atom> indices, boolean checked) implements View {
    public Index {
      indices = List.copyOf(indices);
    }
  }

  /** The result is a part of an array, with a {@link DimSlice} for each dimension. */
  record Slice(Var array, List<DimSlice> slice, boolean checked) implements View {
    public Slice {
      slice = List.copyOf(slice);
    }
  }

  /** The array with a slice replaced; consumes the array, so it is done in place. */
  record Update(Var array, List<DimSlice> slice, Atom value, boolean checked) implements Simple {
    public Update {
      slice = List.copyOf(slice);
    }
  }

  /** {@code start, start + step, …}: n numbers of start's integer type. */
  record Iota(Atom n, Atom start, Atom step) implements NewArray {
    /** Whether it is 0, 1, 2, …, which may wrap around in its type. */
    public boolean isCounter() {
      return start.isConst(0) && step.isConst(1);
    }
  }

  /** The result is the value, a scalar or an array, repeated over new outer dimensions. */
  record Replicate(List<Atom> shape, Atom value) implements NewArray {
    public Replicate {
      shape = List.copyOf(shape);
    }
  }

  /** An array of unspecified contents, for filling by updates. */
  record Scratch(Prim elem, List<Atom> shape) implements NewArray {
    public Scratch {
      shape = List.copyOf(shape);
    }
  }

  /** The result is an array of these scalars, or of these rows, which have one shape. */
  record ArrayLit(List<Atom> elems, Type row) implements NewArray {
    public ArrayLit {
      elems = List.copyOf(elems);
    }
  }

  /** Arrays joined along a dimension; {@code size} is the result's size there. */
  record Concat(int dim, List<Var> arrays, Atom size) implements NewArray {
    public Concat {
      arrays = List.copyOf(arrays);
    }
  }

  /** Dimension {@code i} of the result is dimension {@code perm[i]} of the array. */
  record Rearrange(List<Integer> perm, Var array) implements View {
    public Rearrange {
      perm = List.copyOf(perm);
    }
  }

  /**
   * The result has the same elements in row-major order, under another shape of equally many
   * elements.
   */
  record Reshape(List<Atom> shape, Var array) implements View {
    public Reshape {
      shape = List.copyOf(shape);
    }
  }

  /** The result is a fresh array with the same contents, which aliases nothing. */
  record Copy(Var array) implements NewArray {}

  // Control

  record If(Atom condition, Body then, Body otherwise) implements Exp {}

  /**
   * The results are the parameters' final values. A parameter's type may mention earlier
   * parameters.
   */
  record Loop(List<LoopParam> params, LoopForm form, Body body) implements Exp {
    public Loop {
      params = List.copyOf(params);
    }
  }

  record LoopParam(Var var, Atom init) {}

  sealed interface LoopForm {}

  /**
   * The counter {@code i} goes from 0 up to {@code bound}, which it doesn't reach; both have one
   * integer type.
   */
  record For(Var i, Atom bound) implements LoopForm {}

  /** The loop goes on as long as this parameter of it (a bool) is true. */
  record While(Var condition) implements LoopForm {}

  /**
   * The results are the function's. {@link FunDef} says which of their sizes the function decides.
   */
  record Apply(String function, List<Atom> arguments) implements Simple {
    public Apply {
      arguments = List.copyOf(arguments);
    }
  }

  // Parallel operators

  /**
   * A screma is a map, reductions and scans in one. The lambda {@code map} is applied to
   * corresponding rows of the inputs; its results are, in order: the operands of the scans, the
   * operands of the reductions, the mapped rows. The expression's results are in the same order:
   * scanned arrays, reduced values, mapped arrays.
   *
   * <p>An input of type {@link Type.Acc} is not indexed: the lambda's parameter is the accumulator
   * itself, and the corresponding mapped result (also an accumulator) is the accumulator after all
   * updates.
   *
   * @param width the outer size of every input that is an array
   */
  record Screma(Atom width, List<Var> inputs, List<Scan> scans, List<Reduce> reduces, Lambda map)
      implements Soac {
    public Screma {
      inputs = List.copyOf(inputs);
      scans = List.copyOf(scans);
      reduces = List.copyOf(reduces);
    }

    /** Returns how many results of {@link #map} feed scans. */
    public int scanWidth() {
      return scans.stream().mapToInt(s -> s.neutral().size()).sum();
    }

    /** Returns how many results of {@link #map} are operands of reductions. */
    public int reduceWidth() {
      return reduces.stream().mapToInt(r -> r.neutral().size()).sum();
    }

    public boolean isMap() {
      return scans.isEmpty() && reduces.isEmpty();
    }

    /** Returns the operator without the inputs that its function doesn't use. */
    public Screma withUsedInputs() {
      var used = FreeVars.of(map.body());
      var kept =
          IntStream.range(0, inputs.size())
              .filter(i -> used.contains(map.params().get(i)))
              .boxed()
              .toList();
      var smaller = new Lambda(Lists.pick(map.params(), kept), map.body(), map.returns());
      return new Screma(width, Lists.pick(inputs, kept), scans, reduces, smaller);
    }
  }

  /** Inclusive scan with an associative operator: parameters are left operands, then right ones. */
  record Scan(Lambda op, List<Atom> neutral) {
    public Scan {
      neutral = List.copyOf(neutral);
    }
  }

  /** Reduction with an associative operator: parameters are left operands, then right ones. */
  record Reduce(Lambda op, List<Atom> neutral, boolean commutative) {
    public Reduce {
      neutral = List.copyOf(neutral);
    }
  }

  /**
   * Computes generalised histograms. The lambda's results are, for all operations one after the
   * other, the indices (one for each dimension of the operation's shape), then, for all operations,
   * the values. Out-of-range indices are ignored. It consumes the destinations; the results are the
   * new destinations in order.
   */
  record Hist(Atom width, List<Var> inputs, List<HistOp> ops, Lambda map) implements Soac {
    public Hist {
      inputs = List.copyOf(inputs);
      ops = List.copyOf(ops);
    }
  }

  /**
   * This is one operation of a histogram. Its {@code shape} has the dimensions that are indexed; a
   * destination may have more, which are those of its elements.
   */
  record HistOp(List<Atom> shape, List<Var> dests, List<Atom> neutral, Lambda op) {
    public HistOp {
      shape = List.copyOf(shape);
      dests = List.copyOf(dests);
      neutral = List.copyOf(neutral);
    }
  }

  /**
   * Writes elements. The lambda's results are the indices of all destinations one after the other,
   * then one value for each. Out-of-range indices are ignored; two different values written to one
   * place leave either. It consumes the destinations; the results are the new destinations.
   */
  record Scatter(Atom width, List<Var> inputs, List<ScatterDest> dests, Lambda map)
      implements Soac {
    public Scatter {
      inputs = List.copyOf(inputs);
      dests = List.copyOf(dests);
    }
  }

  record ScatterDest(List<Atom> shape, Var dest) {
    public ScatterDest {
      shape = List.copyOf(shape);
    }
  }

  /**
   * What is kept of some rows, in order. The lambda's results: whether the row is kept, then any
   * number of values. Results: how many are kept, then an array of that size for each value. The
   * size is the expression's own: the pattern's other variables have types that mention its first.
   */
  record Filter(Atom width, List<Var> inputs, Lambda map) implements Soac {
    public Filter {
      inputs = List.copyOf(inputs);
    }
  }

  /**
   * Turns arrays into accumulators for the extent of the lambda, whose parameters they are and
   * whose first results they must be. Results: the arrays' final contents, then the lambda's other
   * results. Consumes the arrays.
   */
  record WithAcc(List<AccInput> inputs, Lambda body) implements Exp {
    public WithAcc {
      inputs = List.copyOf(inputs);
    }
  }

  /**
   * These arrays become one accumulator.
   *
   * @param space the outer dimensions that updates index
   * @param arrays equally long under {@code space}
   * @param combine how an update is combined with what is there; if it is absent, it replaces
   */
  record AccInput(List<Atom> space, List<Var> arrays, Optional<Combine> combine) {
    public AccInput {
      space = List.copyOf(space);
      arrays = List.copyOf(arrays);
    }
  }

  /**
   * Updates are combined by this associative and commutative operator on the elements under the
   * accumulator's space.
   */
  record Combine(Lambda op, List<Atom> neutral) {
    public Combine {
      neutral = List.copyOf(neutral);
    }
  }

  /**
   * The accumulator after this update, which ignores out-of-range indices. It consumes the
   * accumulator.
   */
  record UpdateAcc(Var acc, List<Atom> indices, List<Atom> values) implements Simple {
    public UpdateAcc {
      indices = List.copyOf(indices);
      values = List.copyOf(values);
    }
  }

  // Derivatives, which the pass ad expands

  /**
   * This is a forward derivative. The results are the function's results, and after them their
   * tangents.
   *
   * @param tangents one for each argument, of its type; of arguments that aren't floats they are
   *     ignored
   * @param width in vector mode, how many tangents: tangents and their results then have this extra
   *     outer dimension
   */
  record Jvp(Lambda function, List<Atom> arguments, List<Atom> tangents, Optional<Atom> width)
      implements Exp {
    public Jvp {
      arguments = List.copyOf(arguments);
      tangents = List.copyOf(tangents);
    }
  }

  /**
   * This is a reverse derivative. The results are the function's results, and after them the
   * arguments' adjoints, which are zero for what isn't a float. The {@code width} means what it
   * means in {@link Jvp}.
   */
  record Vjp(Lambda function, List<Atom> arguments, List<Atom> adjoints, Optional<Atom> width)
      implements Exp {
    public Vjp {
      arguments = List.copyOf(arguments);
      adjoints = List.copyOf(adjoints);
    }
  }

  /**
   * This applies a function that has a reverse derivative of its own.
   *
   * @param function from the arguments to the results, then {@code tape} further results kept for
   *     the rule and not results of this expression
   * @param rule from the arguments, the results, the tape and the results' adjoints to the
   *     arguments' adjoints
   */
  record WithVjp(Lambda function, int tape, Lambda rule, List<Atom> arguments) implements Exp {
    public WithVjp {
      arguments = List.copyOf(arguments);
    }
  }
}
