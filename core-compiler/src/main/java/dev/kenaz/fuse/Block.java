package dev.kenaz.fuse;

import dev.kenaz.analysis.Effects;
import dev.kenaz.analysis.Sharing;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * These are the statements of one scope, with what each reads and consumes. This class decides
 * whether two of them may become one, and where it then stands.
 */
final class Block {
  private final Sharing sharing;
  private final List<Atom> results;
  private final Map<Stm, Set<Var>> reads = new IdentityHashMap<>();
  private final Map<Stm, Set<Var>> consumes = new IdentityHashMap<>();

  /** How many statements read a variable; counted when somebody first asks, and kept from there. */
  private final Map<Var, Integer> readers = new HashMap<>();

  private List<Stm> stms;

  Block(Sharing sharing, List<Stm> stms, List<Atom> results) {
    this.sharing = sharing;
    this.stms = new ArrayList<>(stms);
    this.results = results;
  }

  List<Stm> stms() {
    return stms;
  }

  /** Returns where the statement stands. */
  int at(Stm stm) {
    int at = 0;
    while (stms.get(at) != stm) {
      at++;
    }
    return at;
  }

  /** Returns the free variables of the statement. */
  Set<Var> reads(Stm stm) {
    return reads.computeIfAbsent(stm, FreeVars::of);
  }

  /** Whether one of the two consumes what the other reads. */
  boolean interfere(Stm one, Stm other) {
    return hazards(one, List.of(other));
  }

  /** Whether running the statement consumes one of the arrays. */
  boolean consumes(Stm stm, List<Var> arrays) {
    return overlap(consumes(stm), Set.copyOf(arrays));
  }

  /**
   * Replaces a copy of an array of this scope by the array itself, where neither is changed from
   * there on: the copy is never consumed, the array by no later statement, and they are not both
   * results.
   */
  void withoutCopies() {
    var own = new HashSet<Var>();
    for (int at = 0; at < stms.size(); at++) {
      var stm = stms.get(at);
      if (stm.exp() instanceof Copy(var array)
          && own.contains(array)
          && !sharing.consumed(stm.var())
          && stms.subList(at + 1, stms.size()).stream().noneMatch(s -> consumes(s, List.of(array)))
          && results.stream().noneMatch(r -> shares(r, stm.var()) || shares(r, array))) {
        var alias = stm.with(new Alias(array));
        change(List.of(stm), List.of(alias));
        stms.set(at, alias);
      }
      own.addAll(stm.pattern());
    }
  }

  private boolean shares(Atom a, Var b) {
    return a instanceof Var v
        && v.type().isArray()
        && sharing.classOf(v).equals(sharing.classOf(b));
  }

  boolean isResult(Var v) {
    return results.contains(v);
  }

  /** Whether the statement may as well stand at a later position, where its first user stands. */
  boolean mayMove(int from, int to) {
    var stm = stms.get(from);
    return consumes(stm).isEmpty() && !hazards(stm, stms.subList(from + 1, to));
  }

  /** Whether anything except the one statement uses one of the variables. */
  boolean usedElsewhere(List<Var> vars, Stm user) {
    if (results.stream().anyMatch(vars::contains)) {
      return true;
    }
    if (readers.isEmpty()) {
      stms.forEach(s -> count(s, 1));
    }
    var own = reads(user);
    return vars.stream().anyMatch(v -> readers.getOrDefault(v, 0) > (own.contains(v) ? 1 : 0));
  }

  private void count(Stm stm, int change) {
    reads(stm).forEach(v -> readers.merge(v, change, Integer::sum));
  }

  private void change(List<Stm> from, List<Stm> to) {
    if (!readers.isEmpty()) {
      from.forEach(s -> count(s, -1));
      to.forEach(s -> count(s, 1));
    }
  }

  /**
   * The statements with the two at these positions replaced by one, in an order that keeps every
   * dependency; empty if there is none. Statements between the two that depend on the first go
   * after the new statement, the rest before it.
   */
  Optional<List<Stm>> replaced(int first, int second, Stm by) {
    var producer = stms.get(first);
    var consumer = stms.get(second);
    var after = new ArrayList<Stm>();
    var before = new ArrayList<Stm>();
    var tainted = new HashSet<>(producer.pattern());
    boolean order = false;
    for (var s : stms.subList(first + 1, second)) {
      boolean observable = Effects.observable(s.exp());
      if (reads(s).stream().anyMatch(tainted::contains) || order && observable) {
        tainted.addAll(s.pattern());
        after.add(s);
        order |= observable;
      } else {
        before.add(s);
      }
    }
    // what the consumer does may rely on an assertion before it
    boolean path =
        after.stream().anyMatch(s -> reads(consumer).stream().anyMatch(s.pattern()::contains));
    if (order || path || hazards(producer, before) || hazards(consumer, after)) {
      return Optional.empty();
    }
    // these are statements that change places with each other
    for (var s : before) {
      if (hazards(s, after)) {
        return Optional.empty();
      }
    }
    var result =
        Lists.concat(
            stms.subList(0, first),
            before,
            List.of(by),
            after,
            stms.subList(second + 1, stms.size()));
    return Optional.of(result);
  }

  void set(List<Stm> newStms) {
    int most = Math.min(stms.size(), newStms.size());
    int head = 0;
    while (head < most && stms.get(head) == newStms.get(head)) {
      head++;
    }
    int tail = 0;
    while (tail < most - head
        && stms.get(stms.size() - 1 - tail) == newStms.get(newStms.size() - 1 - tail)) {
      tail++;
    }
    change(stms.subList(head, stms.size() - tail), newStms.subList(head, newStms.size() - tail));
    stms = new ArrayList<>(newStms);
  }

  /** Whether one consumes what the others read, or the other way round. */
  private boolean hazards(Stm one, List<Stm> others) {
    return others.stream()
        .anyMatch(o -> overlap(consumes(one), reads(o)) || overlap(consumes(o), reads(one)));
  }

  private boolean overlap(Set<Var> classes, Set<Var> vars) {
    return !classes.isEmpty()
        && vars.stream()
            .anyMatch(v -> !v.type().isScalar() && classes.contains(sharing.classOf(v)));
  }

  /** Returns the classes of arrays that some statement consumes. */
  Set<Var> consumed() {
    var all = new HashSet<Var>();
    stms.forEach(s -> all.addAll(consumes(s)));
    return all;
  }

  /** Returns the classes of arrays that running the statement consumes. */
  private Set<Var> consumes(Stm stm) {
    return consumes.computeIfAbsent(
        stm,
        s -> {
          var walk = new Consumed();
          walk.stm(s);
          return walk.classes;
        });
  }

  private final class Consumed implements CodeRewriter {
    private final Set<Var> classes = new HashSet<>();

    @Override
    public Exp exp(Exp exp) {
      switch (exp) {
        case Update u -> add(u.array());
        case Hist h -> h.ops().forEach(o -> o.dests().forEach(this::add));
        case Scatter s -> s.dests().forEach(d -> add(d.dest()));
        case WithAcc w -> w.inputs().forEach(in -> in.arrays().forEach(this::add));
        default -> {}
      }
      return CodeRewriter.super.exp(exp);
    }

    private void add(Var v) {
      classes.add(sharing.classOf(v));
    }
  }
}
