package dev.kenaz.loops;

import dev.kenaz.analysis.ArrayParts;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.Compare;
import dev.kenaz.ir.Exp.Index;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.loopir.Band;
import dev.kenaz.segir.MentionedVars;
import dev.kenaz.segir.SegBody;
import dev.kenaz.segir.SegExp;
import dev.kenaz.segir.SegOp.SegMap;
import dev.kenaz.segir.SegStm;
import dev.kenaz.value.ScalarValue;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Finds out of which triangle of matrices all elements are that a program reads.
 *
 * <p>A program that keeps a triangular matrix packed makes a square of it by {@code if j < i then
 * q[..] else 0}, and its derivative reads the square's derivative in the same way: what was added
 * up on the other side of the diagonal is thrown away, and need not be added up at all.
 *
 * <p>Every statement after the one that makes the array is accounted for: elements are followed
 * through indices, inputs of maps and other names, and each use of one has to be where comparisons
 * of its last two indices tell on which side of the diagonal it is. Any other use of the array, or
 * of a part of it, reads all.
 */
final class ElementsRead {
  /** A side of the diagonal, with it or without. */
  private enum Triangle {
    BELOW(Band.below(0), true, true),
    ABOVE(Band.above(1), false, true),
    UP_TO_DIAGONAL(Band.below(1), true, false),
    FROM_DIAGONAL(Band.above(0), false, false);

    private final Band band;
    private final boolean lower;
    private final boolean strict;

    Triangle(Band band, boolean lower, boolean strict) {
      this.band = band;
      this.lower = lower;
      this.strict = strict;
    }

    /** Whether these indices are known to be in it. */
    boolean has(Atom row, Atom column, List<Order> known) {
      return known.contains(
          lower ? new Order(column, row, strict) : new Order(row, column, strict));
    }
  }

  /** One index is less than another, or no greater if that is not strict. */
  private record Order(Atom less, Atom more, boolean strict) {
    /** Returns what is known where one index is less than another, or no greater. */
    static List<Order> of(Atom less, Atom more, boolean strict) {
      var notGreater = new Order(less, more, false);
      return strict ? List.of(new Order(less, more, true), notGreater) : List.of(notGreater);
    }
  }

  private final Var array;
  private final ArrayParts parts;

  /** What is known where a condition holds, and where it does not. */
  private final Map<Atom, List<Order>> holds = new HashMap<>();

  private final Map<Atom, List<Order>> fails = new HashMap<>();
  private final Set<Triangle> triangles = EnumSet.allOf(Triangle.class);
  private List<Order> known = List.of();

  private ElementsRead(Var array, Predicate<Var> counts) {
    this.array = array;
    parts = new ArrayParts(counts);
  }

  /**
   * Returns the band that all elements read of the array are in; empty if that is not known.
   *
   * @param array of two dimensions or more; the band is that of the last two
   * @param made the number of the body's statement that makes it
   * @param counts tells whether an array is 0, 1, 2, ...
   */
  static Optional<Band> of(SegBody body, int made, Var array, Predicate<Var> counts) {
    if (array.type().dims().size() < 2) {
      return Optional.empty();
    }
    var walk = new ElementsRead(array, counts);
    var after = body.stms().subList(made + 1, body.stms().size());
    walk.body(new SegBody(after, body.results()));
    return walk.triangles.stream().findFirst().map(t -> t.band);
  }

  private void body(SegBody body) {
    for (var stm : body.stms()) {
      if (triangles.isEmpty()) {
        return;
      }
      stm(stm);
    }
    body.results().forEach(this::use);
  }

  private void stm(SegStm stm) {
    stm.pattern().forEach(this::forget);
    switch (stm.exp()) {
      case SegExp.Plain(var exp) -> plain(stm.pattern(), exp);
      case SegExp.Branch(var c, var then, var otherwise) -> {
        use(c);
        where(holds.getOrDefault(c, List.of()), then);
        where(fails.getOrDefault(c, List.of()), otherwise);
        conjunction(stm.pattern(), c, then, otherwise);
      }
      case SegExp.Iterate l -> loop(l);
      case SegExp.Accumulate a -> accumulation(a);
      case SegExp.Par(SegMap m) -> {
        m.space().widths().forEach(this::use);
        m.space().dims().forEach(d -> forget(d.index()));
        body(m.body());
      }
      case SegExp.Par _ -> MentionedVars.of(stm.exp()).forEach(this::use);
      case SegExp.Versions(var extents, var wide, var narrow) -> {
        extents.forEach(this::use);
        body(wide);
        body(narrow);
      }
    }
  }

