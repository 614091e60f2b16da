package dev.kenaz.jvm;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Liveness;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Registers;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * Makes selections of the branches in a loop's body that access no memory, and writes out short
 * loops.
 */
final class Selections {
  private final Set<Reg> folded;
  private final Map<Reg, Integer> reads;

  /** Whether loops are written out that are larger than those of scalar code. */
  private final boolean large;

  private final MaskedReads.Where masks;
  private final Set<Reg> data;

  private boolean unrolled;

  /** With so many loads there is no point in writing out large loops, or no room for it. */
  private static final int MOST_LOADS = 32;

  private Selections(List<Code> body, Set<Reg> folded, boolean large, MaskedReads.Where masks) {
    this.masks = masks;
    this.data = masks == MaskedReads.Where.DATA ? MaskedReads.data(body) : Set.of();
    this.folded = folded;
    this.large = large;
    this.reads = Registers.reads(body);
  }

  /**
   * Returns the body with fewer branches.
   *
   * @param folded the registers that the loop reduces into
   * @param masks which branches may read: their reads become {@link MaskedReads}
   */
  static List<Code> of(List<Code> body, Set<Reg> folded, MaskedReads.Where masks)
      throws Unsuitable {
    var flat = flat(new Selections(body, folded, true, masks), body);
    return loads(flat) <= MOST_LOADS
        ? flat
        : flat(new Selections(body, folded, false, masks), body);
  }

  private static List<Code> flat(Selections selections, List<Code> body) throws Unsuitable {
    var flat = new ArrayList<Code>();
    selections.flatten(body, flat);
    return selections.unrolled ? CommonValues.in(flat, selections.folded) : flat;
  }

  private static long loads(List<Code> code) {
    var count = new long[1];
    CodeWalk.code(code, _ -> {}, e -> count[0] += e instanceof Expr.Load ? 1 : 0);
    return count[0];
  }

  private int times(Code.For f) {
    return large ? Unrolling.timesInVectors(f) : Unrolling.times(f);
  }

  private void flatten(List<Code> code, List<Code> out) throws Unsuitable {
    for (var c : code) {
      switch (c) {
        case Code.Set _, Code.Store _ -> out.add(c);
        case Code.If(var condition, var then, var otherwise) -> {
          var a = new ArrayList<Code>();
          var b = new ArrayList<Code>();
          flatten(then, a);
          flatten(otherwise, b);
          var branch = new Code.If(condition, a, b);
          if (isPure(branch) || mayRead(condition) && reads(branch)) {
            select(branch, out);
          } else {
            out.add(branch);
          }
        }
        case Code.For f when times(f) >= 0 -> unroll(f, out);
        case Code.For f -> {
          if (inVectors(f)) {
            throw new Unsuitable("has an inner loop with vectors");
          }
          var inner = new ArrayList<Code>();
          flatten(f.body(), inner);
          out.add(new Code.For(f.i(), f.bound(), inner, f.independent(), f.reductions()));
        }
        case Code.While(var condition, var body) -> {
          var inner = new ArrayList<Code>();
          flatten(body, inner);
          out.add(new Code.While(condition, inner));
        }
        case Code.Check _ -> throw new Unsuitable("has a check");
        case Code.AtomicUpdate _,
            Code.Ensure _,
            Code.Free _,
            Code.Swap _,
            Code.CopyBytes _,
            Code.MatrixProduct _,
            Code.Call _,
            Code.Print _,
            Code.Plan _,
            Code.Parallel _,
            Code.Gpu _ ->
            throw new Unsuitable("has side effects");
      }
    }
  }

  /** Writes out a short loop, whose accesses then are at places that are known. */
  private void unroll(Code.For f, List<Code> out) throws Unsuitable {
    unrolled = true;
    var own = own(f);
    for (int k = 0; k < times(f); k++) {
      var names = new HashMap<Reg, Expr>();
      names.put(f.i(), Expr.i64(k));
      own.forEach(r -> names.put(r, Expr.use(copy(r))));
      flatten(Operands.renamed(f.body(), names), out);
    }
  }

  /** Returns a register for a copy of the code that reads this one, which it reads as often. */
  private Reg copy(Reg reg) {
    var copy = Reg.fresh(reg.name(), reg.prim());
    reads.put(copy, reads.getOrDefault(reg, 0));
    return copy;
  }

  /** The registers that an iteration sets before it reads them, and that nobody else reads. */
  private Set<Reg> own(Code.For f) {
    var own = new HashSet<Reg>();
    var read = new HashSet<Reg>();
    for (var c : f.body()) {
      var here = Registers.of(List.of(c));
      read.addAll(here.read());
      var set = always(c);
      set.removeAll(read);
      own.addAll(set);
    }
    var inside = Registers.reads(f.body());
    own.removeIf(r -> !reads.getOrDefault(r, 0).equals(inside.getOrDefault(r, 0)));
    own.removeAll(folded);
    return own;
  }

