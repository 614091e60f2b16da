package dev.kenaz.lower;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Var;
import dev.kenaz.value.ScalarValue;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Makes the floating-point numbers zero that are in slots of a sum type which a value's constructor
 * doesn't use. Equality of such values compares all slots, so these must be as {@code construct}
 * leaves them.
 */
record Payloads(Builder b) {
  /** Returns core values of this type with such numbers cleared. */
  static List<Atom> cleared(Ty type, List<Atom> leaves, Builder builder) {
    var out = new ArrayList<Atom>();
    new Payloads(builder).add(type, leaves.iterator(), out);
    return out;
  }

  /** Whether values of the type may have such numbers. */
  private static boolean concerns(Ty type) {
    return switch (type) {
      case Ty.Scalar _, Ty.Acc _, Ty.Fun _ -> false;
      case Ty.Array(_, var elem) -> concerns(elem);
      case Ty.Rec(var fields) -> fields.values().stream().anyMatch(Payloads::concerns);
      case Ty.Sum s -> SumLayout.of(s).types().stream().anyMatch(Components::isComponent);
    };
  }

  private void add(Ty type, Iterator<Atom> leaves, List<Atom> out) {
    if (!concerns(type)) {
      type.leaves().forEach(_ -> out.add(leaves.next()));
      return;
    }
    switch (type) {
      case Ty.Array(_, var elem) -> rows(elem, taken(elem, leaves), out);
      case Ty.Rec(var fields) -> fields.values().forEach(f -> add(f, leaves, out));
      case Ty.Sum s -> sum(s, taken(s, leaves), out);
      case Ty.Scalar _, Ty.Acc _, Ty.Fun _ -> {}
    }
  }

  private static List<Atom> taken(Ty type, Iterator<Atom> leaves) {
    return type.leaves().stream().map(_ -> leaves.next()).toList();
  }

  private void rows(Ty elem, List<Atom> arrays, List<Atom> out) {
    var inputs = arrays.stream().map(Var.class::cast).toList();
    var width = inputs.getFirst().type().dims().getFirst();
    var changed =
        b.map(
                width,
                inputs,
                (inner, rows) ->
                    cleared(elem, List.copyOf(rows), inner).stream()
                        .filter(a -> Components.isComponent(a.type()))
                        .toList())
            .iterator();
    arrays.forEach(a -> out.add(Components.isComponent(a.type()) ? changed.next() : a));
  }

  private void sum(Ty.Sum sum, List<Atom> leaves, List<Atom> out) {
    var tag = leaves.getFirst();
    var slots = leaves.subList(1, leaves.size());
    var layout = SumLayout.of(sum);
    out.add(tag);
    var kept = new ArrayList<Atom>();
    slots.forEach(s -> kept.add(Components.isComponent(s.type()) ? null : s));
    layout
        .slots()
        .forEach(
            (constructor, mine) -> {
              var is =
                  b.compare(
                      CompareOp.EQ, tag, new Const(ScalarValue.i8((byte) layout.tag(constructor))));
              var payload = mine.stream().map(slots::get).iterator();
              var own = new ArrayList<Atom>();
              sum.constructors().get(constructor).forEach(t -> add(t, payload, own));
              for (int i = 0; i < mine.size(); i++) {
                if (Components.isComponent(own.get(i).type())) {
                  int slot = mine.get(i);
                  kept.set(slot, select(is, own.get(i), kept.get(slot), b));
                }
              }
            });
    out.addAll(kept);
  }

  /**
   * Returns the first value if the condition holds, else the second or, where there is none, zero.
   * Arrays have no second value, as they share no slots.
   */
  private static Atom select(Atom condition, Atom value, Atom otherwise, Builder b) {
    if (value.type().isScalar()) {
      var other = otherwise == null ? b.zero(value.type()) : otherwise;
      return b.ifThenElse(
              condition, List.of(value.type()), _ -> List.of(value), _ -> List.of(other))
          .getFirst();
    }
    return b.map(
            value.type().dims().getFirst(),
            List.of((Var) value),
            (inner, row) -> List.of(select(condition, row.getFirst(), null, inner)))
        .getFirst();
  }
}
