package dev.kenaz.ad;

import dev.kenaz.analysis.Aliases;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Binders;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Keeps what a loop's body reads of an array that it updates in place, at any depth of loops and
 * branches. What is not overwritten later ({@link Dependences}) the return sweep reads from the
 * array as the loop leaves it: that is 001 §6.2's loop without false dependencies, without a copy
 * and without restoring it, as the updates are left out of what is executed again. The forward
 * sweep keeps the other reads. Then the return sweep needs neither the array as it was nor an
 * undoing of its updates; and what no derivative depends on isn't kept in the end. This applies
 * where little more is kept so than overwritten; otherwise {@link UndoLog} does. The papers keep or
 * restore the whole array.
 */
final class ReadLog {
  /** To keep this many reads for each update is as good as a log of what is overwritten. */
  private static final int FACTOR = 4;

  private final AffineForms forms;
  private final Var start;
  private final Set<Var> inside;
  private final Set<Var> chain = new HashSet<>();
  private final Set<Var> written = new HashSet<>();

  /**
   * Reads with the loops around them, outermost first; of several reads of one element only the
   * first.
   */
  private final Map<Var, List<Stm>> reads = new LinkedHashMap<>();

  private final Map<Var, Var> same = new HashMap<>();
  private final Map<Exp, Var> known = new HashMap<>();

  /** This is the number of updates in each loop, those in loops within included. */
  private final Map<Stm, Integer> updates = new IdentityHashMap<>();

  private final Map<Stm, Integer> ranks = new IdentityHashMap<>();
  private int topUpdates;
  private int topRank;

  /** Results of loops within that need not run again. */
  private final List<Var> results = new ArrayList<>();

  /** Statements that read the array in other ways than element by element. */
  private final Set<Stm> whole = Collections.newSetFromMap(new IdentityHashMap<>());

  private boolean usesEnd;

  private ReadLog(AffineForms forms, Var start, Set<Var> inside) {
    this.forms = forms;
    this.start = start;
    this.inside = inside;
  }

  /**
   * Applies if an array is only read, and its elements written, on its way to the result.
   *
   * @param k which of the loop's parameters the array is
   * @param inside what is bound in the loop's body
   * @param noFalse whether the user says that nothing that is read is overwritten later
   */
  static Optional<ReadLog> of(
      AffineForms forms, Loop loop, int k, Set<Var> inside, boolean noFalse) {
    var log =
        analysed(forms, loop, k, inside, noFalse)
            .filter(x -> x.reads.keySet().stream().allMatch(x::hasPlace));
    log.ifPresent(x -> x.keepParameters(loop.body()));
    return log;
  }

  /**
   * Finds reads in loops within that must be kept, where it is unknown before the loop how many
   * there are.
   *
   * @param stm a loop
   * @param k which of its parameters the array is
   * @return by what is read the innermost loop
   */
  static Map<Var, Stm> uncounted(AffineForms forms, Stm stm, int k) {
    var loop = (Loop) stm.exp();
    var found = new LinkedHashMap<Var, Stm>();
    if (loop.params().get(k).var().type().isArray()) {
      boolean noFalse = LoopAttributes.hasNoFalseDependencies(stm);
      analysed(forms, loop, k, UndoLog.changing(loop), noFalse)
          .filter(log -> log.reads.keySet().stream().allMatch(log::hasShape))
          .ifPresent(
              log ->
                  log.reads.forEach(
                      (v, loops) -> {
                        if (!log.hasPlace(v)) {
                          found.put(v, loops.getLast());
                        }
                      }));
    }
    return found;
  }

  private static Optional<ReadLog> analysed(
      AffineForms forms, Loop loop, int k, Set<Var> inside, boolean noFalse) {
    var start = loop.params().get(k).var();
    var result = loop.body().results().get(k);
    var log = new ReadLog(forms, start, inside);
    log.chain.add(start);
    boolean applies =
        log.walk(loop.body(), List.of())
            && result instanceof Var end
            && !end.equals(start)
            && log.chain.contains(end)
            && loop.body().results().stream().filter(log.chain::contains).count() == 1
            && log.keepOnly(noFalse ? Set.of() : Dependences.lostReads(forms, loop, log.chain))
            && log.isShort();
    return applies ? Optional.of(log) : Optional.empty();
  }

