package dev.kenaz.interpret;

import static dev.kenaz.error.ErrorCode.K5001;
import static dev.kenaz.error.ErrorCode.K5005;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.interpret.Datum.Num;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Runs the array expressions without lambdas. */
record ArrayOps(Machine machine, Counter counter) {
  Datum index(Arr a, List<Atom> indices, boolean checked, Span span) {
    long flat = 0;
    for (int d = 0; d < indices.size(); d++) {
      long i = machine.i64(indices.get(d));
      if (i < 0 || i >= a.dim(d)) {
        throw outside(machine.shape(indices), a, checked, span);
      }
      flat = flat * a.dim(d) + i;
    }
    if (indices.size() == a.rank()) {
      counter.read(a, 1);
    }
    return a.at(indices.size(), flat);
  }

  private static RuntimeException outside(long[] indices, Arr a, boolean checked, Span span) {
    var text = Arrays.stream(indices).mapToObj(Long::toString).toList();
    return outside(
        String.join(", ", text), Arrays.copyOf(a.shape(), indices.length), checked, span);
  }

  private static RuntimeException outside(String what, long[] shape, boolean checked, Span span) {
    var message = "Index [" + what + "] out of bounds for array of shape " + shapeText(shape) + ".";
    return checked
        ? new UserError(K5001, span, message)
        : new CompilerBug("interpret", "unchecked access: " + message + " at " + span);
  }

  static String shapeText(long[] shape) {
    var out = new StringBuilder();
    for (long d : shape) {
      out.append('[').append(d).append(']');
    }
    return out.toString();
  }

  Datum slice(Arr a, List<DimSlice> dims, boolean checked, Span span) {
    var places = new Places(a, dims, checked, span);
    var out = Arr.scratch(a.elem(), places.shape);
    if (a.size() > 0) {
      places.forEach((from, to) -> out.set(to, a.get(from)));
    }
    return places.shape.length == 0 ? out.get(0) : out.view(a);
  }

  Datum update(Arr a, List<DimSlice> dims, Atom value, boolean checked, Span span) {
    var x = machine.get(value);
    var places = new Places(a, dims, checked, span);
    if (x instanceof Arr from && !Arrays.equals(from.shape(), places.shape)) {
      throw new CompilerBug(
          "interpret",
          "update of shape " + shapeText(places.shape) + " with " + shapeText(from.shape()));
    }
    counter.update(a, Arr.length(places.shape), value, x);
    places.forEach((to, from) -> a.set(to, x instanceof Arr r ? r.get(from) : (Num) x));
    return a;
  }

  /** The positions of an array that a slice selects. */
  private final class Places {
    private final Arr array;
    private final List<long[]> kept = new ArrayList<>();
    private final long[] shape;
    private long base;

    Places(Arr array, List<DimSlice> dims, boolean checked, Span span) {
      this.array = array;
      long stride = array.size();
      for (int d = 0; d < dims.size(); d++) {
        long size = array.dim(d);
        stride = size == 0 ? 0 : stride / size;
        switch (dims.get(d)) {
          case DimSlice.Fix(var index) -> {
            long i = machine.i64(index);
            check(i >= 0 && i < size, "" + i, size, checked, span);
            base += i * stride;
          }
          case DimSlice.Range(var start, var count, var step) -> {
            long from = machine.i64(start);
            long n = machine.i64(count);
            long by = machine.i64(step);
            long last = from + (n - 1) * by;
            boolean inside = n == 0 || from >= 0 && from < size && last >= 0 && last < size;
            var text = from + ":" + (from + n * by) + ":" + by;
            check(n >= 0 && inside, text, size, checked, span);
            base += n == 0 ? 0 : from * stride;
            kept.add(new long[] {n, by * stride});
          }
        }
      }
      this.shape = kept.stream().mapToLong(k -> k[0]).toArray();
    }

    private static void check(boolean ok, String what, long size, boolean checked, Span span) {
      if (!ok) {
        throw outside(what, new long[] {size}, checked, span);
      }
    }

    /** Calls the action with each position in the array and its row-major number in the slice. */
    void forEach(IntPair action) {
      int count = Arr.length(shape);
      var index = new long[shape.length];
      long at = base;
      for (int i = 0; i < count; i++) {
        action.accept((int) at, i);
        for (int d = shape.length - 1; d >= 0; d--) {
          at += kept.get(d)[1];
          if (++index[d] < shape[d]) {
            break;
          }
          at -= shape[d] * kept.get(d)[1];
          index[d] = 0;
        }
      }
    }
  }

  private interface IntPair {
    void accept(int arrayPosition, int slicePosition);
  }

