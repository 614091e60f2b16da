package dev.kenaz.flatten;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Exp.Alias;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

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
 * @param map the map that has the products
 * @param rest the operator on the others, which repeats cheap scalars; and what the map has made
 */
record Fission(Stm map, List<Stm> rest) {

  /** Whether the operator can be divided: no accumulator runs through it. */
  static boolean possible(Screma s) {
    return s.inputs().stream().noneMatch(v -> v.type() instanceof Type.Acc);
  }

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
    var head = new Lambda(s.map().params(), new Body(first, List.copyOf(kept)), types);
    var arrays =
        kept.stream().map(v -> Names.fresh(v.name(), v.type().under(List.of(s.width())))).toList();
    var inputs = new ArrayList<Var>();
    var params = new ArrayList<Var>();
    keepUsed(s.inputs(), s.map().params(), used, inputs, params);
    inputs.addAll(arrays);
    params.addAll(kept);
    var map = new Screma(s.width(), s.inputs(), List.of(), List.of(), new Renaming().lambda(head));
    var made = new Stm(arrays, map, List.of(), stm.span());
    return Optional.of(new Fission(made, new Rest(stm, s, inputs, params).stms(rest, arrays)));
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
        int at = params.indexOf(s.map().body().results().get(k));
        if (k >= operands && at >= 0 && free.remove(inputs.get(at))) {
          stms.add(new Stm(List.of(stm.pattern().get(k)), new Alias(inputs.get(at)), stm.span()));
        } else {
          pattern.add(stm.pattern().get(k));
          results.add(s.map().body().results().get(k));
          returns.add(s.map().returns().get(k));
        }
      }
      var map = new Renaming().lambda(new Lambda(params, new Body(body, results), returns));
      var exp = new Screma(s.width(), inputs, s.scans(), s.reduces(), map);
      stms.addFirst(stm.with(pattern, exp));
      return stms;
    }
  }

  private static void keepUsed(
      List<Var> inputs, List<Var> params, Set<? extends Atom> used, List<Var> in, List<Var> ps) {
    for (int k = 0; k < inputs.size(); k++) {
      if (used.contains(params.get(k))) {
        in.add(inputs.get(k));
        ps.add(params.get(k));
      }
    }
  }
}