  /**
   * Keeps all that a loop within reads of the array, one value for each iteration. Where its other
   * parameters are no larger they are kept too, and so are its results: then it need not run once
   * more only to get to its iterations' parameters, as redundant execution has it (001 §4.2), in
   * the return sweep of the loop around it.
   */
  private void keepParameters(Body body) {
    for (var stm : body.stms()) {
      if (!(stm.exp() instanceof Loop loop) || !updates.containsKey(stm) || !hasLength(loop)) {
        continue;
      }
      int rank =
          reads.entrySet().stream()
              .filter(r -> r.getValue().equals(List.of(stm)))
              .mapToInt(r -> r.getKey().type().dims().size())
              .max()
              .orElse(-1);
      var params = new ArrayList<Var>();
      var outs = new ArrayList<Var>();
      for (int k = 0; k < loop.params().size(); k++) {
        var p = loop.params().get(k).var();
        if (!chain.contains(p) && !loop.body().results().get(k).equals(p)) {
          params.add(p);
          outs.add(stm.pattern().get(k));
        }
      }
      boolean small =
          params.stream()
              .allMatch(
                  p ->
                      p.type().dims().size() <= rank
                          && FreeVars.of(p.type()).stream().noneMatch(inside::contains));
      boolean read =
          outs.stream()
              .allMatch(
                  v ->
                      v.type().isScalar()
                          ? !body.results().contains(v)
                          : SavedSums.isOnlyRead(v, stm, body));
      if (small && read) {
        params.forEach(p -> reads.put(p, List.of(stm)));
        results.addAll(outs);
      }
    }
  }

  /** Variables of the body whose values are kept so that it need not compute them again. */
  List<Var> results() {
    return results;
  }

  /**
   * Keeps only the reads by these statements, as the array still has the others in the end; fails
   * if one of these does not read element by element.
   */
  private boolean keepOnly(Set<Stm> lost) {
    if (whole.stream().anyMatch(lost::contains)) {
      return false;
    }
    var names = Stm.bound(lost);
    usesEnd = !whole.isEmpty() || !names.containsAll(reads.keySet());
    reads.keySet().retainAll(names);
    same.values().retainAll(names);
    return true;
  }

  /** Whether the return sweep reads the array as it is in the end. */
  boolean usesEnd() {
    return usesEnd;
  }

  /** Returns the loop's parameter at which the chain begins. */
  Var start() {
    return start;
  }

  /** Returns what the array is called in the body. */
  Set<Var> names() {
    return chain;
  }

  private boolean walk(Body body, List<Stm> loops) {
    for (var stm : body.stms()) {
      if (FreeVars.of(stm).stream().anyMatch(chain::contains) && !step(stm, loops)) {
        return false;
      }
    }
    return true;
  }

  /** Walks a scope in the body, whose reads are not known outside. */
  private boolean scope(Body body, List<Stm> loops) {
    var outside = Map.copyOf(known);
    boolean applies = walk(body, loops);
    known.clear();
    known.putAll(outside);
    return applies;
  }

  private boolean step(Stm stm, List<Stm> loops) {
    return switch (stm.exp()) {
      case Index _, Slice _ -> read(stm, loops);
      case Alias _ -> {
        written(stm.var());
        yield true;
      }
      case Update u -> update(stm, u, loops);
      case If e -> branches(stm, e, loops);
      case Loop e -> loop(stm, e, loops);
      default -> isOnlyRead(stm);
    };
  }

  private boolean isOnlyRead(Stm stm) {
    whole.add(stm);
    return Aliases.of(stm).consumed().stream().noneMatch(chain::contains);
  }

  private void written(Var v) {
    chain.add(v);
    written.add(v);
  }

