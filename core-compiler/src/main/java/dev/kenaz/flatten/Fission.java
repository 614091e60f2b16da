package dev.kenaz.flatten;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Exp.Alias;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/**
 * Divides a reduction or scan of what a function computes in two steps, the first of which has
 * matrix products in it, into a map and a smaller reduction:
 *
 * <pre>
 *   redomap op (\x -> let p = sum (map2 (*) a[x] b[x]) in f x p) xs
 *     =>  let ps = map (\x -> sum (map2 (*) a[x] b[x])) xs
 *         in redomap op f xs ps
 * </pre>
 *
 * <p>An accumulator runs through the step that updates it, or through both, one after the other.
 *
 * @param map the map that has the products
 * @param rest the operator on the others, which repeats cheap scalars; and what the map has made
 */
record Fission(Stm map, List<Stm> rest) {

  /**
   * Divides an operator that is more than a map after its last product, if what is kept is regular.
   */
  static Optional<Fission> of(Nest nest, Stm stm) {
    var s = (Screma) stm.exp();
    int end = NestedProducts.upToLast(nest, s);
    var stms = s.map().body().stms();
    var first = stms.subList(0, end);
    var rest = new ArrayList<>(stms.subList(end, stms.size()));
    var used = new HashSet<Var>(FreeVars.of(new Body(rest, s.map().body().results())));
    var kept = new ArrayList<Var>();
    for (var earlier : first.reversed()) {
      if (earlier.pattern().stream().noneMatch(used::contains)) {
        continue;
      }
      if (earlier.pattern().stream().allMatch(v -> v.type().isScalar())
          && InnerParallelism.cheap(earlier.exp())) {
        rest.addFirst(earlier);
        used.addAll(FreeVars.of(earlier));
      } else {
        earlier.pattern().stream().filter(used::contains).forEach(kept::add);
      }
    }
    var inside = new HashSet<>(s.map().params());
    first.forEach(f -> inside.addAll(f.pattern()));
    if (kept.stream().flatMap(v -> FreeVars.of(v.type()).stream()).anyMatch(inside::contains)) {
      return Optional.empty();
    }
    var types = kept.stream().map(Var::type).toList();
    var made = kept.stream().map(v -> whole(v, stm, s)).toList();
    var head = new Lambda(s.map().params(), new Body(first, List.copyOf(kept)), types);
    var map =
        new Screma(s.width(), s.inputs(), List.of(), List.of(), new Renaming().lambda(head))
            .withUsedInputs();
    var inputs = Lists.concat(s.inputs(), made);
    var params = Lists.concat(s.map().params(), kept);
    var smaller = new Rest(stm, s, inputs, params).stms(rest, made);
    return Optional.of(new Fission(new Stm(made, map, List.of(), stm.span()), smaller));
  }

  /**
   * What the first step makes of a value that is kept: an array of all, or the accumulator, which
   * is a result of both steps if the second one does not update it.
   */
  private static Var whole(Var v, Stm stm, Screma s) {
    if (!(v.type() instanceof Type.Acc)) {
      return Names.fresh(v.name(), v.type().under(List.of(s.width())));
    }
    int result = s.map().body().results().indexOf(v);
    return result >= 0 ? stm.pattern().get(result) : Names.fresh(v.name(), v.type());
  }

  /** The second step, with these inputs. */
  private record Rest(Stm stm, Screma s, List<Var> inputs, List<Var> params) {

    /**
     * Makes its statements: a mapped result that is a row of what the map has made is not copied.
     */
    List<Stm> stms(List<Stm> body, List<Var> made) {
      var stms = new ArrayList<Stm>();
      var free = new HashSet<>(made);
      var pattern = new ArrayList<Var>();
      var results = new ArrayList<Atom>();
      var returns = new ArrayList<Type>();
      int operands = s.scanWidth() + s.reduceWidth();
      for (int k = 0; k < stm.pattern().size(); k++) {
        var whole = stm.pattern().get(k);
        if (made.contains(whole)) {
          continue;
        }
        int at = params.indexOf(s.map().body().results().get(k));
        if (k >= operands && at >= 0 && free.remove(inputs.get(at))) {
          stms.add(new Stm(List.of(whole), new Alias(inputs.get(at)), stm.span()));
        } else {
          pattern.add(whole);
          results.add(s.map().body().results().get(k));
          returns.add(s.map().returns().get(k));
        }
      }
      var map = new Renaming().lambda(new Lambda(params, new Body(body, results), returns));
      var exp = new Screma(s.width(), inputs, s.scans(), s.reduces(), map);
      stms.addFirst(stm.with(pattern, exp.withUsedInputs()));
      return stms;
    }
  }
}
