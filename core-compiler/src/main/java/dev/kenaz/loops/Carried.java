package dev.kenaz.loops;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.ir.Var;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Slot;
import dev.kenaz.loops.ArrayVal.Owner;
import dev.kenaz.loops.ArrayVal.View;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Translates what a loop or fold carries from one iteration to the next.
 *
 * <p>A scalar is a register. An array that the body only overwrites stays where it is. Any other
 * array is a pointer that moves on to whatever the body made: the buffer is exchanged between the
 * carried variable's slot and the slot where it was made, so that the latter has another buffer to
 * fill in the next iteration. Nothing is copied unless one array is carried twice, isn't
 * contiguous, or must be overwritten and may not be.
 */
final class Carried {
  private sealed interface Item {}

  private record ScalarItem(Reg reg) implements Item {}

  /** A value that is the same in every iteration. */
  private record Invariant(Val val) implements Item {}

  private record InPlace(View view) implements Item {}

  /**
   * An array that moves from buffer to buffer.
   *
   * @param current address of the array
   * @param owner address of the buffer that it lies in, 0 if that doesn't belong to a slot
   * @param overwritten whether the body overwrites it
   */
  private record Moving(
      Slot slot, Reg current, Reg owner, Prim prim, boolean overwritten, Set<Slot> from)
      implements Item {}

  private final Scope scope;
  private final Arrays arrays;
  private final List<Item> items = new ArrayList<>();
  private int slotsBefore;

  Carried(Scope scope, Arrays arrays) {
    this.scope = scope;
    this.arrays = arrays;
  }

  /**
   * Adds a variable and binds it.
   *
   * @param inPlace whether the body leaves the next value where this one is
   * @param into where the result is wanted, or null
   */
  void add(Var param, Val init, boolean inPlace, View into) {
    switch (init) {
      case Val.Scalar(var e) -> {
        var reg = Reg.fresh(param.name(), e.prim());
        scope.add(new Code.Set(reg, e));
        items.add(new ScalarItem(reg));
      }
      case Val.Acc a -> items.add(new Invariant(a));
      case ArrayVal a when inPlace && scope.sharing().consumed(param) ->
          items.add(new InPlace(arrays.owned(param.name(), a, into)));
      case ArrayVal a when inPlace -> items.add(new Invariant(a));
      case ArrayVal a -> items.add(moving(param, a));
    }
  }

  private Moving moving(Var param, ArrayVal init) {
    boolean overwritten = scope.sharing().consumed(param);
    var slot = scope.slot(param.name());
    var current = Reg.index(param.name());
    var owner = Reg.index(param.name() + "_owner");
    boolean asItIs = init instanceof View v && v.contiguous() && (!overwritten || scope.owned(v));
    Set<Slot> from = new LinkedHashSet<>();
    from.add(slot);
    if (asItIs) {
      var view = (View) init;
      // the slot's life begins here, though there is nothing in it yet
      scope.add(new Code.Free(slot));
      scope.add(new Code.Set(current, view.address()));
      scope.add(new Code.Set(owner, view.owner().address()));
      from.addAll(view.owner().slots());
    } else {
      scope.ensure(slot, init.prim(), init.dims());
      var to = contiguousAt(slot, init.prim(), init.dims());
      arrays.copy(to, init);
      scope.add(new Code.Set(current, Expr.use(slot.base())));
      scope.add(new Code.Set(owner, Expr.use(slot.base())));
    }
    return new Moving(slot, current, owner, init.prim(), overwritten, from);
  }

  private View contiguousAt(Slot slot, Prim prim, List<Expr> dims) {
    return ArrayVal.contiguous(prim, Expr.use(slot.base()), dims, scope.depth(), Owner.of(slot));
  }

  /** Starts an iteration: what is made from here on is made again in the next one. */
  void begin() {
    slotsBefore = scope.slotCount();
  }

  /** Binds the variables, in order: a type may mention an earlier one. */
  void bind(List<Var> params) {
    for (int k = 0; k < params.size(); k++) {
      scope.bind(params.get(k), value(items.get(k), params.get(k).type()));
    }
  }

  private Val value(Item item, Type type) {
    return switch (item) {
      case ScalarItem(var reg) -> new Val.Scalar(Expr.use(reg));
      case Invariant(var val) -> val;
      case InPlace(var view) -> view.withLevel(scope.depth());
      case Moving m -> {
        var owner = new Owner(Expr.use(m.owner), m.from);
        int level = m.overwritten ? scope.depth() : -1;
        yield ArrayVal.contiguous(m.prim, Expr.use(m.current), scope.dims(type), level, owner);
      }
    };
  }

  /** Returns the registers of the scalars, with null for arrays. */
  List<Reg> registers() {
    return items.stream().map(i -> i instanceof ScalarItem(var reg) ? reg : null).toList();
  }

  /** Ends an iteration: the results become the variables' values. */
  void next(List<Val> results) {
    for (int k = 0; k < items.size(); k++) {
      if (items.get(k) instanceof InPlace(var view)) {
        arrays.copy(view, (ArrayVal) results.get(k));
      }
    }
    var moves = moves(results);
    // these include slots that making the results contiguous has added
    var inside = new HashSet<>(scope.slotsSince(slotsBefore));
    var scalarSets = new ArrayList<Code>();
    for (int k = 0; k < items.size(); k++) {
      if (items.get(k) instanceof ScalarItem(var reg)
          && results.get(k) instanceof Val.Scalar(var e)
          && !e.equals(Expr.use(reg))) {
        scalarSets.add(new Code.Set(reg, isCarried(e) ? saved(e) : e));
      }
    }
    exchange(moves, inside);
    copyTheRest(moves);
    scalarSets.forEach(scope::add);
  }

