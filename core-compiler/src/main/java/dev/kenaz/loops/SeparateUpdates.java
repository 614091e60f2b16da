package dev.kenaz.loops;

import dev.kenaz.analysis.ArrayParts;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.Binary;
import dev.kenaz.ir.Exp.Convert;
import dev.kenaz.ir.Exp.Index;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.Exp.UpdateAcc;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.segir.MentionedVars;
import dev.kenaz.segir.SegBody;
import dev.kenaz.segir.SegExp;
import dev.kenaz.segir.SegOp;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;

/**
 * Finds out whether the points of a parallel operator update different elements of an accumulator.
 * Then threads add to it in place, and need no copies of it that are cleared and added up.
 *
 * <p>Let p be a point and q the indices of the loops inside it. Two updates of one element have the
 * same indices there. An index that is an inner q itself says that q is the same in both, and so is
 * any s(q) that is computed of such q and of what is the same for all points. Each coordinate of
 * the point must then follow from an index, which is one of
 *
 * <pre>
 *   p_k                  at this place in all updates
 *   s + p_k, s - p_k     in the only update there is
 *   the same mod n_k     where p_k &lt; n_k and nothing overflows: then numbers for p_k and p_k'
 *                        have the same remainder only if n_k divides p_k - p_k'
 * </pre>
 *
 * <p>So are the derivatives of what reads each element once for each offset, as periodic stencils
 * do. Whatever isn't known here is refused.
 */
final class SeparateUpdates {
  /** No loop has so many points, for it would never end. */
  private static final long EXTENT = 1L << 60;

  private static final long UNKNOWN = -1;

  private final SegOp op;
  private final int token;
  private final ArrayParts parts;
  private final ToLongFunction<Var> largest;
  private final Set<Var> bound = new HashSet<>();
  private final Map<Var, Exp> definitions = new HashMap<>();
  private final List<UpdateAcc> updates = new ArrayList<>();
  private boolean understood = true;

  private SeparateUpdates(SegOp op, int token, Scope scope) {
    this.op = op;
    this.token = token;
    this.parts = new ArrayParts(scope::counts);
    this.largest = scope::largest;
  }

  /**
   * Whether no two points update the same element.
   *
   * @param acc an accumulator that the operator's body mentions
   */
  static boolean in(SegOp op, Var acc, Scope scope) {
    if (!(acc.type() instanceof Type.Acc(var token, _, _))) {
      return false;
    }
    var walk = new SeparateUpdates(op, token, scope);
    op.space().dims().forEach(d -> walk.bind(d.index()));
    walk.body(op.body());
    return walk.understood && !walk.updates.isEmpty() && walk.separate();
  }

  // What the body does

  private void body(SegBody body) {
    for (var stm : body.stms()) {
      stm.pattern().forEach(this::bind);
      switch (stm.exp()) {
        case SegExp.Plain(Screma s) -> screma(s);
        case SegExp.Plain(var exp) -> plain(stm.pattern(), exp);
        case SegExp.Branch(_, var then, var otherwise) -> {
          body(then);
          body(otherwise);
        }
        case SegExp.Iterate l -> {
          l.params().forEach(p -> bind(p.var()));
          if (l.form() instanceof Exp.For(var i, _)) {
            bind(i);
          }
          body(l.body());
        }
        case SegExp.Accumulate a -> {
          a.accs().forEach(this::bind);
          body(a.body());
        }
        case SegExp.Par _, SegExp.Versions _ -> understood &= !mentions(stm.exp());
      }
    }
  }

  private boolean mentions(SegExp exp) {
    return MentionedVars.of(exp).stream().anyMatch(this::isOurs);
  }

  private boolean isOurs(Var v) {
    return v.type() instanceof Type.Acc(var t, _, _) && t == token;
  }

  /** Notes a variable of the body; one with two meanings would not be understood. */
  private void bind(Var v) {
    understood &= bound.add(v);
  }

  private void screma(Screma s) {
    var k = Names.fresh("k", Type.I64);
    bound.add(k);
    for (int i = 0; i < s.inputs().size(); i++) {
      var param = s.map().params().get(i);
      bind(param);
      if (!(param.type() instanceof Type.Acc)) {
        define(param, new Index(s.inputs().get(i), List.of(k), false));
      }
    }
    var others = new HashSet<Var>();
    s.scans().forEach(x -> others.addAll(FreeVars.of(x.op())));
    s.reduces().forEach(x -> others.addAll(FreeVars.of(x.op())));
    understood &= others.stream().noneMatch(this::isOurs);
    body(SegBody.sequential(s.map().body()));
  }

