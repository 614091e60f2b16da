package dev.kenaz.lower;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Attr;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.source.Exp.RangeKind;
import dev.kenaz.typing.TypedExp;
import dev.kenaz.typing.TypedSlice;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Lowers indices, slices, updates and ranges, and checks of sizes. */
record Indexing(Evaluator evaluator) {
  private static final Atom ZERO = Atom.i64(0);
  private static final Atom ONE = Atom.i64(1);
  private static final Atom MINUS_ONE = Atom.i64(-1);

  private static final String COERCION =
      "Value of (desugared) shape %s cannot match shape of type `%s`.";

  Static index(TypedExp.Index exp, Env env, Scope scope) {
    var array = evaluator.eval(exp.array(), env, scope);
    if (array.leaves().isEmpty()) {
      return array;
    }
    var dims = array.leaves().getFirst().type().dims();
    var slices = slices(exp.slices(), dims, env, scope);
    scope.at(exp.span());
    if (slices.stream().allMatch(DimSlice.Fix.class::isInstance)) {
      var indices = slices.stream().map(s -> ((DimSlice.Fix) s).index()).toList();
      return Arrays.each(array, a -> scope.lend(a, read(a, indices, scope)));
    }
    return Arrays.each(
        array,
        a -> {
          var slice = new Exp.Slice(a, whole(slices, a), hasFix(slices));
          return scope.lend(a, scope.builder().bind("part", slice));
        });
  }

  private static Var read(Var array, List<Atom> indices, Scope scope) {
    var builder = scope.builder();
    return scope.checksReads()
        ? builder.bind("x", new Exp.Index(array, indices, true))
        : builder.with(List.of(Attr.UNSAFE)).bind("x", new Exp.Index(array, indices, false));
  }

  Static update(TypedExp.UpdateIndex exp, Env env, Scope scope) {
    // The value comes before a target that is computed: it may read what the computation of the
    // target consumes.
    boolean plain = exp.target() instanceof TypedExp.Var;
    var early = plain ? null : evaluator.eval(exp.value(), env, scope);
    var target = evaluator.eval(exp.target(), env, scope);
    if (target.leaves().isEmpty()) {
      return target;
    }
    var slices = slices(exp.slices(), target.leaves().getFirst().type().dims(), env, scope);
    var value = plain ? evaluator.eval(exp.value(), env, scope) : early;
    scope.at(exp.span());
    var values = value.leaves();
    var results = new ArrayList<Atom>();
    for (var leaf : target.leaves()) {
      var array = scope.own(leaf);
      var slice = whole(slices, array);
      var part = values.get(results.size());
      if (part.type().isArray()) {
        part = fitting(part, slice, array.type().elemPrim(), scope);
      }
      var update = new Exp.Update(array, slice, part, hasFix(slices));
      results.add(scope.builder().bind(array.name(), update));
    }
    return target.with(results);
  }

  /** Checks that an array that is written to a slice has its sizes, and returns it with these. */
  private static Atom fitting(Atom part, List<DimSlice> slice, Prim elem, Scope scope) {
    var counts = new ArrayList<Atom>();
    for (var s : slice) {
      if (s instanceof DimSlice.Range r) {
        counts.add(r.count());
      }
    }
    var dims = part.type().dims();
    for (int i = 0; i < counts.size(); i++) {
      var same = scope.compare(CompareOp.EQ, counts.get(i), dims.get(i));
      scope.check(
          same, "can't write {} elements into a slice of size {}", dims.get(i), counts.get(i));
    }
    return scope.cast(part, Type.of(elem, counts));
  }

  private static boolean hasFix(List<DimSlice> slices) {
    return slices.stream().anyMatch(DimSlice.Fix.class::isInstance);
  }

