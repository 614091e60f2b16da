package dev.kenaz.ad;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.List;

/**
 * Interchanges vectorised operators with their reduction or scan (003 §3.2.4 and §5.3.2, rules
 * IRWIM and ISWIM): {@code reduce (map2 ⊙) xss} is {@code map (reduce ⊙) (transpose xss)}, and
 * {@code scan (map2 ⊙) xss} is {@code transpose (map (scan ⊙) (transpose xss))}. What is
 * differentiated is the code on the right, whose operators work on smaller things, in the end on
 * scalars.
 *
 * <p>Where we differ: the operator may combine several arrays at once.
 */
final class Interchange {
  private Interchange() {}

  static Reverse.Return reduce(
      Reverse r,
      Builder b,
      List<Var> results,
      Atom n,
      List<Var> inputs,
      Reduce reduce,
      Lambda row) {
    var code = b.inner();
    var columns = inputs.stream().map(a -> transposed(code, a)).toList();
    var outs =
        new Screma(
            columns.getFirst().type().dims().getFirst(),
            with(columns, reduce.neutral()),
            List.of(),
            List.of(),
            map(
                code,
                columns,
                reduce.neutral(),
                (in, column, neutral) -> {
                  var op = new Reduce(new Renaming().lambda(row), neutral, reduce.commutative());
                  var identity = ReverseScrema.identity(in, column);
                  return in.screma(n, column, List.of(), List.of(op), identity);
                }));
    code.bindAll(results, outs);
    return r.forward(b, code.stms());
  }

  static Reverse.Return scan(
      Reverse r, Builder b, List<Var> results, Atom n, List<Var> inputs, Scan scan, Lambda row) {
    var code = b.inner();
    var columns = inputs.stream().map(a -> transposed(code, a)).toList();
    var map =
        map(
            code,
            columns,
            scan.neutral(),
            (in, column, neutral) -> Scans.inclusive(in, n, column, row, neutral));
    var width = columns.getFirst().type().dims().getFirst();
    var scanned = code.screma(width, with(columns, scan.neutral()), List.of(), List.of(), map);
    for (int i = 0; i < results.size(); i++) {
      var a = scanned.get(i);
      code.bindAll(List.of(results.get(i)), new Rearrange(exchange(a), a));
    }
    return r.forward(b, code.stms());
  }

  @FunctionalInterface
  private interface Column {
    List<Var> apply(Builder b, List<Var> column, List<Atom> neutral);
  }

  private static Lambda map(Builder code, List<Var> columns, List<Atom> neutral, Column function) {
    var types = with(columns, neutral).stream().map(v -> Builder.rowType(v.type())).toList();
    int k = columns.size();
    return code.lambda(
        types, (in, p) -> function.apply(in, p.subList(0, k), List.copyOf(p.subList(k, 2 * k))));
  }

  private static List<Var> with(List<Var> columns, List<Atom> neutral) {
    var all = new ArrayList<>(columns);
    neutral.forEach(e -> all.add((Var) e));
    return all;
  }

  static Var transposed(Builder b, Var array) {
    return b.bind("tr", new Rearrange(exchange(array), array));
  }

  /** The permutation that exchanges the outer two dimensions. */
  static List<Integer> exchange(Var array) {
    var perm = new ArrayList<Integer>(List.of(1, 0));
    for (int i = 2; i < array.type().dims().size(); i++) {
      perm.add(i);
    }
    return perm;
  }
}
