package dev.kenaz.fuse;

import dev.kenaz.analysis.Operators;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Makes one sum of sums over the same elements that are only added up:
 *
 * <pre>
 *   let s = reduce (+) 0 xs  let t = reduce (+) 0 ys  in s + t
 *     is  reduce (+) 0 (map2 (+) xs ys)
 * </pre>
 *
 * <p>The adjoint of what several products use is the sum of as many products. A thread that has
 * some points of a matrix keeps one sum for each of them then, in place of several. The order of
 * additions of floats is another one, as it may be in any reduction.
 */
final class JoinedSums implements CodeRewriter {
  private JoinedSums() {}

  static CoreProgram run(CoreProgram program) {
    return new JoinedSums().program(program);
  }

  @Override
  public Body body(Body body) {
    var now = CodeRewriter.super.body(body);
    var joined = joined(now);
    while (joined != now) {
      now = joined;
      joined = joined(now);
    }
    return now;
  }

  /** Two sums of one operator, and the statement that adds them. */
  private record Pair(Stm sums, int left, int right, Stm addition) {}

  private static Body joined(Body body) {
    var made = new HashMap<Atom, Stm>();
    Uses uses = null;
    for (var stm : body.stms()) {
      if (stm.exp() instanceof Screma s && s.reduces().size() > 1) {
        stm.pattern().forEach(v -> made.put(v, stm));
      }
      if (stm.exp() instanceof Binary(var op, Var x, Var y)
          && op == BinaryOp.ADD
          && made.containsKey(x)
          && made.get(x) == made.get(y)
          && !x.equals(y)) {
        uses = uses == null ? Uses.in(body) : uses;
        var sums = made.get(x);
        int left = sums.pattern().indexOf(x);
        int right = sums.pattern().indexOf(y);
        var s = (Screma) sums.exp();
        if (uses.of(x) == 1 && uses.of(y) == 1 && isSum(s, left) && isSum(s, right)) {
          return with(body, new Pair(sums, left, right, stm));
        }
      }
    }
    return body;
  }

  /** Whether a result is a sum of scalars, of which nothing else is part. */
  private static boolean isSum(Screma s, int result) {
    int r = result - s.scanWidth();
    return s.reduces().stream().allMatch(x -> x.neutral().size() == 1)
        && r >= 0
        && r < s.reduces().size()
        && s.reduces().get(r).neutral().getFirst().isConst(0)
        && Operators.scalar(s.reduces().get(r).op()).filter(op -> op == BinaryOp.ADD).isPresent();
  }

  private static Body with(Body body, Pair pair) {
    var stms = new ArrayList<Stm>();
    for (var stm : body.stms()) {
      if (stm == pair.sums) {
        stms.add(one(pair));
      } else if (stm != pair.addition) {
        stms.add(stm);
      }
    }
    return new Body(stms, body.results());
  }

  /** Returns the operator with one sum in the place of the left one of the two. */
  private static Stm one(Pair pair) {
    var s = (Screma) pair.sums.exp();
    var map = s.map();
    var type = map.returns().get(pair.left);
    var both = Names.fresh("both", type);
    var stms = new ArrayList<>(map.body().stms());
    var results = new ArrayList<>(map.body().results());
    var sum = new Binary(BinaryOp.ADD, results.get(pair.left), results.get(pair.right));
    stms.add(new Stm(List.of(both), sum, pair.addition.span()));
    results.set(pair.left, both);
    var pattern = new ArrayList<>(pair.sums.pattern());
    pattern.set(pair.left, pair.addition.var());
    var fewer =
        new Lambda(
            map.params(),
            new Body(stms, without(results, pair.right)),
            without(map.returns(), pair.right));
    var reduces = without(s.reduces(), pair.right - s.scanWidth());
    return pair.sums.with(
        without(pattern, pair.right), new Screma(s.width(), s.inputs(), s.scans(), reduces, fewer));
  }

  private static <T> List<T> without(List<T> all, int place) {
    return IntStream.range(0, all.size()).filter(k -> k != place).mapToObj(all::get).toList();
  }
}
