package dev.kenaz.distribute;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
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
 * them.
 *
 * <p>Gathering needs no new kind of stage: each piece contributes an array with one element for
 * each piece, of neutral elements except its own, and the scan's own operator combines those arrays
 * elementwise.
 */
final class RowScan {
  /**
   * The statements of the two stages.
   *
   * @param totals the local statements that compute a piece's contribution to {@code gathered}
   * @param gathered for each scan and each of its operands, the array of totals
   * @param prefixes the replicated statements that compute from the totals what precedes each piece
   * @param scanned the local statements that compute the whole statement's results
   */
  record Split(List<Stm> totals, List<List<Var>> gathered, List<Stm> prefixes, List<Stm> scanned) {}

  private final Pieces pieces;
  private final Stm stm;
  private final Screma screma;

  private RowScan(Pieces pieces, Stm stm, Screma screma) {
    this.pieces = pieces;
    this.stm = stm;
    this.screma = screma;
  }

  static Optional<Split> split(Spaces spaces, Pieces pieces, Stm stm) {
    return stm.exp() instanceof Screma s && spaces.has(s.width()) && !s.scans().isEmpty()
        ? Optional.of(new RowScan(pieces, stm, s).split())
        : Optional.empty();
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

  private Split split() {
    var totals = new Builder(stm.span());
    var sums = totals.bindAll("sum", reductions());
    var prefixes = new Builder(stm.span());
    var gathered = new ArrayList<List<Var>>();
    var preceding = new ArrayList<List<Var>>();
    int at = 0;
    for (var scan : screma.scans()) {
      int n = scan.neutral().size();
      var parts = gather(totals, scan, sums.subList(at, at + n));
      gathered.add(parts);
      preceding.add(Scans.exclusive(prefixes, pieces.pieces(), parts, scan.op(), scan.neutral()));
      at += n;
    }
    return new Split(totals.stms(), gathered, prefixes.stms(), scanned(preceding));
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

  private List<Var> gather(Builder b, Scan scan, List<Var> sums) {
    var parts = new ArrayList<Var>();
    for (int i = 0; i < sums.size(); i++) {
      var empty = b.replicate(List.of(pieces.pieces()), scan.neutral().get(i));
      parts.add(b.update(empty, List.of(pieces.piece()), sums.get(i)));
    }
    return parts;
  }

  private List<Stm> scanned(List<List<Var>> preceding) {
    int n = screma.scanWidth();
    var b = new Builder(stm.span());
    var own = stm.pattern().subList(0, n).stream().map(Names::like).toList();
    var pattern = new ArrayList<Var>(own);
    pattern.addAll(stm.pattern().subList(n, stm.pattern().size()));
    b.with(stm.attrs()).bindAll(pattern, screma);
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
    return b.stms();
  }
}
