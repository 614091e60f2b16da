package dev.kenaz.loops;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Exp.Rearrange;
import dev.kenaz.ir.Exp.Reduce;
import dev.kenaz.ir.Exp.Scan;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Var;
import dev.kenaz.segir.MentionedVars;
import dev.kenaz.segir.SegBody;
import dev.kenaz.segir.SegExp;
import dev.kenaz.segir.SegOp.SegMap;
import dev.kenaz.segir.SegOp.SegScan;
import dev.kenaz.simplify.DeadCode;
import dev.kenaz.simplify.Reach;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Finds which parts of scans and reductions of tuples are computed where one thread goes through
 * the elements in order.
 *
 * <p>The reverse derivative of a scan scans functions {@code x -> b + c x}, of which only the
 * {@code b} are used. Blocks of elements are combined by the whole operator, which makes the later
 * {@code b} of the earlier {@code c}. In order, the operand on the right is an element as it was
 * given, and so all that is carried is what is wanted, and what the operator makes this of on its
 * left.
 */
final class WantedParts {
  private final Set<Var> unwanted = new HashSet<>();

  /** Matrices of scans and maps of which nothing is used but their transposes. */
  private final Set<Var> transposed = new HashSet<>();

  /**
   * An operator whose operands on the left, and results, are only some parts.
   *
   * @param op takes these parts on the left, and all on the right
   * @param carried the numbers of these parts
   */
  record Part(Lambda op, List<Integer> carried) {
    /** Returns the operator with all its parts. */
    static Part all(Lambda op) {
      return new Part(op, IntStream.range(0, op.returns().size()).boxed().toList());
    }
  }

  /** Notes how the results of the body's statement of this number are used. */
  void note(SegBody body, int made) {
    var stm = body.stms().get(made);
    noteTransposed(body, made);
    boolean tuples = operators(stm.exp()).anyMatch(op -> op.returns().size() > 1);
    if (tuples) {
      var after = body.stms().subList(made + 1, body.stms().size());
      var used = MentionedVars.of(new SegBody(after, body.results()));
      stm.pattern().stream().filter(v -> !used.contains(v)).forEach(unwanted::add);
    }
  }

  private static Stream<Lambda> operators(SegExp exp) {
    return switch (exp) {
      case SegExp.Plain(Screma s) -> operators(s.scans(), s.reduces());
      case SegExp.Par(SegScan s) -> operators(s.scans(), s.reduces());
      default -> Stream.of();
    };
  }

  private static Stream<Lambda> operators(List<Scan> scans, List<Reduce> reduces) {
    return Stream.concat(scans.stream().map(Scan::op), reduces.stream().map(Reduce::op));
  }

  private void noteTransposed(SegBody body, int made) {
    var stm = body.stms().get(made);
    if (!(stm.exp() instanceof SegExp.Par(var op)
        && (op instanceof SegScan || op instanceof SegMap))) {
      return;
    }
    for (var v : stm.pattern()) {
      var others =
          body.stms().subList(made + 1, body.stms().size()).stream()
              .filter(s -> !transposes(s.exp(), v))
              .toList();
      if (!MentionedVars.of(new SegBody(others, body.results())).contains(v)) {
        transposed.add(v);
      }
    }
  }

  private static boolean transposes(SegExp exp, Var v) {
    return exp instanceof SegExp.Plain(Rearrange(var perm, var a))
        && a.equals(v)
        && perm.equals(List.of(1, 0));
  }

  /** Whether the matrix is only transposed. */
  boolean onlyTransposed(Var v) {
    return transposed.contains(v);
  }

  /** Whether something uses the variable, as far as is known. */
  boolean wants(Var v) {
    return !unwanted.contains(v);
  }

  /** Returns what is carried from element to element for those of the results that are wanted. */
  Part inOrder(Lambda op, List<Var> results) {
    var wanted = wanted(results);
    int n = results.size();
    if (wanted.isEmpty() || wanted.size() == n) {
      return Part.all(op);
    }
    var next = new HashMap<Var, Atom>();
    for (int k = 0; k < n; k++) {
      next.put(op.params().get(k), op.body().results().get(k));
    }
    var reached = Reach.of(op.body(), next, Lists.pick(op.body().results(), wanted));
    var carried =
        IntStream.range(0, n)
            .filter(k -> wanted.contains(k) || reached.contains(op.params().get(k)))
            .boxed()
            .toList();
    var params = new ArrayList<>(Lists.pick(op.params(), carried));
    params.addAll(op.params().subList(n, 2 * n));
    var some = op.pick(carried);
    return new Part(DeadCode.used(new Lambda(params, some.body(), some.returns())), carried);
  }

  /** Returns the operator with only those results that are wanted. */
  Lambda once(Lambda op, List<Var> results) {
    var wanted = wanted(results);
    return wanted.size() == results.size() ? op : DeadCode.used(op.pick(wanted));
  }

  private List<Integer> wanted(List<Var> results) {
    return IntStream.range(0, results.size()).filter(k -> wants(results.get(k))).boxed().toList();
  }
}
