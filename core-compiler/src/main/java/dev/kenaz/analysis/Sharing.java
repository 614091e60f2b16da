package dev.kenaz.analysis;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.ir.Views;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds which arrays may share memory with one that is consumed somewhere in the program: such an
 * array must not be merged with an equal one, nor read at a later place than before. The answer is
 * coarse: there are classes of variables, regardless of the order of statements.
 *
 * <p>It promises that arrays of different classes share no memory anywhere in the program. What an
 * update makes is in a class of its own, as the array that it overwrites is gone by then. A call is
 * taken to consume its arguments and to return parts of them. {@link Aliases} knows more, about a
 * piece of code.
 */
public final class Sharing implements CodeRewriter {
  private final DisjointSets<Var> classes = new DisjointSets<>();
  private final Set<Var> consumed = new HashSet<>();
  private final Set<Var> roots = new HashSet<>();

  private Sharing() {}

  public static Sharing of(CoreProgram program) {
    var s = new Sharing();
    s.program(program);
    s.consumed.forEach(v -> s.roots.add(s.classes.of(v)));
    return s;
  }

  /** Whether the array, or one that shares memory with it, is consumed. */
  public boolean consumed(Atom atom) {
    return atom instanceof Var v
        && !v.type().isScalar()
        && (v.type() instanceof Type.Acc || roots.contains(classes.of(v)));
  }

  /** Returns the variable that stands for all variables that may share memory with this one. */
  public Var classOf(Var v) {
    return classes.of(v);
  }

  private void join(Atom a, Atom b) {
    if (a instanceof Var x && b instanceof Var y && x.type().isArray()) {
      classes.join(x, y);
    }
  }

  private void joinAll(List<? extends Atom> xs, List<? extends Atom> ys) {
    for (int i = 0; i < Math.min(xs.size(), ys.size()); i++) {
      join(xs.get(i), ys.get(i));
    }
  }

  @Override
  public List<Stm> stm(Stm stm) {
    var pattern = stm.pattern();
    Views.operand(stm.exp()).ifPresent(a -> join(pattern.getFirst(), a));
    switch (stm.exp()) {
      case Update(var a, _, _, _) -> consumed.add(a);
      case If(_, var then, var otherwise) -> {
        joinAll(pattern, then.results());
        joinAll(pattern, otherwise.results());
      }
      case Loop loop -> {
        for (int i = 0; i < pattern.size(); i++) {
          var p = loop.params().get(i);
          join(pattern.get(i), p.var());
          join(pattern.get(i), p.init());
          join(pattern.get(i), loop.body().results().get(i));
        }
      }
      case Apply(_, var xs) -> {
        for (var x : xs) {
          if (x instanceof Var v && v.type().isArray()) {
            consumed.add(v);
            pattern.forEach(p -> join(p, v));
          }
        }
      }
      case Screma(_, var ins, var scans, var reduces, var map) -> {
        joinAll(map.params(), ins);
        scans.forEach(s -> operator(s.op(), s.neutral()));
        reduces.forEach(r -> operator(r.op(), r.neutral()));
      }
      case Hist(_, var ins, var ops, var map) -> {
        joinAll(map.params(), ins);
        ops.forEach(o -> operator(o.op(), o.neutral()));
        ops.forEach(o -> consumed.addAll(o.dests()));
      }
      case Scatter(_, var ins, var dests, var map) -> {
        joinAll(map.params(), ins);
        dests.forEach(d -> consumed.add(d.dest()));
      }
      case Filter(_, var ins, var map) -> joinAll(map.params(), ins);
      case WithAcc(var ins, var body) -> {
        ins.forEach(in -> in.combine().ifPresent(c -> operator(c.op(), c.neutral())));
        ins.forEach(in -> consumed.addAll(in.arrays()));
        int arrays = ins.stream().mapToInt(in -> in.arrays().size()).sum();
        joinAll(
            pattern.subList(arrays, pattern.size()),
            body.body().results().subList(ins.size(), body.body().results().size()));
      }
      case Jvp(var f, var xs, _, _) -> joinAll(f.params(), xs);
      case Vjp(var f, var xs, _, _) -> joinAll(f.params(), xs);
      case WithVjp(var f, _, var rule, var xs) -> {
        joinAll(f.params(), xs);
        joinAll(rule.params(), xs);
      }
      case Simple _ -> {}
    }
    return CodeRewriter.super.stm(stm);
  }

  private void operator(Lambda op, List<Atom> neutral) {
    joinAll(op.params(), neutral);
  }
}
