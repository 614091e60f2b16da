package dev.kenaz.fuse;

import dev.kenaz.analysis.Sharing;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.simplify.Regions;
import java.util.ArrayList;
import java.util.Arrays;
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
 * Moves updates of slices as far down as possible. A return sweep adds to one slice of an adjoint
 * after the other; each addition reads its slice from what the update before it has made, so that
 * none of them could be fused with the others. But a slice that the updates leave alone is the same
 * before them, and one that they write is what they write:
 *
 * <pre>
 *   let b = a with [0] &lt;- x             let y = a[1]
 *   let y = b[1]                 is     let z = map2 (+) y v
 *   let z = map2 (+) y v                let b = a with [0] &lt;- x
 *   let c = b with [1] &lt;- z             let c = b with [1] &lt;- z
 * </pre>
 *
 * What is overwritten before anybody reads it isn't written, and what is read before it is
 * overwritten isn't copied; an array all of whose elements are written one by one is a literal.
 * Reads come first, then the operators on them, which may fuse, then the updates.
 */
record LateUpdates(Sharing sharing) implements CodeRewriter {
  /** For each read, at most this many updates are looked through. */
  private static final int MANY = 64;

  static CoreProgram run(CoreProgram program) {
    return new LateUpdates(Sharing.of(program)).program(program);
  }

  @Override
  public Body body(Body body) {
    var inner = CodeRewriter.super.body(body);
    if (inner.stms().stream().noneMatch(s -> isLate(s.exp()))) {
      return inner;
    }
    var stms = new ArrayList<Stm>();
    inner.stms().forEach(s -> stms.addAll(rows(inner, s)));
    Set<Stm> asTheyAre = Collections.newSetFromMap(new IdentityHashMap<>());
    while (true) {
      try {
        return inner.with(new Scope(stms, inner.results(), asTheyAre).run());
      } catch (Conflict c) {
        asTheyAre.add(c.read);
      }
    }
  }

  /**
   * Whether it is an update that may wait: by an array, or of an element at a place that is known.
   */
  private boolean isLate(Exp exp) {
    return exp instanceof Update(_, var slice, var value, boolean checked)
        && !checked
        && (value.type().isScalar()
            ? slice.stream().allMatch(d -> d instanceof DimSlice.Fix(Const _))
            : !sharing.consumed(value));
  }

  // Literals

  /** Replaces an update by a literal of arrays by updates by each of them. */
  private List<Stm> rows(Body body, Stm stm) {
    if (!(stm.exp() instanceof Update(var array, var slice, Var value, boolean checked))
        || checked
        || !(literal(body, value) instanceof ArrayLit(var elems, Type.Array _))
        || elems.stream().anyMatch(sharing::consumed)) {
      return List.of(stm);
    }
    int d = 0;
    while (slice.get(d) instanceof DimSlice.Fix) {
      d++;
    }
    if (!(slice.get(d) instanceof DimSlice.Range(Const(var start), _, var stride))
        || !stride.isConst(1)) {
      return List.of(stm);
    }
    var stms = new ArrayList<Stm>();
    var now = array;
    for (int k = 0; k < elems.size(); k++) {
      var at = new ArrayList<>(slice);
      at.set(d, new DimSlice.Fix(Atom.i64(start.asLong() + k)));
      var next = k + 1 == elems.size() ? stm.var() : Names.like(array);
      stms.add(stm.with(List.of(next), new Update(now, at, elems.get(k), false)));
      now = next;
    }
    return stms;
  }

  /** Returns the literal that the variable stands for, if nothing but an update uses it. */
  private static Exp literal(Body body, Var value) {
    Exp found = null;
    int uses = body.results().contains(value) ? 2 : 0;
    for (var s : body.stms()) {
      if (s.pattern().contains(value)) {
        found = s.exp();
      }
      uses += FreeVars.of(s).contains(value) ? 1 : 0;
    }
    return uses == 1 ? found : null;
  }

  /**
   * Thrown if a read that was moved before an update is used after it: it must stay where it is.
   */
  private static final class Conflict extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final transient Stm read;

