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
import java.util.Map;

/**
 * Interchanges a scan or reduction whose operator is a nest of maps with the nest (002 §4.2, ISWIM
 * and IRWIM).
 *
 * <pre>
 *   scan (map2 (+)) ne a    is  transpose (map2 (\e x -> scan (+) e x) ne (transpose a))
 *   reduce (map2 (+)) ne a  is             map2 (\e x -> reduce (+) e x) ne (transpose a)
 * </pre>
 *
 * <p>The rule is applied level by level, so to nests of any depth. What the operator's function
 * maps becomes a map of its own before, which fuses with the transposition where it can. Of several
 * operators, or one on tuples, each that is such a nest is taken out first, see {@link
 * OperatorFission}. The rule is not applied inside other operators where the function makes rows in
 * another way than by mapping: one thread would have to keep them all.
 */
final class Interchange implements CodeRewriter {
  /** Whether the current code is in no function of a parallel operator. */
  private boolean outside = true;

  private Interchange() {}

  static CoreProgram run(CoreProgram program) {
    return new Interchange().program(program);
  }

  @Override
  public Lambda lambda(Lambda lambda) {
    boolean before = outside;
    outside = false;
    var result = CodeRewriter.super.lambda(lambda);
    outside = before;
    return result;
  }

  @Override
  public List<Stm> stm(Stm stm) {
    var inner = CodeRewriter.super.stm(stm).getFirst();
    return inner.exp() instanceof Screma s ? interchanged(inner, s) : List.of(inner);
  }

  private List<Stm> interchanged(Stm stm, Screma s) {
    if (!possible(s)) {
      return List.of(stm);
    }
    return outside || mapsOnly(s, s.scanWidth() + s.reduceWidth())
        ? always(stm, s, Map.of())
        : List.of(stm);
  }

  /** Whether an operator, or a component of one, is a nest of maps. */
  static boolean possible(Screma s) {
    return OperatorFission.any(s, op -> vectorised(op) != null);
  }

  /**
   * Interchanges whatever is possible, no matter what has to be kept for it.
   *
   * @param uniform for arrays of equal elements that element
   */
  static List<Stm> always(Stm stm, Screma s, Map<Var, Atom> uniform) {
    if (s.scans().size() + s.reduces().size() == 1 && !OperatorFission.several(s)) {
      return changed(stm, s, uniform);
    }
    var split = OperatorFission.of(stm, s, op -> vectorised(op) != null);
    var stms = new ArrayList<>(split.rest());
    for (var part : split.parts()) {
      var own = part.stm(stm, s.width());
      stms.addAll(changed(own, (Screma) own.exp(), uniform));
    }
    return stms;
  }

  /** Puts the statement's only operator inside the map that the operator was. */
  private static List<Stm> changed(Stm stm, Screma s, Map<Var, Atom> uniform) {
    boolean scan = s.reduces().isEmpty();
    var op = scan ? s.scans().getFirst().op() : s.reduces().getFirst().op();
    var neutral = scan ? s.scans().getFirst().neutral() : s.reduces().getFirst().neutral();
    var map = vectorised(op);
    var b = new Builder(stm.span());
    var rows = rows(b, stm, s, neutral.size());
    var columns = rows.stream().map(r -> transposed(b, r)).toList();
    boolean known = neutral.stream().allMatch(n -> known(n, uniform));
    var inputs = new ArrayList<Var>();
    if (!known) {
      neutral.forEach(n -> inputs.add((Var) n));
    }
    inputs.addAll(columns);
    var results =
        b.map(
            map.width(),
            inputs,
            (c, p) -> {
              var ne =
                  known
                      ? neutral.stream().map(n -> uniform.get((Var) n)).toList()
                      : List.<Atom>copyOf(p.subList(0, neutral.size()));
              var xs = p.subList(p.size() - columns.size(), p.size());
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
              : new Alias(results.get(k)));
    }
    return b.stms();
  }

  /** Whether all elements of a vector are the same one. */
  private static boolean known(Atom neutral, Map<Var, Atom> uniform) {
    return neutral instanceof Var v && uniform.containsKey(v) && v.type().dims().size() == 1;
  }

  /** The map, if it is all that the operator does on its own parameters. */
  static Screma vectorised(Lambda op) {
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
            && free.stream().noneMatch(v -> v.type() instanceof Type.Acc)
            && op.params().stream().allMatch(p -> p.type().isArray());
    return own && !op.params().contains(map.width()) ? map : null;
  }

  /** Whether the rows exist, or are made by mapping. */
  private static boolean mapsOnly(Screma s, int operands) {
    var body = s.map().body();
    return body.results().subList(0, operands).stream()
        .allMatch(
            r ->
                r.type().isScalar()
                    || s.map().params().contains(r)
                    || body.stms().stream()
                        .anyMatch(
                            t ->
                                t.pattern().contains(r)
                                    && t.exp() instanceof Screma m
                                    && m.isMap()));
  }

  /** The operands, row by row; binds the mapped results. */
  private static List<Var> rows(Builder b, Stm stm, Screma s, int operands) {
    var body = s.map().body();
    if (operands == body.results().size()
        && s.inputs().size() == operands
        && body.results().equals(List.<Atom>copyOf(s.map().params()))) {
      return s.inputs();
    }
    var all = b.screma(s.width(), s.inputs(), List.of(), List.of(), s.map());
    for (int k = operands; k < all.size(); k++) {
      b.bindAll(List.of(stm.pattern().get(k)), new Alias(all.get(k)));
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
  static Lambda element(Builder b, Screma map, Lambda op) {
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