  private boolean read(Stm stm, List<Stm> loops) {
    var v = stm.var();
    var first = known.putIfAbsent(stm.exp(), v);
    if (first == null || !reads.get(first).equals(loops)) {
      reads.put(v, loops);
    } else {
      same.put(v, first);
    }
    return true;
  }

  private boolean update(Stm stm, Update u, List<Stm> loops) {
    if (!chain.contains(u.array())
        || FreeVars.of(List.of(u.value())).stream().anyMatch(chain::contains)) {
      return false;
    }
    written(stm.var());
    int rank = u.value().type().dims().size();
    topUpdates++;
    topRank = Math.max(topRank, rank + loops.size());
    for (int k = 0; k < loops.size(); k++) {
      updates.merge(loops.get(k), 1, Integer::sum);
      ranks.merge(loops.get(k), rank + loops.size() - k - 1, Math::max);
    }
    return true;
  }

  private boolean branches(Stm stm, If e, List<Stm> loops) {
    if (!scope(e.then(), loops) || !scope(e.otherwise(), loops)) {
      return false;
    }
    return results(stm, e.then().results(), e.otherwise().results());
  }

  private boolean results(Stm stm, List<Atom> x, List<Atom> y) {
    for (int k = 0; k < x.size(); k++) {
      boolean here = x.get(k) instanceof Var v && chain.contains(v);
      boolean there = y.get(k) instanceof Var v && chain.contains(v);
      if (here != there) {
        return false;
      }
      if (here) {
        chain.add(stm.pattern().get(k));
      }
    }
    return true;
  }

  private boolean loop(Stm stm, Loop loop, List<Stm> loops) {
    if (LoopAttributes.changeTheLoop(stm)) {
      return false;
    }
    for (var p : loop.params()) {
      if (p.init() instanceof Var v && chain.contains(v)) {
        chain.add(p.var());
      }
    }
    var within = Lists.with(loops, stm);
    var params = loop.params().stream().map(p -> (Atom) p.var()).toList();
    return scope(loop.body(), within) && results(stm, params, loop.body().results());
  }

  /** Whether what is read isn't much more than what is overwritten. */
  private boolean isShort() {
    var counts = new IdentityHashMap<Stm, Integer>();
    int top = 0;
    for (var read : reads.entrySet()) {
      int rank = read.getKey().type().dims().size();
      if (read.getValue().isEmpty()) {
        top++;
        if (rank > topRank) {
          return false;
        }
      } else {
        var loop = read.getValue().getLast();
        counts.merge(loop, 1, Integer::sum);
        if (rank > ranks.getOrDefault(loop, -1)) {
          return false;
        }
      }
    }
    return top <= FACTOR * topUpdates
        && counts.entrySet().stream()
            .allMatch(c -> c.getValue() <= FACTOR * updates.getOrDefault(c.getKey(), 0));
  }

  private boolean hasShape(Var read) {
    return FreeVars.of(read.type()).stream().noneMatch(inside::contains);
  }

  /** Whether it is known beforehand how much there may be to keep. */
  private boolean hasPlace(Var read) {
    return hasShape(read)
        && (forms.place(read).isPresent()
            || reads.get(read).stream().allMatch(l -> hasLength((Loop) l.exp())));
  }

  private boolean hasLength(Loop loop) {
    return loop.form() instanceof For f
        && f.i().type().equals(Type.I64)
        && forms.most(f.bound(), inside).isPresent();
  }

  // The forward sweep

  /**
   * Makes arrays for what is read, with one row for each iteration of the loop.
   *
   * @param outer where sizes are computed
   */
  Map<Var, Var> scratch(Builder outer, Builder b, Atom n) {
    var lengths = new IdentityHashMap<Stm, Atom>();
    var tapes = new LinkedHashMap<Var, Var>();
    reads.forEach(
        (v, loops) -> {
          var dims = new ArrayList<Atom>();
          var place = forms.place(v);
          dims.add(place.map(Counters.Place::total).orElse(n));
          for (var l : place.isPresent() ? List.<Stm>of() : loops) {
            dims.add(lengths.computeIfAbsent(l, _ -> length(outer, (Loop) l.exp())));
          }
          dims.addAll(v.type().dims());
          tapes.put(v, b.bind("ck", new Scratch(v.type().elemPrim(), dims)));
        });
    return tapes;
  }

