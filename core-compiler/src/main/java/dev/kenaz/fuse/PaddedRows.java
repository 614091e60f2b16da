package dev.kenaz.fuse;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.DimSlice.Fix;
import dev.kenaz.ir.DimSlice.Range;
import dev.kenaz.ir.Exp.If;
import dev.kenaz.ir.Exp.Iota;
import dev.kenaz.ir.Exp.Loop;
import dev.kenaz.ir.Exp.Replicate;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.Exp.Soac;
import dev.kenaz.ir.Exp.Update;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Makes a map of a row that is filled with one value and then partly overwritten, where that stands
 * in another map, so that each element has a thread and the readers can be joined with it:
 *
 * <pre>
 *   (replicate n x) with [a:+m] = ys
 *     is  map (\i -> if a <= i && i < a + m then ys[i - a] else x) (iota n)
 * </pre>
 *
 * <p>The derivatives of {@code take} and {@code drop} are such rows. A row of which one element is
 * overwritten under a condition becomes a map, too:
 *
 * <pre>
 *   if c then xs with [i] = y else xs
 *     is  map2 (\j x -> if c && j == i then y else x) (iota n) xs
 * </pre>
 *
 * <p>The derivative of a maximum adds to one element so. In a loop inside the map it stays an
 * update, for there the iterations may be as many as the elements.
 */
final class PaddedRows implements CodeRewriter {
  /** The rows that are filled with one value. */
  private final Map<Var, Replicate> filled = new HashMap<>();

  /** How many operators are around. */
  private int nested;

  private PaddedRows() {}

  static CoreProgram run(CoreProgram program) {
    return new PaddedRows().program(program);
  }

  @Override
  public List<Stm> stm(Stm stm) {
    if (stm.exp() instanceof Replicate r
        && r.shape().size() == 1
        && stm.var().type().dims().size() == 1) {
      filled.put(stm.var(), r);
    }
    if (nested > 0 && stm.exp() instanceof Update u && padded(u)) {
      return map(stm, filled.get(u.array()), u);
    }
    if (nested > 0 && stm.exp() instanceof If i && stm.pattern().size() == 1) {
      var changed = changed(stm, i);
      if (changed.isPresent()) {
        return changed.get();
      }
    }
    int before = nested;
    nested = stm.exp() instanceof Loop ? 0 : stm.exp() instanceof Soac ? nested + 1 : nested;
    var inner = CodeRewriter.super.stm(stm);
    nested = before;
    return inner;
  }

  private boolean padded(Update u) {
    return !u.checked()
        && filled.containsKey(u.array())
        && u.value() instanceof Var
        && u.slice().getFirst() instanceof Range r
        && r.stride().isConst(1);
  }

  private static List<Stm> map(Stm stm, Replicate row, Update u) {
    var part = (Range) u.slice().getFirst();
    var b = new Builder(stm.span());
    var width = row.shape().getFirst();
    var iota = b.bind("iota", new Iota(width, Atom.i64(0), Atom.i64(1)));
    var value =
        b.lambdaOf(
            List.of(Names.fresh("i", Type.I64)),
            (inner, params) -> {
              var place = inner.sub(params.getFirst(), part.start());
              var from = inner.compare(CompareOp.LE, Atom.i64(0), place);
              var to = inner.compare(CompareOp.LT, place, part.count());
              return inner.ifThenElse(
                  inner.and(from, to),
                  List.of(row.value().type()),
                  then -> List.of(then.index((Var) u.value(), place)),
                  _ -> List.of(row.value()));
            });
    b.bindAll(List.of(stm.var()), new Screma(width, List.of(iota), List.of(), List.of(), value));
    return b.stms();
  }

  /** Makes a map of a branch that overwrites one element of a row, if all else in it is scalar. */
  private static Optional<List<Stm>> changed(Stm stm, If branch) {
    var stms = branch.then().stms();
    if (stms.isEmpty()
        || !(stms.getLast().exp() instanceof Update u)
        || u.checked()
        || u.array().type().dims().size() != 1
        || !(u.slice().getFirst() instanceof Fix(var at))
        || !branch.then().results().equals(stms.getLast().pattern())
        || !branch.otherwise().equals(new Body(List.of(), List.of(u.array())))) {
      return Optional.empty();
    }
    var before = stms.subList(0, stms.size() - 1);
    var bound = Stm.bound(before);
    return before.stream().allMatch(Nest::movable)
            && !bound.contains(at)
            && !bound.contains(u.array())
        ? Optional.of(changed(stm, branch, u, at))
        : Optional.empty();
  }

  private static List<Stm> changed(Stm stm, If branch, Update u, Atom at) {
    var b = new Builder(stm.span());
    var stms = branch.then().stms();
    var type = u.value().type();
    // without a place where the condition is false, the map itself need not know the condition
    var change =
        b.ifThenElse(
            branch.condition(),
            List.of(Type.I64, type),
            then -> {
              then.addAll(stms.subList(0, stms.size() - 1));
              return List.of(at, u.value());
            },
            _ -> List.of(Atom.i64(-1), Atom.of(type.elemPrim(), 0)));
    var width = u.array().type().dims().getFirst();
    var numbers = b.iota(width);
    var element =
        b.lambda(
            List.of(Type.I64, type),
            (inner, p) ->
                inner.ifThenElse(
                    inner.compare(CompareOp.EQ, p.getFirst(), change.getFirst()),
                    List.of(type),
                    _ -> List.of(change.getLast()),
                    _ -> List.of(p.getLast())));
    var inputs = List.of(numbers, u.array());
    b.bindAll(stm.pattern(), new Screma(width, inputs, List.of(), List.of(), element));
    return b.stms();
  }
}
