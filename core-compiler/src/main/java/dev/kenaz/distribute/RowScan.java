package dev.kenaz.distribute;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Scans;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Divides a scan over the rows into two stages: every piece reduces its rows; the totals, gathered,
 * are scanned in one place; then every piece scans its rows and combines what comes before it with
 * them. Where pieces can keep rows between stages, the first stage scans the rows, and the second
 * one only combines.
 */
final class RowScan {
  /**
   * The statements after the first stage.
   *
   * @param prefixes the replicated statements that compute from the totals what precedes each piece
   * @param scanned the local statements that compute the whole statement's results
   */
  record Rest(List<Stm> prefixes, List<Stm> scanned) {}

  private final Spaces spaces;
  private final Pieces pieces;
  private final Stm stm;
  private final Screma screma;
  private final boolean keeps;

  /** Whether the scan goes from the last row to the first. */
  private final boolean backwards;

  private final Builder totals;
  private final List<Var> own;
  private final List<Var> sums;

  private RowScan(
      Spaces spaces, Pieces pieces, Stm stm, Screma screma, boolean keeps, boolean backwards) {
    this.backwards = backwards;
    this.spaces = spaces;
    this.pieces = pieces;
    this.stm = stm;
    this.screma = screma;
    this.keeps = keeps;
    this.totals = new Builder(stm.span());
    this.own = stm.pattern().subList(0, screma.scanWidth()).stream().map(Names::like).toList();
    if (keeps) {
      totals.with(stm.attrs()).bindAll(own, scans(totals));
    }
    this.sums = keeps ? lastRows(totals) : totals.bindAll("sum", reductions(totals));
  }

  /**
   * @param keeps whether pieces can keep rows between stages
   * @param backwards whether the scans go from the last row to the first; then the result of a row
   *     is in its place all the same
   */
  static Optional<RowScan> of(
      Spaces spaces, Pieces pieces, Stm stm, boolean keeps, boolean backwards) {
    return stm.exp() instanceof Screma s && spaces.has(s.width()) && !s.scans().isEmpty()
        ? Optional.of(new RowScan(spaces, pieces, stm, s, keeps, backwards))
        : Optional.empty();
  }

  /** Returns the local statements that compute a piece's totals. */
  List<Stm> totals() {
    return totals.stms();
  }

  /** Returns a piece's total for each operand of the scans. */
  List<Var> sums() {
    return sums;
  }

  /** Returns what both stages use of the piece's own scans. */
  List<Var> own() {
    return keeps ? own : List.of();
  }

  /**
   * @param all for each of {@link #sums}, the totals of all pieces
   */
  Rest rest(List<Var> all) {
    int n = screma.scanWidth();
    var prefixes = new Builder(stm.span());
    var preceding = new ArrayList<List<Var>>();
    int at = 0;
    for (var scan : screma.scans()) {
      int size = scan.neutral().size();
      var parts = all.subList(at, at + size).stream().map(v -> ofPieces(prefixes, v)).toList();
      preceding.add(Scans.exclusive(prefixes, pieces.pieces(), parts, scan.op(), scan.neutral()));
      at += size;
    }
    var scanned = new Builder(stm.span());
    var others = stm.pattern().subList(n, stm.pattern().size());
    if (!keeps && !backwards) {
      var pattern = new ArrayList<>(own);
      pattern.addAll(others);
      scanned.with(stm.attrs()).bindAll(pattern, screma);
    } else {
      if (!keeps) {
        scanned.with(stm.attrs()).bindAll(own, new Renaming().exp(scans(scanned)));
      }
      if (!others.isEmpty()) {
        scanned.with(stm.attrs()).bindAll(others, maps());
      }
    }
    combined(scanned, preceding);
    return new Rest(prefixes.stms(), scanned.stms());
  }

  /**
   * Returns the statement as two, if it also reduces: the reductions, and the scans with the rest.
   */
  static List<Stm> reductionsApart(Spaces spaces, Stm stm) {
    if (!(stm.exp() instanceof Screma s)
        || !spaces.has(s.width())
        || s.scans().isEmpty()
        || s.reduces().isEmpty()) {
      return List.of(stm);
    }
    int from = s.scanWidth();
    int to = from + s.reduceWidth();
    var reduced = new Renaming().lambda(results(s.map(), i -> i >= from && i < to));
    var scanned = results(s.map(), i -> i < from || i >= to);
    var others = new ArrayList<>(stm.pattern().subList(0, from));
    others.addAll(stm.pattern().subList(to, stm.pattern().size()));
    var b = new Builder(stm.span());
    b.with(stm.attrs())
        .bindAll(
            stm.pattern().subList(from, to),
            new Screma(s.width(), s.inputs(), List.of(), s.reduces(), reduced));
    b.with(stm.attrs())
        .bindAll(others, new Screma(s.width(), s.inputs(), s.scans(), List.of(), scanned));
    return b.stms();
  }

