package dev.kenaz.loops;

import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp.Index;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.Exp.Update;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.loops.ArrayVal.View;
import dev.kenaz.segir.MentionedVars;
import dev.kenaz.segir.SegBody;
import dev.kenaz.segir.SegExp;
import dev.kenaz.segir.SegOp;
import dev.kenaz.segir.SegStm;
import dev.kenaz.simplify.InPlace;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Builds arrays where an update is to put them: see {@link InPlace}. */
final class Placements {
  private final Scope scope;
  private final Arrays arrays;

  /** A value that is to be built in place is mapped to the array and to the slice of it. */
  private final Map<Var, Placed> placed = new HashMap<>();

  private record Placed(View whole, View slice) {}

  Placements(Scope scope, Arrays arrays) {
    this.scope = scope;
    this.arrays = arrays;
  }

  /** Returns what the body can build in place, by the position of the statement that makes it. */
  Map<Integer, List<InPlace.Placement>> plan(SegBody body) {
    var plan = new HashMap<Integer, List<InPlace.Placement>>();
    boolean any =
        body.stms().stream()
            .anyMatch(
                s -> s.exp() instanceof SegExp.Plain(Update(_, _, Var x, _)) && x.type().isArray());
    if (any) {
      var steps = body.stms().stream().map(Placements::step).toList();
      InPlace.of(steps, body.results(), (a, b) -> scope.sharing().mayShare(a, b))
          .forEach(p -> plan.computeIfAbsent(p.maker(), _ -> new ArrayList<>()).add(p));
    }
    return plan;
  }

  /**
   * Runs before the statement that makes the value: notes where that is wanted, if the array exists
   * already.
   */
  void prepare(InPlace.Placement p) {
    placed.remove(p.value());
    if (scope.bound(p.root())
        && scope.val(p.root()) instanceof View whole
        && scope.owned(whole)
        && p.slice().stream().allMatch(this::known)) {
      var slice = arrays.sliceView(whole, p.slice());
      if (slice.contiguous()) {
        placed.put(p.value(), new Placed(whole, slice));
        scope.want(p.value(), slice);
      }
    }
  }

  private boolean known(DimSlice d) {
    return switch (d) {
      case DimSlice.Fix(var i) -> scope.fixed(i);
      case DimSlice.Range(var start, var count, var stride) ->
          scope.fixed(start) && scope.fixed(count) && scope.fixed(stride);
    };
  }

  /** Whether the value, which is to be a slice of the array, is that already. */
  boolean isThere(Var value, ArrayVal val, View array) {
    var p = placed.get(value);
    return p != null && array.sameMemory(p.whole) && val instanceof View v && v.sameMemory(p.slice);
  }

  private static InPlace.Step step(SegStm stm) {
    var reads = new HashSet<>(MentionedVars.of(stm.exp()));
    return switch (stm.exp()) {
      case SegExp.Plain(Screma s) -> {
        var made = made(stm.pattern(), s.scanWidth() + s.reduceWidth());
        yield new InPlace.Step(stm.pattern(), Optional.empty(), reads, InPlace.pointwise(s), made);
      }
      case SegExp.Plain(var e) ->
          new InPlace.Step(stm.pattern(), Optional.of(e), reads, Set.of(), Set.of());
      case SegExp.Par(SegOp.SegMap m) ->
          new InPlace.Step(
              stm.pattern(), Optional.empty(), reads, pointwise(m), made(stm.pattern(), 0));
      case SegExp.Par(SegOp.SegRed r) -> {
        int reduced = r.reduces().stream().mapToInt(x -> x.neutral().size()).sum();
        yield new InPlace.Step(
            stm.pattern(), Optional.empty(), reads, pointwise(r), made(stm.pattern(), reduced));
      }
      case SegExp.Branch(_, var then, var otherwise) ->
          new InPlace.Step(
              stm.pattern(), Optional.empty(), reads, Set.of(), made(stm, then, otherwise));
      case SegExp.Versions(_, var wide, var narrow) ->
          new InPlace.Step(
              stm.pattern(), Optional.empty(), reads, Set.of(), made(stm, wide, narrow));
      case SegExp.Par _, SegExp.Iterate _, SegExp.Accumulate _ ->
          new InPlace.Step(stm.pattern(), Optional.empty(), reads, Set.of(), Set.of());
    };
  }

  /**
   * Returns what both sides make by an operator of their own, each array as one result only: two
   * results would be wanted at two places.
   */
  private static Set<Var> made(SegStm stm, SegBody one, SegBody other) {
    var a = made(one);
    var b = made(other);
    var made = new HashSet<Var>();
    for (int k = 0; k < stm.pattern().size(); k++) {
      if (a.contains(k) && b.contains(k)) {
        made.add(stm.pattern().get(k));
      }
    }
    return made;
  }

  /** Returns the numbers of a body's results that can be built anywhere. */
  private static Set<Integer> made(SegBody body) {
    var inside = new HashSet<Var>();
    for (var s : body.stms()) {
      // An operator that reduces rows puts its results where they are wanted, or they are copied.
      inside.addAll(s.exp() instanceof SegExp.Par(SegOp.SegRed _) ? s.pattern() : step(s).made());
    }
    var results = body.results();
    return IntStream.range(0, results.size())
        .filter(k -> results.get(k) instanceof Var v && inside.contains(v))
        .filter(k -> results.indexOf(results.get(k)) == results.lastIndexOf(results.get(k)))
        .boxed()
        .collect(Collectors.toSet());
  }

  private static Set<Var> made(List<Var> pattern, int from) {
    var made = new HashSet<Var>();
    for (var v : pattern.subList(from, pattern.size())) {
      if (v.type().isArray()) {
        made.add(v);
      }
    }
    return made;
  }

  /** Returns the arrays that are read only at the point itself, before its results are written. */
  private static Set<Var> pointwise(SegOp op) {
    if (!op.returns().stream().allMatch(Type::isScalar)) {
      return Set.of();
    }
    var point = op.space().dims().stream().map(SegOp.Dim::index).toList();
    var found = new HashSet<Var>();
    var otherwise = new HashSet<Var>();
    for (var stm : op.body().stms()) {
      if (stm.exp() instanceof SegExp.Plain(Index(var a, var is, _))
          && is.equals(point)
          && a.type().dims().size() == point.size()) {
        found.add(a);
      } else {
        otherwise.addAll(MentionedVars.of(stm.exp()));
      }
    }
    found.removeAll(otherwise);
    return found;
  }
}
