package dev.kenaz.fuse;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Substitution;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** An accumulation that adds up one factor of products, in place of the products. */
final class Factored {
  private final WithAcc w;
  private final FactoredSums.Found found;
  private final FactoredSums.Place place;
  private final Type.Acc type;
  private final Builder before;
  private final Builder after;
  private final Stm accumulation;

  Factored(Stm stm, WithAcc w, FactoredSums.Found found, OutsideFactor outside) {
    this.w = w;
    this.found = found;
    place = found.place();
    before = new Builder(found.sum().span());
    after = new Builder(found.sum().span());
    var sizes = new ArrayList<Atom>();
    for (int l = place.summed(); l <= found.shared(); l++) {
      sizes.add(place.level(l).width());
    }
    sizes.add(found.operator().width());
    var element = found.term().type();
    var zeros = before.replicate(sizes, before.zero(element));
    type = new Type.Acc(Names.freshTag(), sizes, List.of(element));
    var totals = Names.fresh("totals", element.under(sizes));
    var rest = Names.like(stm.pattern().get(array()));
    accumulation = accumulation(stm, zeros, totals, rest);
    var sums = outside.products(after, found, totals);
    after.bindAll(List.of(stm.pattern().get(array())), new Alias((Var) after.plus(rest, sums)));
  }

  List<Stm> before() {
    return before.stms();
  }

  Stm accumulation() {
    return accumulation;
  }

  List<Stm> after() {
    return after.stms();
  }

  /** Returns the number of the array among the results to which the products are added. */
  private int array() {
    return arrays(place.target());
  }

  private int arrays(int inputs) {
    return w.inputs().subList(0, inputs).stream().mapToInt(in -> in.arrays().size()).sum();
  }

  private Stm accumulation(Stm stm, Var zeros, Var totals, Var rest) {
    int accs = w.inputs().size();
    var acc = Names.fresh("totals_acc", type);
    var body = body(w.body().body(), 0, acc);
    var results = new ArrayList<>(body.results());
    results.add(accs, results.removeLast());
    var params = Lists.with(w.body().params(), acc);
    var returns = new ArrayList<>(w.body().returns());
    returns.add(accs, type);
    var pattern = new ArrayList<>(stm.pattern());
    pattern.set(array(), rest);
    pattern.add(arrays(accs), totals);
    var inputs = Lists.with(w.inputs(), before.addInto(zeros, type.space().size()));
    return stm.with(
        pattern, new WithAcc(inputs, new Lambda(params, new Body(body.stms(), results), returns)));
  }

  /**
   * Returns the body in which a level stands, or the update.
   *
   * @param acc the accumulator of the totals, if the body has it: its last result then is what
   *     becomes of it
   */
  private Body body(Body body, int l, Var acc) {
    var stms = new ArrayList<Stm>();
    var last = acc == null ? null : Names.like(acc);
    for (var stm : body.stms()) {
      if (l < place.path().size() && stm == place.path().get(l)) {
        if (l == found.shared() + 1) {
          stms.add(adding(acc, last));
          stms.add(level(l, null, null));
        } else {
          stms.add(level(l, acc, last));
        }
      } else if (stm == place.stm()) {
        return withoutProducts(body);
      } else {
        stms.add(stm);
      }
    }
    return new Body(stms, last == null ? body.results() : Lists.with(body.results(), last));
  }

  private Stm level(int l, Var acc, Var last) {
    var stm = place.path().get(l);
    var s = (Screma) stm.exp();
    var map = s.map();
    if (acc == null) {
      var body = body(map.body(), l + 1, null);
      return stm.with(
          new Screma(
              s.width(),
              s.inputs(),
              s.scans(),
              s.reduces(),
              new Lambda(map.params(), body, map.returns())));
    }
    var param = Names.like(acc);
    var body = body(map.body(), l + 1, param);
    var lambda = new Lambda(Lists.with(map.params(), param), body, Lists.with(map.returns(), type));
    return stm.with(
        Lists.with(stm.pattern(), last),
        new Screma(s.width(), Lists.with(s.inputs(), acc), s.scans(), s.reduces(), lambda));
  }

  /** Adds the factor that varies to its sums. */
  private Stm adding(Var acc, Var last) {
    var outer = new ArrayList<Atom>();
    var indices = ((UpdateAcc) place.stm().exp()).indices();
    for (int l = place.summed(); l <= found.shared(); l++) {
      outer.add(indices.get(l - place.summed()));
    }
    var width = found.operator().width();
    var inner = new Builder(found.sum().span());
    var numbers = before.iota(width);
    var lambda =
        inner.lambda(
            List.of(found.term().type(), Type.I64, type),
            (b, p) ->
                List.of(
                    b.bind(
                        "acc",
                        type,
                        new UpdateAcc(p.get(2), Lists.with(outer, p.get(1)), List.of(p.get(0))))));
    return new Stm(
        List.of(last),
        new Screma(width, List.of(found.factor(), numbers, acc), List.of(), List.of(), lambda),
        found.sum().span());
  }

  /** Returns the innermost body with an update by the other terms alone, if there are any. */
  private Body withoutProducts(Body body) {
    var u = (UpdateAcc) place.stm().exp();
    var b = new Builder(place.stm().span());
    var value = new Terms(body).without(b, place.value(), found.term());
    var stms = new ArrayList<Stm>();
    for (var stm : body.stms()) {
      if (stm != place.stm()) {
        stms.add(stm);
      } else if (value.isPresent()) {
        stms.addAll(b.stms());
        stms.add(stm.with(new UpdateAcc(u.acc(), u.indices(), List.of(value.get()))));
      }
    }
    var now = new Body(stms, body.results());
    return value.isPresent() ? now : new Substitution(Map.of(place.stm().var(), u.acc())).body(now);
  }
}