  /** Returns the slices, with whole dimensions for those that the program leaves out. */
  private static List<DimSlice> whole(List<DimSlice> slices, Var array) {
    var all = new ArrayList<>(slices);
    for (var d : array.type().dims().subList(slices.size(), array.type().dims().size())) {
      all.add(new DimSlice.Range(ZERO, d, ONE));
    }
    return all;
  }

  /** Lowers slices, and checks that parts lie inside their dimensions. */
  private List<DimSlice> slices(List<TypedSlice> slices, List<Atom> dims, Env env, Scope scope) {
    var span = scope.span();
    var result = new ArrayList<DimSlice>();
    var texts = new ArrayList<String>();
    var arguments = new ArrayList<Atom>();
    Atom ok = Atom.bool(true);
    for (int i = 0; i < slices.size(); i++) {
      switch (slices.get(i)) {
        case TypedSlice.At(var e) -> {
          var index = evaluator.eval(e, env, scope).atom();
          result.add(new DimSlice.Fix(index));
          arguments.add(index);
          texts.add("{}");
        }
        case TypedSlice.Part(var first, var end, var step) -> {
          var part =
              new Part(value(first, env, scope), value(end, env, scope), value(step, env, scope));
          var checked = part(part, dims.get(i), scope);
          ok = scope.and(ok, checked.ok());
          result.add(checked.slice());
          arguments.addAll(part.values());
          texts.add(part.text());
        }
      }
    }
    var shape = dims.subList(0, slices.size());
    arguments.addAll(shape);
    var message =
        "Index [%s] out of bounds for array of shape %s."
            .formatted(String.join(", ", texts), "[{}]".repeat(shape.size()));
    scope.at(span).check(ok, message, arguments.toArray(Atom[]::new));
    return result;
  }

  /** A slice of a dimension as the program writes it. */
  private record Part(Optional<Atom> start, Optional<Atom> end, Optional<Atom> stride) {
    List<Atom> values() {
      return Stream.of(start, end, stride).flatMap(Optional::stream).toList();
    }

    String text() {
      return (start.isPresent() ? "{}:" : ":")
          + (end.isPresent() ? "{}" : "")
          + (stride.isPresent() ? ":{}" : "");
    }
  }

  /**
   * @param ok whether the slice lies inside the dimension
   */
  private record Checked(DimSlice.Range slice, Atom ok) {}

  private static Checked part(Part part, Atom dim, Scope scope) {
    var stride = part.stride().orElse(ONE);
    var start = part.start();
    var end = part.end();
    if (stride instanceof Const(var s)) {
      return s.bits() >= 0
          ? ascending(start.orElse(ZERO), end.orElse(dim), stride, dim, scope)
          : descending(
              start.orElseGet(() -> scope.sub(dim, ONE)),
              end.orElse(MINUS_ONE),
              stride,
              dim,
              scope);
    }
    // Only the run tells the direction. The descending slice is the other one mirrored.
    var down = scope.compare(CompareOp.LT, stride, ZERO);
    var from = start.orElseGet(() -> select(down, scope.sub(dim, ONE), ZERO, scope));
    var to = end.orElseGet(() -> select(down, MINUS_ONE, dim, scope));
    var last = scope.sub(dim, ONE);
    var mirroredFrom = select(down, scope.sub(last, from), from, scope);
    var mirroredTo = select(down, scope.sub(last, to), to, scope);
    var size = select(down, negated(stride, scope), stride, scope);
    var up = ascending(mirroredFrom, mirroredTo, size, dim, scope);
    return new Checked(new DimSlice.Range(from, up.slice().count(), stride), up.ok());
  }

  private static Checked ascending(Atom start, Atom end, Atom stride, Atom dim, Scope scope) {
    var ok = scope.and(atMost(ZERO, start, scope), atMost(start, end, scope));
    ok = scope.and(ok, atMost(end, dim, scope));
    ok = scope.and(ok, scope.compare(CompareOp.LT, ZERO, stride));
    var count = steps(scope.sub(end, start), stride, scope);
    return new Checked(new DimSlice.Range(start, count, stride), ok);
  }

