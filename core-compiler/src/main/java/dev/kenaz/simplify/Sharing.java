package dev.kenaz.simplify;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which arrays may share memory with one that is consumed somewhere in the program: such an array
 * must not be merged with an equal one, nor read at a later place than before. Coarse: classes of
 * variables, regardless of the order of statements.
 */
public final class Sharing implements Rewriter {
  private final Map<Var, Var> parents = new HashMap<>();
  private final Set<Var> consumed = new HashSet<>();
  private final Set<Var> roots = new HashSet<>();

  private Sharing() {}

  public static Sharing of(CoreProgram program) {
    var s = new Sharing();
    s.program(program);
    s.consumed.forEach(v -> s.roots.add(s.root(v)));
    return s;
  }

  /** Whether the array, or one that shares memory with it, is consumed. */
  public boolean consumed(Atom atom) {
    return atom instanceof Var v
        && !v.type().isScalar()
        && (v.type() instanceof Type.Acc || roots.contains(root(v)));
  }

  /** One variable for all that may share memory with this one. */
  public Var classOf(Var v) {
    return root(v);
  }

  private Var root(Var v) {
    var parent = parents.get(v);
    if (parent == null) {
      return v;
    }
    var root = root(parent);
    parents.put(v, root);
    return root;
  }

  private void join(Atom a, Atom b) {
    if (a instanceof Var x && b instanceof Var y && x.type().isArray()) {
      var rx = root(x);
      var ry = root(y);
      if (!rx.equals(ry)) {
        parents.put(rx, ry);
      }
    }
  }

  private void joinAll(List<? extends Atom> xs, List<? extends Atom> ys) {
    for (int i = 0; i < Math.min(xs.size(), ys.size()); i++) {
      join(xs.get(i), ys.get(i));
    }
  }

  @Override
  public Atom atom(Atom atom) {
    return atom;
  }

  @Override
  public Type type(Type type) {
    return type;
  }

  @Override
  public List<Stm> stm(Stm stm) {
    var pattern = stm.pattern();
    switch (stm.exp()) {
      case Copied(var x) -> join(pattern.getFirst(), x);
      case Trace(_, var x) -> join(pattern.getFirst(), x);
      case Index(var a, _, _) -> join(pattern.getFirst(), a);
      case Slice(var a, _, _) -> join(pattern.getFirst(), a);
      case Rearrange(_, var a) -> join(pattern.getFirst(), a);
      case Reshape(_, var a) -> join(pattern.getFirst(), a);
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
      case Unary _,
          Binary _,
          Compare _,
          Fma _,
          Convert _,
          Assert _,
          Iota _,
          Replicate _,
          Scratch _,
          ArrayLit _,
          Concat _,
          Fresh _,
          UpdateAcc _ -> {}
    }
    return Rewriter.super.stm(stm);
  }

  private void operator(Lambda op, List<Atom> neutral) {
    joinAll(op.params(), neutral);
  }
}
