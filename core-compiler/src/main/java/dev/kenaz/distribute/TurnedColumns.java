package dev.kenaz.distribute;

import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A parameter {@code xs: [d][n]t} of a dataset that has rows {@code ys: [n]t} has its rows as
 * columns. The function takes it turned, as {@code [n][d]t}, and begins with {@code let xs =
 * transpose xs'}: so its pieces have rows, as those of other parameters.
 */
final class TurnedColumns {
  private TurnedColumns() {}

  /**
   * Returns the function that takes such parameters turned; the function itself if there are none.
   *
   * @param named the parameters that are the dataset
   */
  static FunDef of(FunDef function, List<Var> named) {
    var rows = rows(named);
    var params = new ArrayList<>(function.params());
    var stms = new ArrayList<Stm>();
    for (var v : named) {
      if (isTurned(v, rows)) {
        var dims = v.type().dims();
        var type = Type.of(((Type.Array) v.type()).elem(), List.of(dims.get(1), dims.get(0)));
        var rowwise = Names.fresh(v.name(), type);
        params.set(params.indexOf(v), rowwise);
        stms.add(new Stm(List.of(v), new Exp.Rearrange(List.of(1, 0), rowwise), Span.NONE));
      }
    }
    if (stms.isEmpty()) {
      return function;
    }
    stms.addAll(function.body().stms());
    return new FunDef(
        function.name(),
        params,
        function.returns(),
        function.returnSizes(),
        new Body(stms, function.body().results()));
  }

  /**
   * Returns the sizes that are numbers of rows: outer sizes of arrays whose other sizes are none,
   * and the parameters that say how many rows there are.
   */
  private static Set<Atom> rows(List<Var> named) {
    var outer = new HashSet<Atom>();
    for (var v : named) {
      outer.add(v.type().isArray() ? v.type().dims().getFirst() : v);
    }
    var rows = new HashSet<Atom>();
    for (var v : named) {
      var dims = v.type().dims();
      if (!v.type().isArray()) {
        rows.add(v);
      } else if (dims.subList(1, dims.size()).stream().noneMatch(outer::contains)) {
        rows.add(dims.getFirst());
      }
    }
    return rows;
  }

  private static boolean isTurned(Var v, Set<Atom> rows) {
    var dims = v.type().dims();
    return dims.size() == 2 && !rows.contains(dims.get(0)) && rows.contains(dims.get(1));
  }
}
