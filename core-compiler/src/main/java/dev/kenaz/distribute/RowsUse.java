package dev.kenaz.distribute;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Distinguishes the two meanings of a number of rows. As a size (in a type, as a width, as the
 * shape of something made) it means the rows of the current piece; as a number that is computed
 * with it means all rows, and is replaced.
 */
final class RowsUse implements Rewriter {
  private final Map<Var, Var> totals;
  private final Set<Var> own;
  private final Set<Var> stretches;
  private boolean asSize;

  /**
   * @param totals the number of all rows for each size that is divided among the pieces
   * @param own the variables that are bound to the number of the piece's own rows
   * @param stretches the arrays of which a row uses its own stretch
   */
  RowsUse(Map<Var, Var> totals, Set<Var> own, Set<Var> stretches) {
    this.totals = totals;
    this.own = own;
    this.stretches = stretches;
  }

  @Override
  public List<Stm> stm(Stm stm) {
    return stm.pattern().stream().anyMatch(own::contains) ? List.of(stm) : Rewriter.super.stm(stm);
  }

  /** Whether the statement makes or goes through something that has such rows. */
  static boolean asSize(Stm stm, Map<Var, Var> totals, Set<Var> stretches) {
    var use = new RowsUse(totals, Set.of(), stretches);
    use.stm(stm);
    return use.asSize;
  }

  /** Whether the function makes or goes through something that has such rows. */
  static boolean asSize(Lambda lambda, Map<Var, Var> totals, Set<Var> stretches) {
    var use = new RowsUse(totals, Set.of(), stretches);
    use.lambda(lambda);
    return use.asSize;
  }

  /** Returns all sizes in a type. */
  static List<Atom> sizesOf(Type type) {
    return switch (type) {
      case Type.Scalar _ -> List.of();
      case Type.Array a -> a.shape();
      case Type.Acc a ->
          Stream.concat(a.space().stream(), a.elems().stream().flatMap(e -> sizesOf(e).stream()))
              .toList();
    };
  }

  @Override
  public Atom atom(Atom atom) {
    if (totals.containsKey(atom)) {
      return totals.get(atom);
    }
    if (atom instanceof Var v && !stretches.contains(v)) {
      type(v.type());
    }
    return atom;
  }

  @Override
  public Var binder(Var v) {
    type(v.type());
    return v;
  }

  @Override
  public Type type(Type type) {
    if (sizesOf(type).stream().anyMatch(totals::containsKey)) {
      asSize = true;
    }
    return type;
  }

  @Override
  public DimSlice dim(DimSlice dim) {
    return switch (dim) {
      case DimSlice.Fix fix -> Rewriter.super.dim(fix);
      case DimSlice.Range r -> new DimSlice.Range(atom(r.start()), size(r.count()), r.stride());
    };
  }

  @Override
  public Exp exp(Exp exp) {
    var rewritten = Rewriter.super.exp(exp);
    return switch (rewritten) {
      case Reshape r -> new Reshape(sizes(((Reshape) exp).shape()), r.array());
      case Screma s ->
          new Screma(size(((Screma) exp).width()), s.inputs(), s.scans(), s.reduces(), s.map());
      case Hist h ->
          new Hist(size(((Hist) exp).width()), h.inputs(), histOps((Hist) exp, h), h.map());
      case Scatter s ->
          new Scatter(size(((Scatter) exp).width()), s.inputs(), dests((Scatter) exp, s), s.map());
      case Filter f -> new Filter(size(((Filter) exp).width()), f.inputs(), f.map());
      case WithAcc w -> new WithAcc(accs((WithAcc) exp, w), w.body());
      case Iota i -> new Iota(size(((Iota) exp).n()), i.start(), i.step());
      case Replicate r -> new Replicate(sizes(((Replicate) exp).shape()), r.value());
      case Scratch s -> new Scratch(s.elem(), sizes(((Scratch) exp).shape()));
      case Concat c -> new Concat(c.dim(), c.arrays(), size(((Concat) exp).size()));
      case Arithmetic _, View _, Update _, ArrayLit _, Copy _, Apply _, UpdateAcc _ -> rewritten;
      case If _, Loop _, Jvp _, Vjp _, WithVjp _ -> rewritten;
    };
  }

  private List<HistOp> histOps(Hist before, Hist after) {
    return IntStream.range(0, before.ops().size())
        .mapToObj(
            i -> {
              var op = after.ops().get(i);
              return new HistOp(
                  sizes(before.ops().get(i).shape()), op.dests(), op.neutral(), op.op());
            })
        .toList();
  }

  private List<ScatterDest> dests(Scatter before, Scatter after) {
    return IntStream.range(0, before.dests().size())
        .mapToObj(
            i -> new ScatterDest(sizes(before.dests().get(i).shape()), after.dests().get(i).dest()))
        .toList();
  }

  private List<AccInput> accs(WithAcc before, WithAcc after) {
    return IntStream.range(0, before.inputs().size())
        .mapToObj(
            i -> {
              var in = after.inputs().get(i);
              return new AccInput(sizes(before.inputs().get(i).space()), in.arrays(), in.combine());
            })
        .toList();
  }

  private List<Atom> sizes(List<Atom> sizes) {
    return sizes.stream().map(this::size).toList();
  }

  private Atom size(Atom size) {
    if (totals.containsKey(size)) {
      asSize = true;
    }
    return size;
  }
}
