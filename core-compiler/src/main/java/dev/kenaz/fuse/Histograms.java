package dev.kenaz.fuse;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Turns an accumulation whose every step updates each accumulator once into a histogram (001 §6.1):
 * {@code map (\x -> acc[f x] += g x) xs} is {@code reduce_by_index} of the values {@code g x} at
 * {@code f x}. Where only one branch updates, the index in the other branch is out of range.
 */
final class Histograms implements CodeRewriter {
  private Histograms() {}

  static CoreProgram run(CoreProgram program) {
    return new Histograms().program(program);
  }

  @Override
  public List<Stm> stm(Stm stm) {
    var inner = CodeRewriter.super.stm(stm).getFirst();
    return inner.exp() instanceof WithAcc w
        ? histogram(w).map(h -> List.of(inner.with(h))).orElse(List.of(inner))
        : List.of(inner);
  }

  /** The indices and the values of one accumulator's update. */
  private record Update(List<Atom> indices, List<Atom> values) {}

  private static Optional<Hist> histogram(WithAcc w) {
    var body = w.body().body();
    if (body.onlyStm().isEmpty()
        || !(body.onlyStm().get().exp() instanceof Screma s)
        || !s.isMap()
        || !s.inputs().containsAll(w.body().params())
        || !w.inputs().stream().allMatch(Histograms::suitable)) {
      return Optional.empty();
    }
    var stms = new ArrayList<>(s.map().body().stms());
    var updates = new ArrayList<Update>();
    for (int k = 0; k < w.inputs().size(); k++) {
      // the map's k-th result is the k-th accumulator, or else they have changed places
      var in = w.body().params().get(k);
      var param = s.map().params().get(s.inputs().indexOf(in));
      var update = update(stms, w.inputs().get(k), param, s.map().body().results().get(k));
      if (update.isEmpty()) {
        return Optional.empty();
      }
      updates.add(update.get());
    }
    return s.map().body().results().size() == updates.size()
        ? hist(w, s, stms, updates)
        : Optional.empty();
  }

  private static boolean suitable(AccInput in) {
    return in.combine().isPresent()
        && in.arrays().stream().allMatch(a -> a.type().dims().size() == in.space().size());
  }

  /** Takes the one update of an accumulator out of the statements. */
  private static Optional<Update> update(List<Stm> stms, AccInput in, Var acc, Atom result) {
    var users =
        stms.stream()
            .filter(t -> FreeVars.of(t).contains(acc) || t.pattern().contains(result))
            .toList();
    if (users.size() != 1 || !users.getFirst().pattern().equals(List.of(result))) {
      return Optional.empty();
    }
    var user = users.getFirst();
    int at = stms.indexOf(user);
    return switch (user.exp()) {
      case UpdateAcc u when u.acc().equals(acc) -> {
        stms.remove(at);
        yield Optional.of(new Update(u.indices(), u.values()));
      }
      case If(var c, var then, var otherwise) -> {
        var a = branch(then, in, acc);
        var b = branch(otherwise, in, acc);
        if (a.isEmpty() || b.isEmpty()) {
          yield Optional.empty();
        }
        var vars = a.get().results().stream().map(r -> Names.fresh("at", r.type())).toList();
        stms.set(at, user.with(vars, new If(c, a.get(), b.get())));
        int rank = in.space().size();
        yield Optional.of(
            new Update(
                List.copyOf(vars.subList(0, rank)), List.copyOf(vars.subList(rank, vars.size()))));
      }
      default -> Optional.empty();
    };
  }

  /** Returns the branch with indices and values as its results. */
  private static Optional<Body> branch(Body body, AccInput in, Var acc) {
    var results = new ArrayList<Atom>();
    if (body.results().equals(List.of(acc))) {
      if (body.stms().stream().anyMatch(t -> FreeVars.of(t).contains(acc))) {
        return Optional.empty();
      }
      in.space().forEach(_ -> results.add(Atom.i64(-1)));
      results.addAll(in.combine().orElseThrow().neutral());
      return Optional.of(new Body(body.stms(), results));
    }
    if (body.stms().isEmpty()
        || !(body.stms().getLast().exp() instanceof UpdateAcc u)
        || !u.acc().equals(acc)
        || !body.results().equals(List.<Atom>copyOf(body.stms().getLast().pattern()))) {
      return Optional.empty();
    }
    var before = body.stms().subList(0, body.stms().size() - 1);
    if (before.stream().anyMatch(t -> FreeVars.of(t).contains(acc))) {
      return Optional.empty();
    }
    results.addAll(u.indices());
    results.addAll(u.values());
    return Optional.of(new Body(before, results));
  }

  private static Optional<Hist> hist(WithAcc w, Screma s, List<Stm> stms, List<Update> updates) {
    var inputs = new ArrayList<Var>();
    var params = new ArrayList<Var>();
    for (int k = 0; k < s.inputs().size(); k++) {
      if (!w.body().params().contains(s.inputs().get(k))) {
        if (s.inputs().get(k).type() instanceof Type.Acc) {
          return Optional.empty(); // one from further out
        }
        inputs.add(s.inputs().get(k));
        params.add(s.map().params().get(k));
      }
    }
    if (usesAccumulators(stms)) {
      return Optional.empty();
    }
    var results = new ArrayList<Atom>();
    updates.forEach(u -> results.addAll(u.indices()));
    updates.forEach(u -> results.addAll(u.values()));
    var ops = new ArrayList<HistOp>();
    for (var in : w.inputs()) {
      var combine = in.combine().orElseThrow();
      ops.add(new HistOp(in.space(), in.arrays(), combine.neutral(), combine.op()));
    }
    var types = results.stream().map(Atom::type).toList();
    var map = new Lambda(params, new Body(stms, results), types);
    return Optional.of(new Hist(s.width(), inputs, ops, map));
  }

  private static boolean usesAccumulators(List<Stm> stms) {
    return stms.stream()
        .anyMatch(t -> FreeVars.of(t).stream().anyMatch(v -> v.type() instanceof Type.Acc));
  }
}