    Conflict(Stm read) {
      super(null, null, false, false);
      this.read = read;
    }
  }

  /** Puts the statements of one scope in order. */
  private final class Scope {
    private final List<Stm> stms;
    private final List<Atom> results;
    private final Set<Stm> asTheyAre;
    private final Block block;
    private final List<Stm> out = new ArrayList<>();

    /** Updates that nothing has needed yet, by what they make. */
    private final Map<Var, Stm> waiting = new LinkedHashMap<>();

    /** The results of reads of arrays that are overwritten, by the reads. */
    private final Map<Exp, Var> known = new HashMap<>();

    /** Reads that are valid for less long than before, with the memory that they read. */
    private final List<Moved> moved = new ArrayList<>();

    private int at;

    private record Moved(Stm read, Var memory, int lastUse) {}

    Scope(List<Stm> stms, List<Atom> results, Set<Stm> asTheyAre) {
      this.stms = stms;
      this.results = results;
      this.asTheyAre = asTheyAre;
      this.block = new Block(sharing, stms, results);
    }

    List<Stm> run() {
      for (at = 0; at < stms.size(); at++) {
        stm(stms.get(at));
      }
      for (var r : results) {
        if (r instanceof Var v) {
          flush(v);
        }
      }
      return out;
    }

    private void stm(Stm stm) {
      switch (stm.exp()) {
        case Update u when isLate(u) -> {
          if (waiting.size() >= MANY) {
            List.copyOf(waiting.keySet()).forEach(this::flush);
          }
          block.reads(stm).stream().filter(v -> !v.equals(u.array())).forEach(this::flush);
          waiting.put(stm.var(), stm);
          withoutOverwritten(stm);
        }
        case Index x when !x.checked() -> read(stm, x.array());
        case Slice x when !x.checked() -> read(stm, x.array());
        case Copy(var a) -> copy(stm, a);
        default -> plain(stm);
      }
    }

    private void plain(Stm stm) {
      block.reads(stm).forEach(this::flush);
      for (var u : List.copyOf(waiting.values())) {
        if (((Update) u.exp()).value() instanceof Var v && block.consumes(stm, List.of(v))) {
          flush(u.var());
        }
      }
      emit(stm);
    }

    private void emit(Stm stm) {
      for (var m : moved) {
        if (m.lastUse >= at && block.consumes(stm, List.of(m.memory))) {
          throw new Conflict(m.read);
        }
      }
      out.add(stm);
    }

    /** Emits the update that makes this, and those that it needs. */
    private void flush(Var made) {
      var elements = elements(made);
      if (elements.isPresent()) {
        var last = waiting.get(made);
        for (var u = last; u != null; u = waiting.get(((Update) u.exp()).array())) {
          waiting.remove(u.var());
        }
        emit(with(last, new ArrayLit(elements.get(), Type.scalar(made.type().elemPrim()))));
        return;
      }
      var stm = waiting.remove(made);
      if (stm != null) {
        flush(((Update) stm.exp()).array());
        emit(stm);
      }
    }

    /**
     * Returns all elements of a vector, if waiting updates write each, or those that aren't alike.
     */
    private Optional<List<Atom>> elements(Var made) {
      var dims = made.type().dims();
      if (dims.size() != 1 || !(dims.getFirst() instanceof Const(var n)) || n.asLong() > MANY) {
        return Optional.empty();
      }
      var elements = new Atom[(int) n.asLong()];
      int missing = elements.length;
      var root = made;
      for (var u = waiting.get(made); u != null; ) {
        var update = (Update) u.exp();
        if (!(update.slice().getFirst() instanceof DimSlice.Fix(Const(var i)))) {
          return Optional.empty();
        }
        int k = (int) i.asLong();
        if (elements[k] == null) {
          elements[k] = update.value();
          missing--;
        }
        root = update.array();
        u = waiting.get(root);
      }
      if (missing > 0 && 2 * missing <= elements.length) {
        for (var s : stms.subList(0, at)) {
          if (s.exp() instanceof Replicate(_, var value)
              && value.type().isScalar()
              && s.pattern().contains(root)) {
            missing = 0;
            Arrays.setAll(elements, k -> elements[k] == null ? value : elements[k]);
          }
        }
      }
      return missing == 0 && !root.equals(made) ? Optional.of(List.of(elements)) : Optional.empty();
    }

    // Reads

    private void read(Stm stm, Var array) {
      int last = lastUse(stm);
      if (asTheyAre.contains(stm) || last < 0 || !waiting.containsKey(array)) {
        block.reads(stm).forEach(this::flush);
        if (last >= 0 && sharing.consumed(array)) {
          shared(stm, array, last);
        } else {
          emit(stm);
        }
        return;
      }
      var region = Regions.read(stm.exp());
      var source = array;
      for (var u = waiting.get(source); u != null; u = waiting.get(source)) {
        var update = (Update) u.exp();
        if (Regions.contains(update.slice(), region, array.type().dims())) {
          var part =
              update.value() instanceof Var v && v.type().isArray()
                  ? Regions.within(v, update.slice(), region)
                  : Optional.<Exp>of(new Alias(update.value()));
          if (part.isPresent()) {
            emit(with(stm, part.get()));
            return;
          }
        }
        if (!Regions.disjoint(update.slice(), region)) {
          flush(source);
          break;
        }
        source = update.array();
      }
      shared(with(stm, from(source, stm.exp())), source, stm, last);
    }

    private static Exp from(Var source, Exp exp) {
      return switch (exp) {
        case Index x when !source.equals(x.array()) -> new Index(source, x.indices(), false);
        case Slice x when !source.equals(x.array()) -> new Slice(source, x.slice(), false);
        default -> exp;
      };
    }

    private void shared(Stm stm, Var source, int last) {
      shared(stm, source, stm, last);
    }

    /** Adds the statement, unless an earlier one has read the same. */
    private void shared(Stm stm, Var source, Stm original, int last) {
      var before = known.putIfAbsent(stm.exp(), stm.var());
      if (!stm.equals(original) || before != null) {
        moved.add(new Moved(original, source, last));
      }
      emit(before == null || asTheyAre.contains(original) ? stm : with(stm, new Alias(before)));
    }

    private static Stm with(Stm stm, Exp exp) {
      return exp == stm.exp() ? stm : stm.with(exp);
    }

    /** Replaces a copy that is used only until the array is overwritten by the array. */
    private void copy(Stm stm, Var array) {
      int last = sharing.consumed(stm.var()) || asTheyAre.contains(stm) ? -1 : lastUse(stm);
      if (last < 0 || !sharing.consumed(array)) {
        plain(stm);
        return;
      }
      block.reads(stm).forEach(this::flush);
      moved.add(new Moved(stm, array, last));
      emit(with(stm, new Alias(array)));
    }

    /**
     * The position where what the statement binds is last used, also by its views; -1 if it is a
     * result of the scope, overwritten, or to be written at a place that isn't known yet.
     */
    private int lastUse(Stm stm) {
      if (stm.var().type().isScalar()) {
        return at;
      }
      var views = new HashSet<Var>(stm.pattern());
      var type = sharing.classOf(stm.var());
      int last = at;
      for (int k = at + 1; k < stms.size(); k++) {
        var user = stms.get(k);
        var used = block.reads(user).stream().filter(views::contains).toList();
        if (used.isEmpty()) {
          continue;
        }
        last = k;
        boolean reads = user.exp() instanceof Update u && !views.contains(u.array());
        if (isLate(user.exp()) || !reads && block.consumes(user, used)) {
          return -1;
        }
        for (var v : user.pattern()) {
          if (v.type().isArray() && sharing.classOf(v).equals(type) && !reads) {
            views.add(v);
          }
        }
      }
      return results.stream().anyMatch(views::contains) ? -1 : last;
    }

    // Writes

    /** Removes those waiting updates whose slices later ones overwrite. */
    private void withoutOverwritten(Stm last) {
      var later = new ArrayList<List<DimSlice>>();
      var after = last;
      var dims = last.var().type().dims();
      for (var u = Optional.of(last); u.isPresent(); ) {
        var update = (Update) u.get().exp();
        if (u.get() != last && Regions.covered(update.slice(), later, dims)) {
          var next = (Update) after.exp();
          after = with(after, new Update(update.array(), next.slice(), next.value(), false));
          waiting.remove(u.get().var());
          waiting.put(after.var(), after);
        } else {
          after = u.get();
          later.add(update.slice());
        }
        u = Optional.ofNullable(waiting.get(update.array()));
      }
    }
  }
}