  Datum iota(Atom n, Atom start, Atom step, Span span) {
    var count = machine.num(n);
    var by = machine.num(step);
    var prim = by.value().prim();
    var none = Arithmetic.sub(count, Datum.of(count.value()));
    // Every element also has the tangent of the number of elements.
    var from = Arithmetic.add(machine.num(start), Arithmetic.convert(prim, none));
    var out = Arr.zeros(prim, sizes(List.of(n), span));
    for (int i = 0; i < out.size(); i++) {
      var at = Datum.of(ScalarValue.ofLong(prim, i));
      out.set(i, Arithmetic.add(from, Arithmetic.mul(at, by)));
    }
    return out.in(Arr.Place.COMPUTED);
  }

  Datum replicate(List<Atom> dims, Datum x, Span span) {
    var outer = sizes(dims, span);
    if (outer.length == 0) {
      return x;
    }
    long copies = ArrayValue.count(outer);
    switch (x) {
      case Num n -> {
        var out = Arr.zeros(n.value().prim(), outer);
        for (int i = 0; i < out.size(); i++) {
          out.set(i, n);
        }
        return out.in(Arr.Place.COMPUTED);
      }
      case Arr a -> {
        var shape = Arrays.copyOf(outer, outer.length + a.rank());
        System.arraycopy(a.shape(), 0, shape, outer.length, a.rank());
        var out = Arr.zeros(a.elem(), shape);
        for (int i = 0; i < copies; i++) {
          out.setRange(i * a.size(), a);
        }
        return out.in(a.place() == Arr.Place.COMPUTED ? a.place() : Arr.Place.REPEATED);
      }
      case Datum.Acc _ -> throw new CompilerBug("interpret", "replicates an accumulator");
    }
  }

  /** Returns the sizes of a new array. A negative one is the user's fault. */
  long[] sizes(List<Atom> dims, Span span) {
    var shape = machine.shape(dims);
    for (long d : shape) {
      if (d < 0) {
        throw new UserError(K5005, span, "negative size " + d + " of an array");
      }
    }
    return shape;
  }

  Datum literal(List<Atom> elems, Type row) {
    var inner = machine.shape(row.dims());
    var shape = new long[inner.length + 1];
    shape[0] = elems.size();
    System.arraycopy(inner, 0, shape, 1, inner.length);
    var out = Arr.zeros(row.elemPrim(), shape);
    for (int i = 0; i < elems.size(); i++) {
      var x = machine.get(elems.get(i));
      out.setAt(1, i, x);
      if (x instanceof Arr a) {
        counter.place(a);
      } else {
        counter.write(1);
      }
    }
    return out.in(Arr.Place.NEW);
  }

  Datum concat(int dim, List<Var> arrays) {
    var parts = arrays.stream().map(machine::arr).toList();
    var shape = parts.getFirst().shape().clone();
    shape[dim] = parts.stream().mapToLong(p -> p.dim(dim)).sum();
    var out = Arr.zeros(parts.getFirst().elem(), shape);
    long outer = ArrayValue.count(Arrays.copyOf(shape, dim));
    int at = 0;
    for (int o = 0; o < outer; o++) {
      for (var p : parts) {
        int block = (int) (p.size() / outer);
        out.setRange(at, p.range(o * block, block, block));
        at += block;
      }
    }
    parts.forEach(p -> counter.read(p, p.size()));
    counter.write(out.size());
    return out.in(Arr.Place.NEW);
  }

  Datum rearrange(List<Integer> perm, Arr a) {
    int n = perm.size();
    var strides = new long[n];
    long stride = 1;
    for (int d = n - 1; d >= 0; d--) {
      strides[d] = stride;
      stride *= a.dim(d);
    }
    var shape = new long[n];
    var steps = new long[n];
    for (int d = 0; d < n; d++) {
      shape[d] = a.dim(perm.get(d));
      steps[d] = strides[perm.get(d)];
    }
    var out = Arr.zeros(a.elem(), shape);
    var index = new long[n];
    long at = 0;
    for (int i = 0; i < out.size(); i++) {
      out.set(i, a.get((int) at));
      for (int d = n - 1; d >= 0; d--) {
        at += steps[d];
        if (++index[d] < shape[d]) {
          break;
        }
        at -= shape[d] * steps[d];
        index[d] = 0;
      }
    }
    return out.view(a);
  }

  Datum reshape(List<Atom> dims, Arr a) {
    var shape = machine.shape(dims);
    if (ArrayValue.count(shape) != a.size()) {
      throw new CompilerBug(
          "interpret", "reshape of " + shapeText(a.shape()) + " to " + shapeText(shape));
    }
    return a.range(0, a.size(), shape).view(a);
  }

  Datum fresh(Arr a) {
    counter.read(a, a.size());
    counter.write(a.size());
    return a.copy().in(Arr.Place.NEW);
  }
}
