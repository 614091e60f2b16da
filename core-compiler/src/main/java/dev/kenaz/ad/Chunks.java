package dev.kenaz.ad;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code n} elements in stretches of equal length, each treated by a sequential loop with small
 * arrays of its own, all stretches in parallel.
 *
 * @param n how many elements
 * @param count of stretches, at least one
 * @param length of each, the last ones may be cut short
 */
record Chunks(Atom n, Atom count, Atom length) {
  /** Fewer than this many elements for each element of a chunk's own arrays aren't worth it. */
  private static final int SHARE = 8;

  private static final int MOST = 1024;

  /** So many chunks that their own arrays, each of this many elements, stay smaller than n. */
  static Chunks of(Builder b, Atom n, Atom own) {
    var many = b.binary(BinaryOp.QUOT, n, b.mul(b.binary(BinaryOp.MAX, own, i64(1)), i64(SHARE)));
    var count = b.binary(BinaryOp.MAX, b.binary(BinaryOp.MIN, many, i64(MOST)), i64(1));
    var length = b.binary(BinaryOp.QUOT, b.add(n, b.sub(count, i64(1))), count);
    return new Chunks(n, count, length);
  }

  /** What happens at one element, given what the loop has so far; all arrays keep their types. */
  @FunctionalInterface
  interface Step {
    List<? extends Atom> apply(Builder b, Var chunk, Atom element, Atom inChunk, List<Var> carried);
  }

  /** What a chunk's loop begins with. */
  @FunctionalInterface
  interface Start {
    List<Var> apply(Builder b, Var chunk);
  }

  /**
   * Runs the step for the elements of every chunk.
   *
   * @param backwards in each chunk the last element first
   * @return what each chunk's loop carried in the end, under the number of chunks
   */
  List<Var> loops(Builder b, boolean backwards, Start start, Step step) {
    return b.map(
        count,
        List.of(b.iota(count)),
        (in, p) -> {
          var chunk = p.getFirst();
          var first = in.mul(chunk, length);
          var left = in.binary(BinaryOp.MIN, in.sub(n, first), length);
          var size = in.binary(BinaryOp.MAX, left, i64(0));
          var last = in.sub(size, i64(1));
          return in.forLoop(
              size,
              start.apply(in, chunk),
              (j, carried) ->
                  body -> {
                    var at = backwards ? body.sub(last, j) : j;
                    return step.apply(body, chunk, body.add(first, at), at, carried);
                  });
        });
  }

  /** Rows of every chunk, one an element, as rows of all elements. */
  Var joined(Builder b, Var rows) {
    var dims = rows.type().dims();
    var inner = dims.subList(2, dims.size());
    var flat = new ArrayList<Atom>();
    flat.add(b.mul(count, length));
    flat.addAll(inner);
    var all = b.bind("flat", new Reshape(flat, rows));
    var slice = new ArrayList<DimSlice>();
    slice.add(new DimSlice.Range(i64(0), n, i64(1)));
    inner.forEach(d -> slice.add(new DimSlice.Range(i64(0), d, i64(1))));
    var dims2 = new ArrayList<Atom>();
    dims2.add(n);
    dims2.addAll(inner);
    var type = new Type.Array(rows.type().elemPrim(), dims2);
    return b.bindAll(List.of(Names.fresh("all", type)), new Slice(all, slice, false)).getFirst();
  }

  /** Room for a row of each element of a chunk. */
  Var scratch(Builder b, Type row) {
    var type = row.under(length);
    return b.bind("rows", type, new Scratch(type.elemPrim(), type.dims()));
  }

  /** The row of an array as a value that later updates of the array leave alone. */
  static Atom read(Builder b, Var array, Atom... indices) {
    var row = b.index(array, indices);
    return row.type().isArray() ? b.bind("row", new Copy((Var) row)) : row;
  }
}