  /** The registers that the statement sets in any case. */
  private static Set<Reg> always(Code c) {
    return switch (c) {
      case Code.Set(var reg, _) -> new HashSet<>(Set.of(reg));
      case Code.If(_, var then, var otherwise) -> {
        var both = always(then);
        both.retainAll(always(otherwise));
        yield both;
      }
      default -> new HashSet<>();
    };
  }

  private static Set<Reg> always(List<Code> code) {
    var all = new HashSet<Reg>();
    code.forEach(c -> all.addAll(always(c)));
    return all;
  }

  /**
   * Returns the registers that a loop sets and that are read in a later iteration or after it.
   *
   * @param around the code that it is part of
   */
  static Set<Reg> lasting(Code.While loop, List<Code> around) {
    var outside = Registers.of(around.stream().filter(c -> c != loop).toList()).read();
    var needed = Liveness.of(loop.body()).needed();
    var lasting = new HashSet<>(Registers.of(loop.body()).assigned());
    lasting.removeIf(
        r ->
            !outside.contains(r)
                && !needed.contains(r)
                && !Operands.reads(loop.condition(), Set.of(r)));
    return lasting;
  }

  /** Whether the inner loop is the one to run in vectors. */
  private static boolean inVectors(Code.For inner) {
    if (inner.bound() instanceof Expr.Lit(var n) && n.bits() < Vectors.lanes(8)) {
      return false;
    }
    try {
      VectorLoops.of(inner);
      return true;
    } catch (Unsuitable u) {
      return false;
    }
  }

  /** Whether the code only sets registers, but none of reductions, to expressions of some kind. */
  private boolean sets(List<Code> code, Predicate<Expr> kind) {
    return code.stream()
        .allMatch(
            c -> c instanceof Code.Set(var reg, var e) && !folded.contains(reg) && kind.test(e));
  }

  private boolean isPure(Code.If branch) {
    return sets(branch.then(), Operands::isPure) && sets(branch.otherwise(), Operands::isPure);
  }

  /** Whether the reads of the branch may have masks. */
  private boolean mayRead(Expr condition) {
    return switch (masks) {
      case NOWHERE -> false;
      case DATA -> MaskedReads.isData(condition, data);
      case EVERYWHERE -> true;
    };
  }

  private boolean reads(Code.If branch) {
    return sets(branch.then(), MaskedReads::isPure)
        && sets(branch.otherwise(), MaskedReads::isPure);
  }

  private void select(Code.If branch, List<Code> out) throws Unsuitable {
    var c = Reg.fresh("c", Prim.BOOL);
    var sets = new ArrayList<Map<Reg, Expr>>();
    if (isPure(branch)) {
      sets.add(pureSets(branch.then(), out, e -> e));
      sets.add(pureSets(branch.otherwise(), out, e -> e));
      out.add(new Code.Set(c, branch.condition()));
    } else {
      var no = Reg.fresh("c", Prim.BOOL);
      out.add(new Code.Set(c, branch.condition()));
      out.add(new Code.Set(no, new Expr.Un(UnaryOp.NOT, Expr.use(c), Prim.BOOL)));
      sets.add(pureSets(branch.then(), out, e -> MaskedReads.where(c, e, out)));
      sets.add(pureSets(branch.otherwise(), out, e -> MaskedReads.where(no, e, out)));
    }
    var a = sets.get(0);
    var b = sets.get(1);
    for (var reg : a.keySet()) {
      if (!b.containsKey(reg)) {
        continue; // It is used in its branch only.
      }
      out.add(new Code.Set(reg, selected(Expr.use(c), a.get(reg), b.get(reg))));
    }
  }

  private static Expr selected(Expr c, Expr then, Expr otherwise) {
    if (then.prim() != Prim.BOOL) {
      return new Expr.Select(c, then, otherwise);
    }
    var yes = new Expr.Bin(BinaryOp.AND, c, then);
    if (otherwise.equals(Expr.bool(false))) {
      return yes;
    }
    if (then.equals(Expr.bool(true))) {
      return new Expr.Bin(BinaryOp.OR, c, otherwise);
    }
    var no = new Expr.Bin(BinaryOp.AND, new Expr.Un(UnaryOp.NOT, c, Prim.BOOL), otherwise);
    return new Expr.Bin(BinaryOp.OR, yes, no);
  }

  /**
   * Returns what a branch sets, with its own temporaries substituted.
   *
   * @param always makes of an expression one that may be computed outside of the branch
   */
  private static Map<Reg, Expr> pureSets(
      List<Code> code, List<Code> out, UnaryOperator<Expr> always) {
    var sets = new LinkedHashMap<Reg, Expr>();
    for (var c : code) {
      if (c instanceof Code.Set(var reg, var e)) {
        if (e instanceof Expr.Lit) {
          sets.put(reg, e);
          continue;
        }
        // Temporaries are set unconditionally: they are pure, and nobody else reads them.
        var temporary = Reg.fresh(reg.name(), reg.prim());
        var value = always.apply(Operands.substitute(e, sets));
        out.add(new Code.Set(temporary, value));
        sets.put(reg, Expr.use(temporary));
      }
    }
    return sets;
  }
}