  private boolean isCarried(Expr e) {
    return items.stream().anyMatch(i -> i instanceof ScalarItem(var r) && e.equals(Expr.use(r)));
  }

  private Expr saved(Expr e) {
    var reg = Reg.fresh("next", e.prim());
    scope.add(new Code.Set(reg, e));
    return Expr.use(reg);
  }

  /** A new value: where it is, in which buffer, and whether the owner of that is decided. */
  private record Move(
      Moving item, Expr address, Expr owner, Set<Slot> from, Expr bytes, boolean owned) {}

  /** Puts all that is known of the next values into registers, before any slot changes. */
  private List<Move> moves(List<Val> results) {
    var moves = new ArrayList<Move>();
    for (int k = 0; k < items.size(); k++) {
      if (!(items.get(k) instanceof Moving m)) {
        continue;
      }
      var view = arrays.contiguous("next", (ArrayVal) results.get(k));
      if (view.address().equals(Expr.use(m.current))) {
        continue;
      }
      var address = saved(view.address());
      var owner = saved(view.owner().address());
      boolean owned = !m.overwritten || scope.owned(view);
      var bytes = scope.let("bytes", view.bytes());
      moves.add(new Move(m, address, owner, view.owner().slots(), bytes, owned));
    }
    return moves;
  }

  /** Gives each carried variable's slot the buffer of its next value, where that can be had. */
  private void exchange(List<Move> moves, Set<Slot> inside) {
    var claimed = new ArrayList<Move>();
    for (var move : moves) {
      var mine = move.item.slot;
      for (var other : moves) {
        if (other != move) {
          var holds = holds(other.item.slot, move);
          // but this takes nothing that the other one has claimed for itself
          var taken = Scope.equal(other.owner, move.owner);
          var free = claimed.contains(other) ? Scope.and(holds, not(taken)) : holds;
          scope.add(new Code.If(free, List.of(new Code.Swap(other.item.slot, mine)), List.of()));
        }
      }
      for (var slot : sources(move, moves)) {
        if (inside.contains(slot)) {
          scope.add(new Code.If(holds(slot, move), List.of(new Code.Swap(slot, mine)), List.of()));
        }
      }
      claimed.add(move);
      scope.add(new Code.Set(move.item.current, move.address));
      scope.add(new Code.Set(move.item.owner, move.owner));
    }
  }

  /**
   * The slots that may hold a next value's buffer by now: those where it was made, and, where it is
   * part of what another variable carried, those that the other one has left it in.
   */
  private static Set<Slot> sources(Move move, List<Move> moves) {
    var all = new LinkedHashSet<>(move.from);
    boolean grown = true;
    while (grown) {
      grown = false;
      for (var other : moves) {
        grown |= all.contains(other.item.slot) && all.addAll(other.from);
      }
    }
    return all;
  }

  private static Expr holds(Slot slot, Move move) {
    var same = Scope.equal(Expr.use(slot.base()), move.owner);
    return Scope.and(not(Scope.equal(move.owner, Expr.i64(0))), same);
  }

  private static Expr not(Expr e) {
    return new Expr.Un(UnaryOp.NOT, e, Prim.BOOL);
  }

  /** Copies what is carried twice, or must be overwritten and may not be, into its own slot. */
  private void copyTheRest(List<Move> moves) {
    var slots = new ArrayList<Slot>();
    items.forEach(
        i -> {
          if (i instanceof Moving m) {
            slots.add(m.slot);
          }
        });
    for (var move : moves) {
      var m = move.item;
      // a value that has come to lie in its own slot belongs to nothing else
      boolean mayBeMine = !sources(move, moves).isEmpty();
      Expr shared = !move.owned && mayBeMine ? not(holds(m.slot, move)) : Expr.bool(!move.owned);
      for (var slot : slots) {
        if (!slot.equals(m.slot)) {
          shared = or(shared, holds(slot, move));
        }
      }
      if (shared.equals(Expr.bool(false))) {
        continue;
      }
      var own = Expr.use(m.slot.base());
      scope.add(
          new Code.If(
              shared,
              List.of(
                  new Code.Ensure(m.slot, move.bytes),
                  new Code.CopyBytes(own, move.address, move.bytes),
                  new Code.Set(m.current, own),
                  new Code.Set(m.owner, own)),
              List.of()));
    }
  }

  private static Expr or(Expr a, Expr b) {
    return a.equals(Expr.bool(false)) ? b : new Expr.Bin(BinaryOp.OR, a, b);
  }

  /** Returns the values after the loop, for variables of these types. */
  List<Val> results(List<Var> pattern) {
    var vals = new ArrayList<Val>();
    for (int k = 0; k < items.size(); k++) {
      var val = value(items.get(k), pattern.get(k).type());
      scope.bind(pattern.get(k), val);
      vals.add(val);
    }
    return vals;
  }
}
