package dev.kenaz.lower;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.List;

/**
 * Lowers the functions between a value and the vector of its floating-point components. These are
 * the elements of its core values, in order.
 *
 * @param prim the type of the vector's elements
 */
record Components(Prim prim) {
  static Static function(String name, Intrinsic.Instance at) {
    var components = new Components(name.endsWith("f32") ? Prim.F32 : Prim.F64);
    return name.startsWith("pack")
        ? Static.fun(1, (s, x) -> components.pack(x.get(0), s))
        : Static.fun(
            2, (s, x) -> components.unpack(at.type(0), x.get(0), (Var) x.get(1).atom(), s));
  }

  static boolean isComponent(Type leaf) {
    return leaf.elemPrim().isFloat();
  }

  /** Returns how many elements a core value has. */
  private static Atom count(Atom leaf, Scope scope) {
    Atom count = Atom.i64(1);
    for (var d : leaf.type().dims()) {
      count = scope.sizes(count, d);
    }
    return count;
  }

  private static Atom total(Static value, Scope scope) {
    Atom total = Atom.i64(0);
    for (var leaf : value.leaves()) {
      if (isComponent(leaf.type())) {
        total = scope.sizeSum(total, count(leaf, scope));
      }
    }
    return total;
  }

  private Static pack(Static value, Scope scope) {
    var parts = new ArrayList<Var>();
    var scalars = new ArrayList<Atom>();
    for (var leaf : value.leaves()) {
      if (isComponent(leaf.type()) && leaf.type().isScalar()) {
        scalars.add(scope.convert(prim, leaf));
      } else if (isComponent(leaf.type())) {
        addLiteral(scalars, parts, scope);
        var shape = List.of(count(leaf, scope));
        var flat = scope.builder().bind("flat", new Exp.Reshape(shape, (Var) leaf));
        parts.add((Var) converted(prim, flat, scope));
      }
    }
    addLiteral(scalars, parts, scope);
    var b = scope.builder();
    return Static.core(
        switch (parts.size()) {
          case 0 -> b.bind("pack", new Exp.ArrayLit(List.of(), Type.scalar(prim)));
          case 1 -> b.bind("pack", new Exp.Copy(parts.getFirst()));
          default -> b.bind("pack", new Exp.Concat(0, parts, total(value, scope)));
        });
  }

  /** Makes one part of the scalars since the last array. */
  private void addLiteral(List<Atom> scalars, List<Var> parts, Scope scope) {
    if (!scalars.isEmpty()) {
      var literal = new Exp.ArrayLit(scalars, Type.scalar(prim));
      parts.add(scope.builder().bind("lit", literal));
      scalars.clear();
    }
  }

  private static Atom converted(Prim to, Atom value, Scope scope) {
    if (value.type().isScalar() || value.type().elemPrim() == to) {
      return scope.convert(to, value);
    }
    return scope
        .builder()
        .map(
            value.type().dims().getFirst(),
            List.of((Var) value),
            (b, x) -> List.of(b.convert(to, x.getFirst())))
        .getFirst();
  }

  private Static unpack(Ty type, Static like, Var vector, Scope scope) {
    var size = vector.type().dims().getFirst();
    var total = total(like, scope);
    scope.check(
        scope.compare(CompareOp.EQ, size, total),
        "a vector of {} elements for a value with {} floating-point components",
        size,
        total);
    var from = (Var) scope.cast(vector, Type.of(prim, List.of(total)));
    var leaves = new ArrayList<Atom>();
    Atom start = Atom.i64(0);
    for (var leaf : like.leaves()) {
      if (!isComponent(leaf.type())) {
        leaves.add(leaf);
        continue;
      }
      var count = count(leaf, scope);
      leaves.add(part(from, start, count, leaf.type(), scope));
      start = scope.sizeSum(start, count);
    }
    return like.with(Payloads.cleared(type, leaves, scope.builder()));
  }

  /** Returns a value of the type from the vector's elements from {@code start} on. */
  private static Atom part(Var vector, Atom start, Atom count, Type type, Scope scope) {
    var b = scope.builder();
    if (type.isScalar()) {
      return scope.convert(type.elemPrim(), b.index(vector, start));
    }
    var range = new DimSlice.Range(start, count, Atom.i64(1));
    var part = scope.lend(vector, b.bind("part", new Exp.Slice(vector, List.of(range), false)));
    var elements = (Var) converted(type.elemPrim(), part, scope);
    return scope.lend(elements, b.bind("part", new Exp.Reshape(type.dims(), elements)));
  }
}
