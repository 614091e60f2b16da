package dev.kenaz.distribute;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.For;
import dev.kenaz.ir.Exp.Index;
import dev.kenaz.ir.Exp.Loop;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.Exp.Slice;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * A map or a loop over rows that reads elements of {@code columns: [d][n]t} by numbers, {@code
 * columns[j, i]}, where the rows are the inner dimension, reads them of the array turned, {@code
 * rows[i, j]}: pieces can fetch rows of others. {@link Prepare} does so where the program itself
 * has the array turned; here nothing in the program has, as after {@code map (scan (+) 0)
 * (transpose xs)}.
 */
final class ReadsOfColumns implements Rewriter {
  /** An array with its rows first, and the dimension that they have in the array itself. */
  private record Turned(Var rows, int dim) {}

  private final Map<Var, Turned> turned = new HashMap<>();

  private ReadsOfColumns() {}

  /** Returns statements that read the rows; nothing if the function uses the arrays otherwise. */
  static Optional<List<Stm>> of(Labeller labeller, Stm stm) {
    return switch (stm.exp()) {
      case Screma s when labeller.spaces().has(s.width()) ->
          new ReadsOfColumns()
              .of(
                  labeller,
                  stm,
                  s.map().body(),
                  body -> {
                    var map = new Lambda(s.map().params(), body, s.map().returns());
                    return new Screma(s.width(), s.inputs(), s.scans(), s.reduces(), map);
                  });
      case Loop(var params, For form, var body) when labeller.spaces().has(form.bound()) ->
          new ReadsOfColumns().of(labeller, stm, body, rows -> new Loop(params, form, rows));
      default -> Optional.empty();
    };
  }

  private Optional<List<Stm>> of(
      Labeller labeller, Stm stm, Body function, Function<Body, Exp> with) {
    var b = new Builder(stm.span());
    for (var v : FreeVars.of(function)) {
      if (labeller.of(v) instanceof Label.Sharded(var dim) && dim > 0) {
        turned.put(v, new Turned(RowRewrites.rowsFirst(b, v, dim), dim));
      }
    }
    if (turned.isEmpty()) {
      return Optional.empty();
    }
    var body = body(function);
    if (FreeVars.of(body).stream().anyMatch(turned::containsKey)) {
      return Optional.empty();
    }
    var stms = new ArrayList<>(b.stms());
    stms.add(stm.with(with.apply(body)));
    return Optional.of(stms);
  }

  @Override
  public List<Stm> stm(Stm stm) {
    return switch (stm.exp()) {
      case Index(var array, var is, var checked)
          when turned.containsKey(array) && is.size() == array.type().dims().size() ->
          element(stm, array, is, checked);
      case Slice(var array, var dims, var checked)
          when turned.containsKey(array)
              && dims.stream().filter(d -> d instanceof DimSlice.Range).count() == 1 -> {
        var from = turned.get(array);
        yield List.of(stm.with(new Slice(from.rows, rowsFirst(from, dims), checked)));
      }
      default -> Rewriter.super.stm(stm);
    };
  }

  private List<Stm> element(Stm stm, Var array, List<Atom> is, boolean checked) {
    var from = turned.get(array);
    var b = new Builder(stm.span());
    if (checked) {
      OwnRow.check(b, is, array.type().dims());
    }
    b.with(stm.attrs()).bindAll(stm.pattern(), new Index(from.rows, rowsFirst(from, is), false));
    return b.stms();
  }

  private static <T> List<T> rowsFirst(Turned from, List<T> byDimension) {
    var all = new ArrayList<T>(List.of(byDimension.get(from.dim)));
    IntStream.range(0, byDimension.size())
        .filter(i -> i != from.dim)
        .forEach(i -> all.add(byDimension.get(i)));
    return all;
  }
}
