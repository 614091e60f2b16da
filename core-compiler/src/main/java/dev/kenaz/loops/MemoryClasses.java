package dev.kenaz.loops;

import dev.kenaz.analysis.DisjointSets;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Var;
import dev.kenaz.ir.Views;
import dev.kenaz.segir.SegBody;
import dev.kenaz.segir.SegExp;
import dev.kenaz.segir.SegOp;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds which variables of seg IR may be given the same memory, and whether that is ever
 * overwritten. Unlike {@link dev.kenaz.analysis.Sharing}, which is about arrays that can still be
 * used, it puts what an update makes with what the update overwrites, and what a reduction makes
 * with what its operator returns. The answer is coarse: there are classes of variables, regardless
 * of the order of statements.
 */
final class MemoryClasses {
  private final DisjointSets<Var> classes = new DisjointSets<>();
  private final Set<Var> consumed = new HashSet<>();

  private MemoryClasses() {}

  static MemoryClasses of(SegBody body) {
    var c = new MemoryClasses();
    c.body(body);
    var groups = new HashSet<Var>();
    c.consumed.forEach(v -> groups.add(c.classes.of(v)));
    c.consumed.addAll(groups);
    return c;
  }

  /** Whether the array, or one that may share its memory, is overwritten somewhere. */
  boolean consumed(Var v) {
    return consumed.contains(classes.of(v));
  }

  boolean mayShare(Var a, Atom b) {
    return b instanceof Var v && classes.of(a).equals(classes.of(v));
  }

  private void join(Var a, Atom b) {
    if (b instanceof Var v && a.type().isArray()) {
      classes.join(a, v);
    }
  }

  private void joinAll(List<Var> as, List<? extends Atom> bs) {
    for (int i = 0; i < as.size(); i++) {
      join(as.get(i), bs.get(i));
    }
  }

  private void body(SegBody body) {
    body.stms().forEach(stm -> exp(stm.pattern(), stm.exp()));
  }

  private void lambda(Lambda lambda) {
    body(SegBody.sequential(lambda.body()));
  }

  private void exp(List<Var> pattern, SegExp exp) {
    switch (exp) {
      case SegExp.Plain(var e) -> plain(pattern, e);
      case SegExp.Branch(_, var then, var otherwise) -> {
        body(then);
        body(otherwise);
        joinAll(pattern, then.results());
        joinAll(pattern, otherwise.results());
      }
      case SegExp.Iterate(var params, _, var body) -> {
        body(body);
        var vars = params.stream().map(LoopParam::var).toList();
        joinAll(vars, params.stream().map(LoopParam::init).toList());
        joinAll(vars, body.results());
        joinAll(pattern, vars);
      }
      case SegExp.Accumulate(var inputs, _, var body) -> {
        body(body);
        int k = 0;
        for (var in : inputs) {
          in.combine().ifPresent(c -> lambda(c.op()));
          for (var a : in.arrays()) {
            consumed.add(a);
            join(pattern.get(k++), a);
          }
        }
        for (int i = inputs.size(); i < body.results().size(); i++) {
          join(pattern.get(k++), body.results().get(i));
        }
      }
      case SegExp.Versions(_, var wide, var narrow) -> {
        body(wide);
        body(narrow);
        joinAll(pattern, wide.results());
        joinAll(pattern, narrow.results());
      }
      case SegExp.Par(var op) -> {
        body(op.body());
        segOp(pattern, op);
      }
    }
  }

  private void segOp(List<Var> pattern, SegOp op) {
    switch (op) {
      case SegOp.SegMap _, SegOp.SegFilter _ -> {}
      case SegOp.SegRed r -> reduces(pattern, 0, r.reduces());
      case SegOp.SegScan s -> reduces(pattern, scans(s.scans()), s.reduces());
      case SegOp.SegHist h -> histOps(pattern, h.ops());
      case SegOp.SegScatter s -> dests(pattern, s.dests());
    }
  }

  private int scans(List<Scan> scans) {
    int k = 0;
    for (var s : scans) {
      fold(s.op(), s.neutral());
      k += s.neutral().size();
    }
    return k;
  }