  private Atom length(Builder b, Loop loop) {
    return ReverseLoop.length(b, forms.most(((For) loop.form()).bound(), inside).get().emit(b));
  }

  /**
   * Emits the body's statements, which put what they read into the arrays.
   *
   * @param at the iteration's index, and those of loops within
   * @param tapes the arrays by what is read; what they become replaces them
   */
  void emit(Builder b, List<Stm> stms, List<Atom> at, Map<Var, Var> tapes) {
    for (var stm : stms) {
      var mine = readIn(stm);
      if (mine.isEmpty()) {
        b.add(stm);
        continue;
      }
      var pattern = new ArrayList<>(stm.pattern());
      switch (stm.exp()) {
        case If(var c, var then, var otherwise) -> {
          var x = branch(b.inner(), then, at, tapes, mine);
          var y = branch(b.inner(), otherwise, at, tapes, mine);
          rename(tapes, mine, pattern);
          b.with(stm.attrs()).bindAll(pattern, new If(c, x, y));
        }
        case Loop(var params, var form, var body) -> {
          var more = new ArrayList<>(params);
          var here = new LinkedHashMap<>(tapes);
          for (var v : mine) {
            var p = Names.like(tapes.get(v));
            more.add(new LoopParam(p, tapes.get(v)));
            here.put(v, p);
          }
          var indices = new ArrayList<>(at);
          if (form instanceof For f) {
            indices.add(f.i());
          }
          var entry = b.inner();
          for (var p : params) {
            here.computeIfPresent(p.var(), (v, tape) -> entry.update(tape, indices, v));
          }
          var inner = branch(entry, body, indices, here, mine);
          rename(tapes, mine, pattern);
          b.with(stm.attrs()).bindAll(pattern, new Loop(more, form, inner));
        }
        default -> {
          b.add(stm);
          var v = stm.var();
          var place = forms.place(v).map(p -> List.<Atom>of(p.counter()));
          tapes.put(v, b.update(tapes.get(v), place.orElse(at), v));
        }
      }
    }
  }

  private Body branch(
      Builder inner, Body body, List<Atom> at, Map<Var, Var> tapes, List<Var> mine) {
    var here = new LinkedHashMap<>(tapes);
    emit(inner, body.stms(), at, here);
    var results = new ArrayList<>(body.results());
    mine.forEach(v -> results.add(here.get(v)));
    return inner.body(results);
  }

  private static void rename(Map<Var, Var> tapes, List<Var> mine, List<Var> pattern) {
    for (var v : mine) {
      var out = Names.like(tapes.get(v));
      tapes.put(v, out);
      pattern.add(out);
    }
  }

  private List<Var> readIn(Stm stm) {
    var bound = Binders.of(new Body(List.of(stm), List.of()));
    return reads.keySet().stream().filter(bound::contains).toList();
  }

  // The return sweep

  /**
   * Returns what stands for the body's variables in the return sweep of one iteration.
   *
   * @param tapes from the forward sweep
   */
  Map<Var, Saved> at(Builder b, Atom iteration, Map<Var, Var> tapes) {
    var all = new LinkedHashMap<Var, Saved>();
    reads.forEach(
        (v, loops) -> {
          var rows = new Saved.Rows(tapes.get(v), loops.size() + 1);
          var place = forms.place(v);
          all.put(
              v,
              place.isPresent()
                  ? new Saved.Flat(tapes.get(v), place.get().counter())
                  : rows.at(b, iteration));
        });
    same.forEach((v, first) -> all.put(v, all.get(first)));
    written.forEach(v -> all.put(v, usesEnd ? new Saved.End() : new Saved.Nothing()));
    return all;
  }
}
