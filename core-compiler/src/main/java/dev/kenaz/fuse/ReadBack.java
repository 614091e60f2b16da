package dev.kenaz.fuse;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Substitution;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.simplify.Simplify;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Divides a nest of maps that keeps what it adds to an accumulator into two nests: one that maps,
 * and one that adds up what the first has made, which may become a reduction:
 *
 * <pre>
 *   map i (map k (let v = e in acc[k] += v; v))   is   let vs = map i (map k e)
 *                                                      for i, k: acc[k] += vs[i, k]
 * </pre>
 *
 * <p>This is for many threads: they would meet in the accumulator, while a reduction reads in
 * order, and the first nest fuses with others.
 *
 * @param pure the statements of the first nest, which bind everything except the accumulator's
 *     results
 * @param adding the second nest
 */
record ReadBack(List<Stm> pure, Stm adding) {

  /** Divides the nest, unless the second nest would have more than next to nothing to compute. */
  static Optional<ReadBack> of(Stm stm, WithAcc w) {
    var body = w.body().body();
    if (w.inputs().size() != 1 || body.results().size() < 2 || !plain(body)) {
      return Optional.empty();
    }
    var token = ((Type.Acc) w.body().params().getFirst().type()).token();
    var kept = body.results().subList(1, body.results().size());
    if (kept.stream().anyMatch(r -> !(r instanceof Var v) || !v.type().isArray())) {
      return Optional.empty();
    }
    var pure =
        new Renaming()
            .body(
                Simplify.withoutDeadCode(
                    Simplify.withoutAccumulators(Set.of(token), new Body(body.stms(), kept))));
    Map<Var, Var> made = new LinkedHashMap<>();
    for (int k = 0; k < kept.size(); k++) {
      if (pure.results().get(k) instanceof Var v) {
        made.put((Var) kept.get(k), v);
      }
    }
    var adding =
        Simplify.withoutDeadCode(
            reading(new Body(body.stms(), body.results().subList(0, 1)), made));
    if (2 * WorkEstimate.of(adding) > WorkEstimate.of(body)) {
      return Optional.empty();
    }
    int arrays = w.inputs().getFirst().arrays().size();
    var stms = new ArrayList<>(pure.stms());
    for (int k = 0; k < kept.size(); k++) {
      var v = stm.pattern().get(arrays + k);
      stms.add(new Stm(List.of(v), new Alias(pure.results().get(k)), stm.span()));
    }
    var lambda = new Lambda(w.body().params(), adding, w.body().returns().subList(0, 1));
    return Optional.of(
        new ReadBack(
            stms, stm.with(stm.pattern().subList(0, arrays), new WithAcc(w.inputs(), lambda))));
  }

  /** Whether there is nothing except maps, reads, scalars and updates. */
  private static boolean plain(Body body) {
    return body.stms().stream()
        .allMatch(
            s ->
                s.exp() instanceof Screma m
                    ? m.isMap() && plain(m.map().body())
                    : s.exp() instanceof UpdateAcc || Nest.movable(s));
  }

  /** Makes the body read what is made already. */
  private static Body reading(Body body, Map<Var, Var> made) {
    var stms = new ArrayList<Stm>();
    for (var stm : body.stms()) {
      boolean maps =
          stm.exp() instanceof Screma && stm.pattern().stream().anyMatch(made::containsKey);
      stms.add(maps ? stm.with(reading(stm, made)) : stm);
    }
    var uses = new HashMap<Var, Atom>(made);
    uses.keySet().retainAll(Stm.bound(stms));
    return new Substitution(uses).body(new Body(stms, body.results()));
  }

  private static Screma reading(Stm stm, Map<Var, Var> made) {
    var s = (Screma) stm.exp();
    var inputs = new ArrayList<>(s.inputs());
    var params = new ArrayList<>(s.map().params());
    var results = s.map().body().results();
    Map<Var, Var> inside = new HashMap<>();
    for (int k = 0; k < results.size(); k++) {
      var array = made.get(stm.pattern().get(k));
      if (array != null && results.get(k) instanceof Var v && !params.contains(v)) {
        var element = Names.fresh(v.name(), v.type());
        inputs.add(array);
        params.add(element);
        inside.put(v, element);
      }
    }
    var body = reading(s.map().body(), inside);
    return new Screma(
        s.width(), inputs, s.scans(), s.reduces(), new Lambda(params, body, s.map().returns()));
  }
}
