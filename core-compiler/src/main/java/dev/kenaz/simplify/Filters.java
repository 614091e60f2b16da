package dev.kenaz.simplify;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.Filter;
import dev.kenaz.ir.Exp.Scan;
import dev.kenaz.ir.Exp.Scatter;
import dev.kenaz.ir.Exp.ScatterDest;
import dev.kenaz.ir.Exp.Scratch;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.pass.Pass;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;

/**
 * Filters by what every thread can do: a scan counts what is kept, and a scatter writes each
 * element that is kept where its count says, into arrays as long as the last count.
 */
public final class Filters implements CodeRewriter {
  /** This pass is for backends with many threads, which have no operator for filters. */
  public static final Pass<CoreProgram, CoreProgram> PASS =
      Pass.of(
          "filters",
          "Makes a scan and a scatter of each filter.",
          p -> new Filters(_ -> true).program(p));

  private final Predicate<Stm> which;

  private Filters(Predicate<Stm> which) {
    this.which = which;
  }

  /**
   * Replaces those filters for which the condition holds. Returns the lambda itself if there is
   * none.
   */
  public static Lambda in(Lambda f, Predicate<Stm> which) {
    return new Filters(which).lambda(f);
  }

  /**
   * Replaces the filters inside parallel operators and recursive functions, which run on one
   * thread, and those that do so by the user's will.
   *
   * @param sequential whether a statement runs on one thread by the user's will
   */
  public static CoreProgram inside(CoreProgram program, Predicate<Stm> sequential) {
    return program.with(
        program.functions().stream()
            .map(
                f ->
                    f.recursive()
                        ? new Filters(_ -> true).function(f)
                        : new Inside(sequential).function(f))
            .toList());
  }

  private record Inside(Predicate<Stm> sequential) implements CodeRewriter {
    @Override
    public List<Stm> stm(Stm stm) {
      if (sequential.test(stm)) {
        return new Filters(_ -> true).stm(stm);
      }
      return stm.exp() instanceof Exp.Soac
          ? new Filters(s -> !s.pattern().equals(stm.pattern())).stm(stm)
          : CodeRewriter.super.stm(stm);
    }
  }

  @Override
  public List<Stm> stm(Stm stm) {
    var inner = CodeRewriter.super.stm(stm).getFirst();
    if (!(inner.exp() instanceof Filter f) || !which.test(inner)) {
      return List.of(inner);
    }
    var b = new Builder(stm.span());
    expand(b.with(stm.attrs()), stm.pattern(), f);
    return b.stms();
  }

  private static void expand(Builder b, List<Var> pattern, Filter f) {
    var made = f.map().body().results();
    var computed = made.stream().filter(r -> !f.map().params().contains(r)).toList();
    var scanned = b.bindAll("kept", counting(b, f, computed));
    var counts = scanned.getFirst();
    var inputs = new ArrayList<Var>(List.of(counts));
    for (var r : made) {
      int at = f.map().params().indexOf(r);
      inputs.add(at >= 0 ? f.inputs().get(at) : scanned.get(1 + computed.indexOf(r)));
    }
    var count = pattern.getFirst();
    b.bindAll(List.of(count), last(b, counts, f.width()));
    if (pattern.size() == 1) {
      return;
    }
    var dests = new ArrayList<ScatterDest>();
    for (var v : pattern.subList(1, pattern.size())) {
      var memory = b.bind("scratch", new Scratch(v.type().elemPrim(), v.type().dims()));
      dests.add(new ScatterDest(List.of(count), memory));
    }
    var types = inputs.stream().map(v -> Builder.rowType(v.type())).toList();
    var map = b.lambda(types, (c, row) -> places(c, row, dests.size()));
    b.bindAll(pattern.subList(1, pattern.size()), new Scatter(f.width(), inputs, dests, map));
  }

  /** The counts, and what the filter's function computes. */
  private static Exp counting(Builder b, Filter f, List<Atom> computed) {
    var body = new Builder(b.span()).addAll(f.map().body().stms());
    var results = new ArrayList<Atom>();
    results.add(body.convert(Prim.I64, f.map().body().results().getFirst()));
    results.addAll(computed);
    var types = results.stream().map(Atom::type).toList();
    var add = new Scan(b.operator(BinaryOp.ADD, Prim.I64), List.of(Atom.i64(0)));
    return new Exp.Screma(
        f.width(),
        f.inputs(),
        List.of(add),
        List.of(),
        new Lambda(f.map().params(), body.body(results), types));
  }

  /** The last of the counts, if there is one. */
  private static Exp last(Builder b, Var counts, Atom width) {
    var otherwise = b.inner();
    var at = otherwise.add(width, Atom.i64(-1));
    var last = otherwise.index(counts, at);
    return new Exp.If(
        b.compare(CompareOp.EQ, width, Atom.i64(0)),
        new Body(List.of(), List.of(Atom.i64(0))),
        otherwise.body(List.of(last)));
  }

  /** Returns where the row's values go, and the values. */
  private static List<Atom> places(Builder b, List<Var> row, int n) {
    var then = b.inner();
    var place = then.body(List.of(then.add(row.getFirst(), Atom.i64(-1))));
    var none = new Body(List.of(), List.of(Atom.i64(-1)));
    var at = b.bind("at", Type.I64, new Exp.If(row.get(1), place, none));
    return Lists.concat(Collections.nCopies(n, at), row.subList(2, row.size()));
  }
}