  private void loop(SegExp.Iterate l) {
    l.params().forEach(p -> use(p.init()));
    l.params().forEach(p -> forget(p.var()));
    if (l.form() instanceof Exp.For(var i, var bound)) {
      use(bound);
      forget(i);
    }
    body(l.body());
  }

  private void accumulation(SegExp.Accumulate a) {
    var empty = new SegBody(List.of(), List.of());
    MentionedVars.of(new SegExp.Accumulate(a.inputs(), a.accs(), empty)).forEach(this::use);
    a.accs().forEach(this::forget);
    body(a.body());
  }

  private void forget(Var v) {
    parts.forget(v);
    holds.remove(v);
    fails.remove(v);
  }

  private void plain(List<Var> pattern, Exp exp) {
    if (exp instanceof Screma s) {
      screma(s);
      return;
    }
    if (exp instanceof Index(_, var at, _)) {
      at.forEach(this::use);
    }
    if (pattern.size() == 1 && !isAcc(pattern.getFirst()) && parts.note(pattern.getFirst(), exp)) {
      return;
    }
    FreeVars.of(exp).forEach(this::use);
    if (exp instanceof Compare(var op, var x, var y) && op != CompareOp.EQ && isIndex(x)) {
      boolean strict = op == CompareOp.LT;
      var less = parts.index(x);
      var more = parts.index(y);
      holds.put(pattern.getFirst(), Order.of(less, more, strict));
      fails.put(pattern.getFirst(), Order.of(more, less, !strict));
    }
  }

  /** Notes what is known where both conditions hold, if that is what the branch computes. */
  private void conjunction(List<Var> pattern, Atom c, SegBody then, SegBody otherwise) {
    if (pattern.size() == 1
        && otherwise.results().getFirst() instanceof Const(var no)
        && no.equals(ScalarValue.bool(false))) {
      var first = holds.getOrDefault(c, List.of());
      var second = holds.getOrDefault(then.results().getFirst(), List.of());
      var both = Lists.concat(first, second);
      holds.put(pattern.getFirst(), both);
    }
  }

  private void screma(Screma s) {
    use(s.width());
    var others = new HashSet<Var>();
    s.scans().forEach(x -> others.addAll(FreeVars.of(x.op())));
    s.scans().forEach(x -> others.addAll(FreeVars.of(x.neutral())));
    s.reduces().forEach(x -> others.addAll(FreeVars.of(x.op())));
    s.reduces().forEach(x -> others.addAll(FreeVars.of(x.neutral())));
    others.forEach(this::use);
    var k = Names.fresh("k", Type.I64);
    for (int i = 0; i < s.inputs().size(); i++) {
      var param = s.map().params().get(i);
      forget(param);
      if (!isAcc(param)) {
        parts.note(param, new Index(s.inputs().get(i), List.of(k), false));
      }
    }
    body(SegBody.sequential(s.map().body()));
  }

  private static boolean isAcc(Var v) {
    return v.type() instanceof Type.Acc;
  }

  private void where(List<Order> orders, SegBody body) {
    var before = known;
    known = Lists.concat(before, orders);
    body(body);
    known = before;
  }

  private static boolean isIndex(Atom atom) {
    return atom.type().equals(Type.I64);
  }

  /** Leaves only the triangles that the value belongs to, if it is one of the array's. */
  private void use(Atom atom) {
    if (!(atom instanceof Var v) || isAcc(v) || !(parts.knows(v) || v.equals(array))) {
      return;
    }
    var part = parts.of(v);
    if (!part.array().equals(array)) {
      return;
    }
    int rank = part.at().size();
    if (!part.isElement()) {
      triangles.clear();
      return;
    }
    var row = parts.index(part.at().get(rank - 2));
    var column = parts.index(part.at().get(rank - 1));
    triangles.removeIf(t -> !t.has(row, column, known));
  }
}
