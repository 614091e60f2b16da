package dev.kenaz.fuse;

import dev.kenaz.analysis.Operators;
import dev.kenaz.analysis.UniformArrays;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import dev.kenaz.simplify.OperatorInterchange;
import java.util.ArrayList;
import java.util.List;

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
        ? always(stm, s, new UniformArrays())
        : List.of(stm);
  }

  /** Whether an operator, or a component of one, is a nest of maps. */
  static boolean possible(Screma s) {
    return OperatorFission.any(s, op -> Operators.ofRows(op).isPresent());
  }

  /** Interchanges whatever is possible, no matter what has to be kept for it. */
  static List<Stm> always(Stm stm, Screma s, UniformArrays uniform) {
    if (s.scans().size() + s.reduces().size() == 1 && !OperatorFission.several(s)) {
      return changed(stm, s, uniform);
    }
    var split = OperatorFission.of(stm, s, op -> Operators.ofRows(op).isPresent());
    var stms = new ArrayList<>(split.rest());
    for (var part : split.parts()) {
      var own = part.stm(stm, s.width());
      stms.addAll(changed(own, (Screma) own.exp(), uniform));
    }
    return stms;
  }

  /** Puts the statement's only operator inside the map that the operator was. */
  private static List<Stm> changed(Stm stm, Screma s, UniformArrays uniform) {
    var b = new Builder(stm.span());
    var rows = rows(b, stm, s);
    var results = stm.pattern().subList(0, rows.size());
    var interchange = new OperatorInterchange(b, rows, uniform);
    for (var scan : s.scans()) {
      interchange.scan(results, scan, Operators.ofRows(scan.op()).orElseThrow());
    }
    for (var reduce : s.reduces()) {
      interchange.reduce(results, reduce, Operators.ofRows(reduce.op()).orElseThrow());
    }
    return b.stms();
  }

  /** Whether the rows are there, or made by mapping. */
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

  /** The operands, row by row; the mapped results are bound. */
  private static List<Var> rows(Builder b, Stm stm, Screma s) {
    int operands = s.scanWidth() + s.reduceWidth();
    if (operands == s.map().returns().size() && s.map().isIdentity()) {
      return s.inputs();
    }
    var all = b.screma(s.width(), s.inputs(), List.of(), List.of(), s.map());
    for (int k = operands; k < all.size(); k++) {
      b.bindAll(List.of(stm.pattern().get(k)), new Alias(all.get(k)));
    }
    return all.subList(0, operands);
  }
}