  private static Lambda results(Lambda map, IntPredicate taken) {
    var at = IntStream.range(0, map.returns().size()).filter(taken).boxed().toList();
    var body = new Body(map.body().stms(), at.stream().map(map.body().results()::get).toList());
    return new Lambda(map.params(), body, at.stream().map(map.returns()::get).toList());
  }

  private Screma scans(Builder b) {
    var operands = results(screma.map(), i -> i < screma.scanWidth());
    return new Screma(screma.width(), inputs(b), screma.scans(), List.of(), operands);
  }

  /** Returns the inputs in the order in which a piece scans its rows. */
  private List<Var> inputs(Builder b) {
    return backwards ? screma.inputs().stream().map(v -> reversed(b, v)).toList() : screma.inputs();
  }

  /** Returns a piece's own rows from the last to the first. */
  private Var reversed(Builder b, Var v) {
    var part = b.bind("part", new Alias(v));
    return b.bind(v.name(), v.type(), reversal(part, lastRow(b)));
  }

  /** Returns the number of the last of a piece's own rows. */
  private Atom lastRow(Builder b) {
    return b.sub(ownRows(b), Atom.i64(1));
  }

  /** Returns how many rows the piece has; {@code n} as a number is that of the whole. */
  private Var ownRows(Builder b) {
    var rows = b.bind("rows", new Alias(screma.width()));
    spaces.addOwn(rows);
    return rows;
  }

  private static Slice reversal(Var v, Atom last) {
    var dims = new ArrayList<DimSlice>();
    for (var d : v.type().dims()) {
      dims.add(new DimSlice.Range(Atom.i64(0), d, Atom.i64(1)));
    }
    dims.set(0, new DimSlice.Range(last, v.type().dims().getFirst(), Atom.i64(-1)));
    return new Slice(v, dims, false);
  }

  /** Returns the totals in the order in which the scan goes over the pieces. */
  private Var ofPieces(Builder b, Var totals) {
    var last = b.sub(pieces.pieces(), Atom.i64(1));
    return backwards ? b.bind(totals.name(), totals.type(), reversal(totals, last)) : totals;
  }

  private Screma maps() {
    var rows = new Renaming().lambda(results(screma.map(), i -> i >= screma.scanWidth()));
    return new Screma(screma.width(), screma.inputs(), List.of(), List.of(), rows);
  }

  /** Returns the last rows of the piece's own scans, or neutral elements if it has no rows. */
  private List<Var> lastRows(Builder b) {
    var neutral = screma.scans().stream().flatMap(s -> s.neutral().stream()).toList();
    var rows = ownRows(b);
    var parts = own.stream().map(v -> b.bind("part", new Alias(v))).toList();
    var last = b.sub(rows, Atom.i64(1));
    var empty = b.compare(CompareOp.EQ, rows, Atom.i64(0));
    var types = own.stream().map(v -> Builder.rowType(v.type())).toList();
    return b.ifThenElse(
        empty, types, _ -> neutral, in -> parts.stream().map(p -> in.index(p, last)).toList());
  }

  /** Returns an operator that reduces the same operands instead of scanning them. */
  private Screma reductions(Builder b) {
    int n = screma.scanWidth();
    var operands = new Renaming().lambda(results(screma.map(), i -> i < n));
    var reduces =
        screma.scans().stream()
            .map(s -> new Reduce(new Renaming().lambda(s.op()), s.neutral(), false))
            .toList();
    return new Screma(screma.width(), inputs(b), List.of(), reduces, operands);
  }

  /** Combines what comes before the piece with its own scans. */
  private void combined(Builder b, List<List<Var>> preceding) {
    int at = 0;
    Atom piece = pieces.piece();
    if (backwards) {
      piece = b.sub(b.sub(pieces.pieces(), Atom.i64(1)), piece);
    }
    var place = piece;
    for (int k = 0; k < screma.scans().size(); k++) {
      var scan = screma.scans().get(k);
      int size = scan.neutral().size();
      var before = preceding.get(k).stream().map(p -> b.index(p, place)).toList();
      var rows = own.subList(at, at + size);
      var lambda =
          b.lambda(
              rows.stream().map(r -> Builder.rowType(r.type())).toList(),
              (in, xs) -> {
                var operands = new ArrayList<Atom>(before);
                operands.addAll(xs);
                return in.call(scan.op(), operands);
              });
      var results = stm.pattern().subList(at, at + size);
      var all = backwards ? results.stream().map(Names::like).toList() : results;
      b.bindAll(all, new Screma(screma.width(), rows, List.of(), List.of(), lambda));
      for (int i = 0; backwards && i < size; i++) {
        b.bindAll(List.of(results.get(i)), reversal(all.get(i), lastRow(b)));
      }
      at += size;
    }
  }
}