  private static Checked descending(Atom start, Atom end, Atom stride, Atom dim, Scope scope) {
    var ok = scope.and(atMost(MINUS_ONE, end, scope), atMost(end, start, scope));
    ok = scope.and(ok, scope.compare(CompareOp.LT, start, dim));
    var count = steps(scope.sub(start, end), negated(stride, scope), scope);
    return new Checked(new DimSlice.Range(start, count, stride), ok);
  }

  private static Atom atMost(Atom x, Atom y, Scope scope) {
    // Sizes are never negative.
    return x.isConst(0) && y instanceof Var v && scope.isSize(v)
        ? Atom.bool(true)
        : scope.compare(CompareOp.LE, x, y);
  }

  /**
   * Returns the size of a descending stride. The negation of the least number would wrap around;
   * for that number it returns one that is larger than every dimension.
   */
  private static Atom negated(Atom stride, Scope scope) {
    return scope.sub(ZERO, scope.binary(BinaryOp.MAX, stride, Atom.i64(-Long.MAX_VALUE)));
  }

  /**
   * Returns how many places a slice has: those at 0, {@code step}, {@code 2 * step} and so on below
   * {@code distance}. The step is positive. Rounded down, {@code (0 - 1) / step} is -1, so an empty
   * slice has 0 places; nothing wraps around.
   */
  private static Atom steps(Atom distance, Atom step, Scope scope) {
    if (step.isConst(1)) {
      return distance;
    }
    return scope.add(quotient(scope.sub(distance, ONE), step, scope), ONE);
  }

  /** Returns the distance divided by the step, rounded down. */
  private static Atom quotient(Atom distance, Atom step, Scope scope) {
    // A stride of zero fails a check, but only after this division.
    var divisor = scope.binary(BinaryOp.MAX, step, ONE);
    return scope.binary(BinaryOp.DIV, distance, divisor);
  }

  private static Atom select(Atom condition, Atom x, Atom y, Scope scope) {
    if (condition instanceof Const(var c)) {
      return c.asBoolean() ? x : y;
    }
    return scope
        .builder()
        .ifThenElse(condition, List.of(x.type()), _ -> List.of(x), _ -> List.of(y))
        .getFirst();
  }

  private Optional<Atom> value(Optional<TypedExp> exp, Env env, Scope scope) {
    return exp.map(e -> evaluator.eval(e, env, scope).atom());
  }

  // Ranges

  Static range(TypedExp.Range exp, Env env, Scope scope) {
    var first = evaluator.eval(exp.first(), env, scope).atom();
    var second = value(exp.second(), env, scope);
    var end = evaluator.eval(exp.end(), env, scope).atom();
    scope.at(exp.span());
    var from = scope.convert(Prim.I64, first);
    var to = scope.convert(Prim.I64, end);
    var direction = direction(exp.kind(), first, second, scope);
    var down = direction.down();
    var distance = select(down, scope.sub(from, to), scope.sub(to, from), scope);
    var elem = first.type().elemPrim();
    var inclusive = exp.kind() == RangeKind.INCLUSIVE;
    var ok = scope.and(direction.ok(), ordered(down, first, end, scope));
    if (elem.byteSize() == Long.BYTES && !(from.isConst(0) && elem.isSigned())) {
      // Two numbers may be farther apart than the largest number; no array has so many elements.
      ok = scope.and(ok, atMost(ZERO, distance, scope));
    }
    if (elem.byteSize() == Long.BYTES && inclusive) {
      ok = scope.and(ok, scope.compare(CompareOp.LT, distance, Atom.i64(Long.MAX_VALUE)));
    }
    var dots =
        switch (exp.kind()) {
          case BELOW -> "..<";
          case ABOVE -> "..>";
          case INCLUSIVE -> "...";
        };
    if (second.isEmpty()) {
      scope.check(ok, "Range {}" + dots + "{} is invalid.", first, end);
    } else {
      scope.check(ok, "Range {}..{}" + dots + "{} is invalid.", first, second.get(), end);
    }
    var step =
        second
            .map(x -> scope.sub(scope.convert(Prim.I64, x), from))
            .orElse(exp.kind() == RangeKind.ABOVE ? MINUS_ONE : ONE);
    var size = size(elem, down, step, scope);
    var count =
        inclusive ? scope.add(quotient(distance, size, scope), ONE) : steps(distance, size, scope);
    scope.checkSize(count);
    return Static.core(
        scope.builder().bind("range", new Exp.Iota(count, first, scope.narrow(elem, step))));
  }