  private void reduces(List<Var> pattern, int from, List<Reduce> reduces) {
    int k = from;
    for (var r : reduces) {
      fold(r.op(), r.neutral());
      for (var result : r.op().body().results()) {
        join(pattern.get(k++), result);
      }
    }
  }

  /** Left operands hold what the operator returned before; right ones are only read. */
  private void fold(Lambda op, List<Atom> neutral) {
    lambda(op);
    var left = op.params().subList(0, neutral.size());
    joinAll(left, neutral);
    joinAll(left, op.body().results());
  }

  private void histOps(List<Var> pattern, List<HistOp> ops) {
    int k = 0;
    for (var op : ops) {
      lambda(op.op());
      for (var d : op.dests()) {
        consumed.add(d);
        join(pattern.get(k++), d);
      }
    }
  }

  private void dests(List<Var> pattern, List<ScatterDest> dests) {
    for (int k = 0; k < dests.size(); k++) {
      consumed.add(dests.get(k).dest());
      join(pattern.get(k), dests.get(k).dest());
    }
  }

  private void plain(List<Var> pattern, Exp exp) {
    Views.operand(exp).ifPresent(a -> join(pattern.getFirst(), a));
    switch (exp) {
      case Update(var a, _, _, _) -> {
        consumed.add(a);
        join(pattern.getFirst(), a);
      }
      case Screma s -> {
        lambda(s.map());
        reduces(pattern, scans(s.scans()), s.reduces());
      }
      case Hist h -> {
        lambda(h.map());
        histOps(pattern, h.ops());
      }
      case Scatter s -> {
        lambda(s.map());
        dests(pattern, s.dests());
      }
      case Simple _, Filter _, If _, Loop _, WithAcc _, Jvp _, Vjp _, WithVjp _ -> {}
    }
  }

  /**
   * Returns the variable bound outside the body in whose memory the body leaves the result, having
   * overwritten it, or the result itself where it is simply such a variable.
   */
  static Atom inPlaceRoot(SegBody body, Atom result) {
    if (!(result instanceof Var v)) {
      return result;
    }
    for (int s = body.stms().size() - 1; s >= 0; s--) {
      var stm = body.stms().get(s);
      int k = stm.pattern().indexOf(v);
      if (k >= 0) {
        var source = source(stm.exp(), k);
        return source == null ? v : inPlaceRoot(body, source);
      }
    }
    return v;
  }

  /** Returns the operand whose place the k-th result takes, or null. */
  private static Atom source(SegExp exp, int k) {
    return switch (exp) {
      case SegExp.Plain(Alias(var x)) -> x;
      case SegExp.Plain(Update(var a, _, _, _)) -> a;
      case SegExp.Plain(Scatter s) -> s.dests().get(k).dest();
      case SegExp.Plain(Hist h) -> dest(h.ops(), k);
      case SegExp.Plain _ -> null;
      case SegExp.Par(SegOp.SegScatter s) -> s.dests().get(k).dest();
      case SegExp.Par(SegOp.SegHist h) -> dest(h.ops(), k);
      case SegExp.Par _ -> null;
      case SegExp.Accumulate(var inputs, _, _) -> {
        var arrays = inputs.stream().flatMap(in -> in.arrays().stream()).toList();
        yield k < arrays.size() ? arrays.get(k) : null;
      }
      case SegExp.Branch(_, var then, var otherwise) -> {
        var a = inPlaceRoot(then, then.results().get(k));
        yield a.equals(inPlaceRoot(otherwise, otherwise.results().get(k))) ? a : null;
      }
      case SegExp.Versions(_, var wide, var narrow) -> {
        var a = inPlaceRoot(wide, wide.results().get(k));
        yield a.equals(inPlaceRoot(narrow, narrow.results().get(k))) ? a : null;
      }
      case SegExp.Iterate(var params, _, var body) ->
          params.get(k).var().equals(inPlaceRoot(body, body.results().get(k)))
              ? params.get(k).init()
              : null;
    };
  }

  private static Var dest(List<HistOp> ops, int k) {
    return ops.stream().flatMap(op -> op.dests().stream()).toList().get(k);
  }
}
