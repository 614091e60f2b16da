package dev.kenaz.fuse;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Attr;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Substitution;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Makes one of two parallel operators (002 §3.4, figure 14).
 *
 * <p>Vertically, {@code map g (map f xs) = map (g . f) xs}, for consumers of every kind: the
 * producer's maps may feed a map, reduction, scan, histogram, scatter or filter; what it reduces or
 * scans may not, for that is known only at the end. Horizontally, two operators of one width become
 * one with both lambdas side by side: {@code (map f xs, map g xs) = map (\x -> (f x, g x)) xs}. The
 * producer's results are all kept: dead-code removal takes away those that nothing else uses.
 */
final class Join {
  private Join() {}

  /** Returns the mapped results of a statement, which exist row by row. */
  static List<Var> mapped(Stm stm) {
    return stm.exp() instanceof Screma s
        ? stm.pattern().subList(s.scanWidth() + s.reduceWidth(), stm.pattern().size())
        : List.of();
  }

  /** The arrays whose rows the lambda gets; empty if the expression is no such operator. */
  static List<Var> inputs(Exp exp) {
    return switch (exp) {
      case Screma s -> s.inputs();
      case Hist h -> h.inputs();
      case Scatter s -> s.inputs();
      case Filter f -> f.inputs();
      default -> List.of();
    };
  }

  static Optional<Atom> width(Exp exp) {
    return switch (exp) {
      case Screma s -> Optional.of(s.width());
      case Hist h -> Optional.of(h.width());
      case Scatter s -> Optional.of(s.width());
      case Filter f -> Optional.of(f.width());
      default -> Optional.empty();
    };
  }

  /**
   * Fuses the producer into the consumer. The caller has made sure that they have one width, that
   * the consumer uses the producer's results only as inputs, and only mapped ones; and, for a
   * histogram, scatter or filter, that nothing else uses them.
   */
  static Stm vertical(Stm producer, Stm consumer) {
    var p = (Screma) producer.exp();
    return switch (consumer.exp()) {
      case Screma c -> screma(producer, p, consumer, c);
      case Hist c -> {
        var map = compose(producer, p, c.inputs(), c.map());
        yield consumer.with(
            new Hist(
                c.width(), remaining(producer, p, c.inputs()), c.ops(), results(map, c.map())));
      }
      case Scatter c -> {
        var map = compose(producer, p, c.inputs(), c.map());
        yield consumer.with(
            new Scatter(
                c.width(), remaining(producer, p, c.inputs()), c.dests(), results(map, c.map())));
      }
      case Filter c -> {
        var map = compose(producer, p, c.inputs(), c.map());
        yield consumer.with(
            new Filter(c.width(), remaining(producer, p, c.inputs()), results(map, c.map())));
      }
      default -> throw new IllegalArgumentException("no consumer");
    };
  }

  private static Lambda results(Lambda map, Lambda from) {
    return new Lambda(
        map.params(), new Body(map.body().stms(), from.body().results()), from.returns());
  }

  private static List<Var> remaining(Stm producer, Screma p, List<Var> inputs) {
    var all = new ArrayList<>(p.inputs());
    inputs.stream().filter(in -> !producer.pattern().contains(in)).forEach(all::add);
    return all;
  }

  /** Puts both lambdas' statements into one lambda, whose results are to be filled in. */
  private static Lambda compose(Stm producer, Screma p, List<Var> inputs, Lambda c) {
    var params = new ArrayList<>(p.map().params());
    var stms = new ArrayList<>(p.map().body().stms());
    for (int i = 0; i < inputs.size(); i++) {
      int from = producer.pattern().indexOf(inputs.get(i));
      if (from >= 0) {
        var row = p.map().body().results().get(from);
        stms.add(new Stm(List.of(c.params().get(i)), new Alias(row), producer.span()));
      } else {
        params.add(c.params().get(i));
      }
    }
    stms.addAll(c.body().stms());
    return new Lambda(params, new Body(stms, List.of()), List.of());
  }

  private static Stm screma(Stm producer, Screma p, Stm consumer, Screma c) {
    var map = compose(producer, p, c.inputs(), c.map());
    var scans = new ArrayList<>(p.scans());
    scans.addAll(c.scans());
    var reduces = new ArrayList<>(p.reduces());
    reduces.addAll(c.reduces());
    var pattern = new ArrayList<Var>();
    var results = new ArrayList<Atom>();
    var returns = new ArrayList<Type>();
    int[][] parts = {
      {0, p.scanWidth(), c.scanWidth()},
      {1, p.reduceWidth(), c.reduceWidth()},
      {2, mapped(producer).size(), mapped(consumer).size()}
    };
    int fromP = 0;
    int fromC = 0;
    for (var part : parts) {
      take(producer, p, fromP, part[1], pattern, results, returns);
      take(consumer, c, fromC, part[2], pattern, results, returns);
      fromP += part[1];
      fromC += part[2];
    }
    withoutPassedOn(producer, c, pattern, results, returns);
    var body = new Body(map.body().stms(), results);
    var fused =
        new Screma(
            c.width(),
            remaining(producer, p, c.inputs()),
            scans,
            reduces,
            new Lambda(map.params(), body, returns));
    return new Stm(pattern, fused, attrs(producer, consumer), consumer.span());
  }

