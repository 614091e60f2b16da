package dev.kenaz.ad;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Scans;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.List;

/**
 * Sorts keys from 0 to {@code most} by a stable radix sort, emitted as core code: a pass for every
 * eight binary digits, and as many passes as {@code most} has digits. In a pass {@link Chunks} of
 * the elements count their digits; a scan of the counts, with those of one digit side by side,
 * tells where in the result each chunk's elements of each digit begin; and each chunk tells its
 * elements their places.
 */
final class RadixSort {
  private static final int BITS = 8;
  private static final int DIGITS = 1 << BITS;

  private RadixSort() {}

  /** The keys in order, and where each was before. */
  record Sorted(Var keys, Var origins) {}

  static Sorted byKey(Builder b, Atom n, Var keys, Atom most) {
    var leading = b.unary(UnaryOp.CLZ, most);
    var bits = b.sub(i64(64), b.convert(Prim.I64, leading));
    var passes = b.binary(BinaryOp.QUOT, b.add(bits, i64(BITS - 1)), i64(BITS));
    var chunks = Chunks.of(b, n, i64(DIGITS));
    var sorted =
        b.forLoop(
            passes,
            List.of(b.bind("keys", new Copy(keys)), b.iota(n)),
            (pass, acc) -> in -> pass(in, chunks, in.mul(pass, i64(BITS)), acc.get(0), acc.get(1)));
    return new Sorted(sorted.get(0), sorted.get(1));
  }

  private static List<Var> pass(Builder b, Chunks chunks, Atom shift, Var keys, Var origins) {
    var zeros = List.<Atom>of(i64(DIGITS));
    var counts =
        chunks
            .loops(
                b,
                false,
                (in, _) -> List.of(in.replicate(zeros, i64(0))),
                (in, _, i, _, carried) -> {
                  var digit = digit(in, keys, i, shift);
                  var one = in.add(in.index(carried.getFirst(), digit), i64(1));
                  return List.of(in.update(carried.getFirst(), List.of(digit), one));
                })
            .getFirst();
    var starts = starts(b, chunks, counts);
    var places =
        chunks.loops(
            b,
            false,
            (in, chunk) -> {
              var own = (Var) in.index(in.transposed(starts), chunk);
              return List.of(in.bind("own", new Copy(own)), chunks.scratch(in, Type.I64));
            },
            (in, _, i, at, carried) -> {
              var digit = digit(in, keys, i, shift);
              var place = in.index(carried.get(0), digit);
              var next = in.update(carried.get(0), List.of(digit), in.add(place, i64(1)));
              return List.of(next, in.update(carried.get(1), List.of(at), place));
            });
    var to = chunks.joined(b, places.get(1));
    return moved(b, chunks.n(), to, keys, origins);
  }

  private static Atom digit(Builder in, Var keys, Atom i, Atom shift) {
    var shifted = in.binary(BinaryOp.SHR, in.index(keys, i), shift);
    return in.binary(BinaryOp.AND, shifted, i64(DIGITS - 1));
  }

  /** Returns how many elements come before, by digit and chunk. */
  private static Var starts(Builder b, Chunks chunks, Var counts) {
    var all = b.mul(i64(DIGITS), chunks.count());
    var flat = b.bind("flat", new Reshape(List.of(all), b.transposed(counts)));
    var plus = b.operator(BinaryOp.ADD, Prim.I64);
    var before = Scans.exclusive(b, all, List.of(flat), plus, List.of(i64(0))).getFirst();
    return b.bind("starts", new Reshape(List.of(i64(DIGITS), chunks.count()), before));
  }

  private static List<Var> moved(Builder b, Atom n, Var to, Var keys, Var origins) {
    var map =
        b.lambda(
            List.of(Type.I64, Type.I64, Type.I64),
            (_, p) -> List.of(p.get(0), p.get(0), p.get(1), p.get(2)));
    var shape = List.of(n);
    var dests =
        List.of(
            new ScatterDest(shape, b.bind("keys", new Scratch(Prim.I64, shape))),
            new ScatterDest(shape, b.bind("origins", new Scratch(Prim.I64, shape))));
    return b.bindAll("sorted", new Scatter(n, List.of(to, keys, origins), dests, map));
  }
}
