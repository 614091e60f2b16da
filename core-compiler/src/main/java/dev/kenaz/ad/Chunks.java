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
 * Divides {@code n} elements into chunks of equal length. A sequential loop with small arrays of
 * its own treats each chunk, and all chunks run in parallel.
 *
 * @param n how many elements there are
 * @param count how many chunks there are, at least one
 * @param length how many elements a chunk has; the last ones may have fewer
 */
record Chunks(Atom n, Atom count, Atom length) {
  /** A chunk pays if it has this many elements for each element of its own arrays. */
  private static final int SHARE = 8;

  private static final int MOST = 1024;

  /**
   * Makes so many chunks that their own arrays, each of {@code own} elements, stay smaller than n.
   */
  static Chunks of(Builder b, Atom n, Atom own) {
    var many = b.binary(BinaryOp.QUOT, n, b.mul(b.binary(BinaryOp.MAX, own, i64(1)), i64(SHARE)));
    var count = b.binary(BinaryOp.MAX, b.binary(BinaryOp.MIN, many, i64(MOST)), i64(1));
    var length = b.binary(BinaryOp.QUOT, b.add(n, b.sub(count, i64(1))), count);
    return new Chunks(n, count, length);
  }

  /** What the loop does at one element, given what it carries; all arrays keep their types. */
  @FunctionalInterface
  interface Step {
    List<? extends Atom> apply(Builder b, Var chunk, Atom element, Atom inChunk, List<Var> carried);
  }

  /** What a chunk's loop starts with. */
  @FunctionalInterface
  interface Start {
    List<Var> apply(Builder b, Var chunk);
  }

  /**
   * Runs the step for the elements of every chunk.
   *
   * @param backwards whether each chunk starts with its last element
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

  /**
   * Joins the chunks' rows, of which each element has one, to an array of the rows of all elements.
   */
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

  /** Makes an array with room for one row for each element of a chunk. */
  Var scratch(Builder b, Type row) {
    var type = row.under(length);
    return b.bind("rows", type, new Scratch(type.elemPrim(), type.dims()));
  }

  /** Reads a row as a value that later updates of the array leave alone. */
  static Atom read(Builder b, Var array, Atom... indices) {
    var row = b.index(array, indices);
    return row.type().isArray() ? b.bind("row", new Copy((Var) row)) : row;
  }
}