  private static void take(
      Stm stm,
      Screma s,
      int from,
      int count,
      List<Var> pattern,
      List<Atom> results,
      List<Type> types) {
    pattern.addAll(stm.pattern().subList(from, from + count));
    results.addAll(s.map().body().results().subList(from, from + count));
    types.addAll(s.map().returns().subList(from, from + count));
  }

  /** Removes results of the producer that are accumulators with which the consumer goes on. */
  private static void withoutPassedOn(
      Stm producer, Screma c, List<Var> pattern, List<Atom> results, List<Type> returns) {
    for (int k = pattern.size() - 1; k >= 0; k--) {
      var v = pattern.get(k);
      if (v.type() instanceof Type.Acc
          && producer.pattern().contains(v)
          && c.inputs().contains(v)) {
        pattern.remove(k);
        results.remove(k);
        returns.remove(k);
      }
    }
  }

  private static List<Attr> attrs(Stm a, Stm b) {
    var all = new LinkedHashSet<>(a.attrs());
    all.addAll(b.attrs());
    return List.copyOf(all);
  }

  /**
   * Joins two branches on one condition; the later may use the results of the earlier.
   *
   * @param left results of the earlier that something uses after both
   */
  static Stm branches(Stm first, Stm second, List<Var> left) {
    var a = (If) first.exp();
    var b = (If) second.exp();
    var pattern = new ArrayList<>(left);
    pattern.addAll(second.pattern());
    return new Stm(
        pattern,
        new If(
            a.condition(),
            sequence(a.then(), first.pattern(), left, b.then()),
            sequence(a.otherwise(), first.pattern(), left, b.otherwise())),
        attrs(first, second),
        second.span());
  }

  private static Body sequence(Body first, List<Var> pattern, List<Var> left, Body second) {
    var later = Substitution.of(pattern, first.results()).body(second);
    var stms = new ArrayList<>(first.stms());
    stms.addAll(later.stms());
    var results = new ArrayList<Atom>();
    left.forEach(v -> results.add(first.results().get(pattern.indexOf(v))));
    results.addAll(later.results());
    return new Body(stms, results);
  }

  /** Joins two operators side by side, of which neither uses the other's results. */
  static Stm horizontal(Stm first, Stm second) {
    return switch (second.exp()) {
      case Screma c -> screma(first, (Screma) first.exp(), second, c);
      case Hist c -> hists(first, (Hist) first.exp(), second, c);
      default -> throw new IllegalArgumentException("not joined");
    };
  }

  private static Stm hists(Stm first, Hist a, Stm second, Hist b) {
    var inputs = new ArrayList<>(a.inputs());
    inputs.addAll(b.inputs());
    var params = new ArrayList<>(a.map().params());
    params.addAll(b.map().params());
    var ops = new ArrayList<>(a.ops());
    ops.addAll(b.ops());
    var stms = new ArrayList<>(a.map().body().stms());
    stms.addAll(b.map().body().stms());
    var pattern = new ArrayList<>(first.pattern());
    pattern.addAll(second.pattern());
    int ia = a.ops().stream().mapToInt(o -> o.shape().size()).sum();
    int ib = b.ops().stream().mapToInt(o -> o.shape().size()).sum();
    var map =
        new Lambda(
            params,
            new Body(stms, interleave(a.map().body().results(), ia, b.map().body().results(), ib)),
            interleave(a.map().returns(), ia, b.map().returns(), ib));
    return new Stm(
        pattern, new Hist(a.width(), inputs, ops, map), attrs(first, second), second.span());
  }

  private static <T> List<T> interleave(List<T> a, int fromA, List<T> b, int fromB) {
    return Lists.concat(
        a.subList(0, fromA),
        b.subList(0, fromB),
        a.subList(fromA, a.size()),
        b.subList(fromB, b.size()));
  }

  /** Returns the variables that an operator uses other than as inputs. */
  static Set<Var> otherUses(Exp exp) {
    var used = new HashSet<Var>();
    switch (exp) {
      case Screma s -> {
        used.addAll(FreeVars.of(s.map()));
        s.scans().forEach(x -> used.addAll(FreeVars.of(x.op())));
        s.scans().forEach(x -> used.addAll(FreeVars.of(x.neutral())));
        s.reduces().forEach(x -> used.addAll(FreeVars.of(x.op())));
        s.reduces().forEach(x -> used.addAll(FreeVars.of(x.neutral())));
        used.addAll(FreeVars.of(List.of(s.width())));
      }
      case Hist h -> {
        used.addAll(FreeVars.of(h.map()));
        for (var op : h.ops()) {
          used.addAll(FreeVars.of(op.op()));
          used.addAll(FreeVars.of(op.neutral()));
          used.addAll(FreeVars.of(op.shape()));
          used.addAll(FreeVars.of(op.dests()));
        }
      }
      case Scatter s -> {
        used.addAll(FreeVars.of(s.map()));
        for (var d : s.dests()) {
          used.addAll(FreeVars.of(d.shape()));
          used.add(d.dest());
        }
      }
      case Filter f -> used.addAll(FreeVars.of(f.map()));
      default -> used.addAll(FreeVars.of(exp));
    }
    return used;
  }
}
