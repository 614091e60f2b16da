package dev.kenaz.segir;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Exp.HistOp;
import dev.kenaz.ir.Exp.Reduce;
import dev.kenaz.ir.Exp.Scan;
import dev.kenaz.ir.Exp.ScatterDest;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.List;

/**
 * This is a parallel operator over a regular index space. The body runs once for each point,
 * sequentially, with the space's variables bound to the point; operators run along the innermost
 * dimension, once for each point of the outer ones (a segment).
 */
public sealed interface SegOp {
  SegSpace space();

  SegBody body();

  /** Types of the body's results. */
  List<Type> returns();

  /** The index space, outermost dimension first. */
  record SegSpace(List<Dim> dims) {
    public SegSpace {
      dims = List.copyOf(dims);
    }

    public List<Atom> widths() {
      return dims.stream().map(Dim::width).toList();
    }

    public Dim innermost() {
      return dims.getLast();
    }
  }

  /** {@code index < width}; both i64. */
  record Dim(Var index, Atom width) {}

  /**
   * Results: an array over the space for each result of the body; the accumulator where that is an
   * accumulator.
   */
  record SegMap(SegSpace space, SegBody body, List<Type> returns) implements SegOp {
    public SegMap {
      returns = List.copyOf(returns);
    }
  }

  /**
   * The body's results are operands of the reductions, then mapped elements. The operator's results
   * are in the same order.
   */
  record SegRed(SegSpace space, List<Reduce> reduces, SegBody body, List<Type> returns)
      implements SegOp {
    public SegRed {
      reduces = List.copyOf(reduces);
      returns = List.copyOf(returns);
    }
  }

  /**
   * The body's results are operands of scans, of reductions, and mapped elements, as in {@link
   * dev.kenaz.ir.Exp.Screma}.
   */
  record SegScan(
      SegSpace space, List<Scan> scans, List<Reduce> reduces, SegBody body, List<Type> returns)
      implements SegOp {
    public SegScan {
      scans = List.copyOf(scans);
      reduces = List.copyOf(reduces);
      returns = List.copyOf(returns);
    }
  }

  /** A histogram as {@link dev.kenaz.ir.Exp.Hist}. */
  record SegHist(SegSpace space, List<HistOp> ops, SegBody body, List<Type> returns)
      implements SegOp {
    public SegHist {
      ops = List.copyOf(ops);
      returns = List.copyOf(returns);
    }
  }

  /** A scatter as {@link dev.kenaz.ir.Exp.Scatter}. */
  record SegScatter(SegSpace space, List<ScatterDest> dests, SegBody body, List<Type> returns)
      implements SegOp {
    public SegScatter {
      dests = List.copyOf(dests);
      returns = List.copyOf(returns);
    }
  }

  /**
   * What is kept of the points, in order. The body's results: whether a point is kept, then values.
   * Results: how many are kept, then an array of them for each value.
   *
   * @param space of one dimension
   */
  record SegFilter(SegSpace space, SegBody body, List<Type> returns) implements SegOp {
    public SegFilter {
      returns = List.copyOf(returns);
    }
  }
}
