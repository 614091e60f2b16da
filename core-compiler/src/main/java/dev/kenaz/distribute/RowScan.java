package dev.kenaz.distribute;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
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
  private final Builder totals;
  private final List<Var> own;
  private final List<Var> sums;

  private RowScan(Spaces spaces, Pieces pieces, Stm stm, Screma screma, boolean keeps) {
    this.spaces = spaces;
    this.pieces = pieces;
    this.stm = stm;
    this.screma = screma;
    this.keeps = keeps;
    this.totals = new Builder(stm.span());
    this.own = stm.pattern().subList(0, screma.scanWidth()).stream().map(Names::like).toList();
    if (keeps) {
      totals.with(stm.attrs()).bindAll(own, scans());
    }
    this.sums = keeps ? lastRows(totals) : totals.bindAll("sum", reductions());
  }

  /**
   * @param keeps whether pieces can keep rows between stages
   */
  static Optional<RowScan> of(Spaces spaces, Pieces pieces, Stm stm, boolean keeps) {
    return stm.exp() instanceof Screma s && spaces.has(s.width()) && !s.scans().isEmpty()
        ? Optional.of(new RowScan(spaces, pieces, stm, s, keeps))
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
      var parts = all.subList(at, at + size);
      preceding.add(Scans.exclusive(prefixes, pieces.pieces(), parts, scan.op(), scan.neutral()));
      at += size;
    }
    var scanned = new Builder(stm.span());
    var others = stm.pattern().subList(n, stm.pattern().size());
    if (!keeps) {
      var pattern = new ArrayList<>(own);
      pattern.addAll(others);
      scanned.with(stm.attrs()).bindAll(pattern, screma);
    } else if (!others.isEmpty()) {
      scanned.with(stm.attrs()).bindAll(others, maps());
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

  private Screma scans() {
    var operands = results(screma.map(), i -> i < screma.scanWidth());
    return new Screma(screma.width(), screma.inputs(), screma.scans(), List.of(), operands);
  }

  private Screma maps() {
    var rows = new Renaming().lambda(results(screma.map(), i -> i >= screma.scanWidth()));
    return new Screma(screma.width(), screma.inputs(), List.of(), List.of(), rows);
  }

  /** Returns the last rows of the piece's own scans, or neutral elements if it has no rows. */
  private List<Var> lastRows(Builder b) {
    var neutral = screma.scans().stream().flatMap(s -> s.neutral().stream()).toList();
    // These aren't the numbers of rows of the whole.
    var rows = b.bind("rows", new Alias(screma.width()));
    spaces.addOwn(rows);
    var parts = own.stream().map(v -> b.bind("part", new Alias(v))).toList();
    var last = b.sub(rows, Atom.i64(1));
    var empty = b.compare(CompareOp.EQ, rows, Atom.i64(0));
    var types = own.stream().map(v -> Builder.rowType(v.type())).toList();
    return b.ifThenElse(
        empty, types, _ -> neutral, in -> parts.stream().map(p -> in.index(p, last)).toList());
  }

  /** Returns an operator that reduces the same operands instead of scanning them. */
  private Screma reductions() {
    int n = screma.scanWidth();
    var operands = new Renaming().lambda(results(screma.map(), i -> i < n));
    var reduces =
        screma.scans().stream()
            .map(s -> new Reduce(new Renaming().lambda(s.op()), s.neutral(), false))
            .toList();
    return new Screma(screma.width(), screma.inputs(), List.of(), reduces, operands);
  }

  /** Combines what comes before the piece with its own scans. */
  private void combined(Builder b, List<List<Var>> preceding) {
    int at = 0;
    for (int k = 0; k < screma.scans().size(); k++) {
      var scan = screma.scans().get(k);
      int size = scan.neutral().size();
      var before = preceding.get(k).stream().map(p -> b.index(p, pieces.piece())).toList();
      var rows = own.subList(at, at + size);
      var lambda =
          b.lambda(
              rows.stream().map(r -> Builder.rowType(r.type())).toList(),
              (in, xs) -> {
                var operands = new ArrayList<Atom>(before);
                operands.addAll(xs);
                return in.call(scan.op(), operands);
              });
      b.bindAll(
          stm.pattern().subList(at, at + size),
          new Screma(screma.width(), rows, List.of(), List.of(), lambda));
      at += size;
    }
  }
}