  private void plain(List<Var> pattern, Exp exp) {
    if (exp instanceof UpdateAcc u && isOurs(u.acc())) {
      updates.add(u);
      return;
    }
    understood &= exp instanceof Exp.Alias || FreeVars.of(exp).stream().noneMatch(this::isOurs);
    if (pattern.size() == 1) {
      define(pattern.getFirst(), exp);
    }
  }

  private void define(Var v, Exp exp) {
    parts.note(v, exp);
    definitions.put(v, exp);
  }

  // What follows for points

  private boolean separate() {
    int rank = updates.getFirst().indices().size();
    for (var dim : op.space().dims()) {
      boolean found = false;
      for (int at = 0; at < rank && !found; at++) {
        found = isOwn(dim, at) || updates.size() == 1 && isShifted(dim, at);
      }
      if (!found) {
        return false;
      }
    }
    return true;
  }

  /** Whether the index there is the point's own in all updates. */
  private boolean isOwn(SegOp.Dim dim, int at) {
    return updates.stream().allMatch(u -> parts.index(u.indices().get(at)).equals(dim.index()));
  }

  private boolean isShifted(SegOp.Dim dim, int at) {
    var index = updates.getFirst().indices().get(at);
    if (definition(index) instanceof Binary(var op, var x, var n) && op == BinaryOp.MOD) {
      return n.equals(dim.width()) && most(x) != UNKNOWN && isSum(dim.index(), x);
    }
    return isSum(dim.index(), index);
  }

  private Exp definition(Atom atom) {
    return atom instanceof Var v ? definitions.get(v) : null;
  }

  /** Whether the number is the index, and something added to it that is the same. */
  private boolean isSum(Var index, Atom atom) {
    if (parts.index(atom).equals(index)) {
      return true;
    }
    if (!(definition(atom) instanceof Binary(var op, var x, var y))) {
      return false;
    }
    return switch (op) {
      case ADD -> isSum(index, x) && isSame(y) || isSame(x) && isSum(index, y);
      case SUB -> isSum(index, x) && isSame(y) || isSame(x) && isSum(index, y);
      default -> false;
    };
  }

  /** Whether the number is the same in two updates of one element by the only update. */
  private boolean isSame(Atom atom) {
    if (!(atom instanceof Var v) || !bound.contains(v)) {
      return true;
    }
    var known = parts.index(v);
    if (updates.getFirst().indices().stream().anyMatch(i -> parts.index(i).equals(known))) {
      return true;
    }
    return switch (definitions.get(v)) {
      case Binary(_, var x, var y) -> isSame(x) && isSame(y);
      case Convert(_, var x) -> isSame(x);
      case Exp.Alias(var x) -> isSame(x);
      case Index(var array, var indices, _) ->
          isSame(array) && indices.stream().allMatch(this::isSame);
      case null, default -> false;
    };
  }

  /** Returns the most that the number's absolute value can be; {@link #UNKNOWN} if that isn't. */
  private long most(Atom atom) {
    if (atom instanceof Const(var c)) {
      return c.prim().isInteger() && c.asLong() != Long.MIN_VALUE ? Math.abs(c.asLong()) : UNKNOWN;
    }
    var at = parts.index(atom);
    if (op.space().dims().stream().anyMatch(d -> d.index().equals(at) || d.width().equals(at))) {
      return EXTENT;
    }
    return switch (definition(atom)) {
      case Binary(var o, var x, var y) -> combined(o, most(x), most(y));
      case Convert(_, var x) when x.type().elemPrim().isInteger() && isNarrow(x) -> 1L << 32;
      case Exp.Alias(var x) -> most(x);
      case Index(var array, var indices, _) when indices.size() == array.type().dims().size() ->
          largest.applyAsLong(parts.of(array).array());
      case null, default -> UNKNOWN;
    };
  }

  private static boolean isNarrow(Atom x) {
    return x.type().elemPrim().byteSize() < Long.BYTES;
  }

  private static long combined(BinaryOp op, long x, long y) {
    if (x == UNKNOWN || y == UNKNOWN) {
      return UNKNOWN;
    }
    try {
      return switch (op) {
        case ADD, SUB -> Math.addExact(x, y);
        case MUL -> Math.multiplyExact(x, y);
        default -> UNKNOWN;
      };
    } catch (ArithmeticException overflow) {
      return UNKNOWN;
    }
  }
}
