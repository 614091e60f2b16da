package dev.kenaz.fuse;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;

/**
 * ISWIM and IRWIM (seed 002 section 5.2): a scan or reduction whose operator is a nest of maps
 * changes places with the nest.
 *
 * <pre>
 *   scan (map2 (+)) ne a    is  transpose (map2 (\e x -> scan (+) e x) ne (transpose a))
 *   reduce (map2 (+)) ne a  is             map2 (\e x -> reduce (+) e x) ne (transpose a)
 * </pre>
 *
 * <p>Applied level by level, so to nests of any depth. What the operator's function maps becomes a
 * map of its own before, which fuses with the transposition where it can. Not done for reductions
 * whose function makes its rows in another way than by mapping: those rows would have to be kept.
 */
final class Interchange implements CodeRewriter {
  private Interchange() {}

  static CoreProgram run(CoreProgram program) {
    return new Interchange().program(program);
  }

  @Override
  public List<Stm> stm(Stm stm) {
    var inner = CodeRewriter.super.stm(stm).getFirst();
    return inner.exp() instanceof Screma s ? interchanged(inner, s) : List.of(inner);
  }

  private static List<Stm> interchanged(Stm stm, Screma s) {
    boolean one = s.scans().size() + s.reduces().size() == 1;
    if (!one) {
      return List.of(stm);
    }
    boolean scan = s.reduces().isEmpty();
    var op = scan ? s.scans().getFirst().op() : s.reduces().getFirst().op();
    var neutral = scan ? s.scans().getFirst().neutral() : s.reduces().getFirst().neutral();
    var map = vectorised(op);
    if (map == null
        || !neutral.stream().allMatch(n -> n instanceof Var)
        || FreeVars.of(op).stream().anyMatch(v -> v.type() instanceof Type.Acc)
        || !mapsOnly(s, neutral.size())) {
      return List.of(stm);
    }
    var b = new Builder(stm.span());
    var rows = rows(b, stm, s, neutral.size());
    var columns = rows.stream().map(r -> transposed(b, r)).toList();
    var inputs = new ArrayList<Var>();
    neutral.forEach(n -> inputs.add((Var) n));
    inputs.addAll(columns);
    var results =
        b.map(
            map.width(),
            inputs,
            (c, p) -> {
              var ne = List.<Atom>copyOf(p.subList(0, neutral.size()));
              var xs = p.subList(neutral.size(), p.size());
              var element = element(c, map, op);
              var identity =
                  c.lambda(xs.stream().map(x -> Builder.rowType(x.type())).toList(), (_, x) -> x);
              return scan
                  ? c.screma(s.width(), xs, List.of(new Scan(element, ne)), List.of(), identity)
                  : c.screma(
                      s.width(),
                      xs,
                      List.of(),
                      List.of(new Reduce(element, ne, s.reduces().getFirst().commutative())),
                      identity);
            });
    for (int k = 0; k < results.size(); k++) {
      var v = List.of(stm.pattern().get(k));
      b.bindAll(
          v,
          scan
              ? new Rearrange(swap(results.get(k).type()), results.get(k))
              : new Copied(results.get(k)));
    }
    return b.stms();
  }

  /** The map that is all that the operator does, on its own parameters. */
  private static Screma vectorised(Lambda op) {
    var stms = op.body().stms();
    if (stms.size() != 1
        || !(stms.getFirst().exp() instanceof Screma map)
        || !map.isMap()
        || !op.body().results().equals(List.<Atom>copyOf(stms.getFirst().pattern()))) {
      return null;
    }
    var free = FreeVars.of(map.map());
    boolean own =
        op.params().containsAll(map.inputs())
            && new HashSet<>(map.inputs()).size() == map.inputs().size()
            && op.params().stream().noneMatch(free::contains)
            && op.params().stream().allMatch(p -> p.type().isArray());
    return own && !op.params().contains(map.width()) ? map : null;
  }

  /** Whether the rows are there, or made by mapping. */
  private static boolean mapsOnly(Screma s, int operands) {
    var body = s.map().body();
    return body.results().subList(0, operands).stream()
        .allMatch(
            r ->
                s.map().params().contains(r)
                    || body.stms().stream()
                        .anyMatch(
                            t ->
                                t.pattern().contains(r)
                                    && t.exp() instanceof Screma m
                                    && m.isMap()));
  }

  /** The operands, row by row; the mapped results are bound. */
  private static List<Var> rows(Builder b, Stm stm, Screma s, int operands) {
    var body = s.map().body();
    if (operands == body.results().size()
        && s.inputs().size() == operands
        && body.results().equals(List.<Atom>copyOf(s.map().params()))) {
      return s.inputs();
    }
    var all = b.screma(s.width(), s.inputs(), List.of(), List.of(), s.map());
    for (int k = operands; k < all.size(); k++) {
      b.bindAll(List.of(stm.pattern().get(k)), new Copied(all.get(k)));
    }
    return all.subList(0, operands);
  }

  private static Var transposed(Builder b, Var rows) {
    return b.bind("tr", new Rearrange(swap(rows.type()), rows));
  }

  private static List<Integer> swap(Type type) {
    var perm = new ArrayList<>(List.of(1, 0));
    for (int d = 2; d < type.dims().size(); d++) {
      perm.add(d);
    }
    return perm;
  }

  /** The operator on elements of the outermost dimension. */
  private static Lambda element(Builder b, Screma map, Lambda op) {
    var types = op.params().stream().map(p -> Builder.rowType(p.type())).toList();
    return b.lambda(
        types,
        (c, p) -> {
          var names = new HashMap<Var, Atom>();
          for (int k = 0; k < map.inputs().size(); k++) {
            var from = op.params().indexOf(map.inputs().get(k));
            names.put(map.map().params().get(k), p.get(from));
          }
          return c.inline(new Renaming(names).body(map.map().body()));
        });
  }
}