  /**
   * @param down whether the range descends, as a truth value of the program
   * @param ok whether its second number, if there is one, is on the right side of the first
   */
  private record Direction(Atom down, Atom ok) {}

  private static Direction direction(
      RangeKind kind, Atom first, Optional<Atom> second, Scope scope) {
    return switch (kind) {
      case BELOW ->
          new Direction(
              Atom.bool(false),
              second
                  .map(s -> scope.compare(CompareOp.LT, first, s))
                  .orElseGet(() -> Atom.bool(true)));
      case ABOVE ->
          new Direction(
              Atom.bool(true),
              second
                  .map(s -> scope.compare(CompareOp.LT, s, first))
                  .orElseGet(() -> Atom.bool(true)));
      case INCLUSIVE ->
          second
              .map(
                  s ->
                      new Direction(
                          scope.compare(CompareOp.LT, s, first),
                          scope.not(scope.compare(CompareOp.EQ, s, first))))
              .orElseGet(() -> new Direction(Atom.bool(false), Atom.bool(true)));
    };
  }

  /** Returns whether a range begins before its end, in the direction in which it goes. */
  private static Atom ordered(Atom down, Atom first, Atom end, Scope scope) {
    var low = select(down, end, first, scope);
    var high = select(down, first, end, scope);
    return atMost(low, high, scope);
  }

  /**
   * Returns the size of a range's step. Two numbers of 64 bits may be farther apart than the
   * largest number; such a step is larger than every range.
   */
  private static Atom size(Prim elem, Atom down, Atom step, Scope scope) {
    var size = select(down, scope.sub(ZERO, step), step, scope);
    if (elem.byteSize() < Long.BYTES || size instanceof Const(var c) && c.bits() > 0) {
      return size;
    }
    var most = new Const(ScalarValue.ofLong(Prim.U64, Long.MAX_VALUE));
    var capped = scope.binary(BinaryOp.MIN, scope.convert(Prim.U64, size), most);
    return scope.convert(Prim.I64, capped);
  }

  // Coercions

  Static coerce(TypedExp.Coerce exp, Env env, Scope scope) {
    var value = evaluator.eval(exp.exp(), env, scope);
    var open = evaluator.types.resolveOpen(exp.type(), env, scope);
    scope.at(exp.span());
    var wanted = open.type().leaves();
    var leaves = value.leaves();
    for (int i = 0; i < leaves.size(); i++) {
      var has = leaves.get(i).type().dims();
      var wants = wanted.get(i).dims();
      var arguments = Stream.concat(has.stream(), wants.stream()).toArray(Atom[]::new);
      var type = "[{}]".repeat(wants.size()) + leaves.get(i).type().elemPrim();
      for (int d = 0; d < has.size() && d < wants.size(); d++) {
        if (!(wants.get(d) instanceof Var v && open.open().containsKey(v))) {
          var same = scope.compare(CompareOp.EQ, has.get(d), wants.get(d));
          scope.check(same, COERCION.formatted("[{}]".repeat(has.size()), type), arguments);
        }
      }
    }
    var fitted = Control.fit(open, value, scope);
    return value.with(fitted.subList(open.open().size(), fitted.size()));
  }
}
