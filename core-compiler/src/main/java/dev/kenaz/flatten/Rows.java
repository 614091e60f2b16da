package dev.kenaz.flatten;

import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.If;
import dev.kenaz.ir.Exp.Index;
import dev.kenaz.ir.Exp.Replicate;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.List;
import java.util.stream.Stream;

/**
 * Maps that copy rows: parts of arrays that are others at each point, and one of several of them.
 * One thread for each row would go along it, and neighbouring threads would be far from each other
 * in memory; so there is one for each element.
 *
 * <pre>
 *   map (\i -> a[i]) is                       SegMap [i][j]  a[is[i]][j]
 *   map (\i -> if c i then a[i] else x) is    SegMap [i][j]  if c is[i] then a[is[i]][j] else x[j]
 * </pre>
 */
final class Rows {
  private Rows() {}

  /** Whether all that the map does is to find rows, which are long and of the same length. */
  static boolean only(Nest nest, FlattenOptions options, Lambda map) {
    var stms = map.body().stms();
    return options.nested()
        && !map.returns().isEmpty()
        && map.returns().stream().allMatch(t -> isLong(t, options) && nest.regular(t))
        && stms.stream().allMatch(s -> InnerParallelism.cheap(s.exp()) || isChoice(s, options))
        && Stm.bound(stms).containsAll(map.body().results());
  }

  private static boolean isLong(Type type, FlattenOptions options) {
    return type.isArray()
        && type.dims().stream()
            .anyMatch(d -> !(d instanceof Const(var n)) || n.asLong() > options.smallWidth());
  }

  /** Whether the statement chooses between two long rows. */
  static boolean isChoice(Stm stm, FlattenOptions options) {
    return options.nested()
        && stm.exp() instanceof If i
        && stm.pattern().size() == 1
        && isLong(stm.var().type(), options)
        && Stream.of(i.then(), i.otherwise()).allMatch(Rows::isRow);
  }

  private static boolean isRow(Body branch) {
    var row = branch.results().getFirst();
    return row instanceof Var
        && branch.stms().stream()
            .allMatch(s -> InnerParallelism.cheap(s.exp()) || fills(s) && s.var().equals(row));
  }

  private static boolean fills(Stm stm) {
    return stm.exp() instanceof Replicate(var _, var x) && x.type().isScalar();
  }

  /** Returns the element of the row that is chosen, instead of the row. */
  static Exp element(If choice, List<Atom> at) {
    return new If(choice.condition(), element(choice.then(), at), element(choice.otherwise(), at));
  }

  private static Body element(Body branch, List<Atom> at) {
    var row = (Var) branch.results().getFirst();
    var filled = branch.stms().stream().filter(s -> s.pattern().contains(row)).findFirst();
    if (filled.isPresent() && filled.get().exp() instanceof Replicate(var _, var x)) {
      var others = branch.stms().stream().filter(s -> s != filled.get()).toList();
      return new Body(others, List.of(x));
    }
    var x = Names.fresh("x", Type.scalar(row.type().elemPrim()));
    var read = new Stm(List.of(x), new Index(row, at, false), Span.NONE);
    return new Body(Lists.with(branch.stms(), read), List.of(x));
  }
}
