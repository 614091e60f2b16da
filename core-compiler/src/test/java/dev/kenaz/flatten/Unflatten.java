package dev.kenaz.flatten;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Substitution;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.segir.SegBody;
import dev.kenaz.segir.SegExp;
import dev.kenaz.segir.SegOp;
import dev.kenaz.segir.SegOp.SegHist;
import dev.kenaz.segir.SegOp.SegMap;
import dev.kenaz.segir.SegOp.SegRed;
import dev.kenaz.segir.SegOp.SegScan;
import dev.kenaz.segir.SegOp.SegScatter;
import dev.kenaz.segir.SegProgram;
import dev.kenaz.segir.SegStm;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;

/** Seg IR as core IR, for the interpreter: what a flattened program means. */
final class Unflatten {
  /** Which of two versions to take. */
  enum Choice {
    WIDE,
    NARROW
  }

  private final Choice choice;

  private Unflatten(Choice choice) {
    this.choice = choice;
  }

  /** The program that this was made of, as it is after flattening. */
  static CoreProgram of(SegProgram seg, CoreProgram original, Choice choice) {
    var u = new Unflatten(choice);
    var functions = new ArrayList<FunDef>();
    seg.callees().forEach(c -> functions.add(c.function()));
    for (var f : seg.functions()) {
      var was = original.function(f.entry().function());
      functions.add(
          new FunDef(was.name(), f.params(), f.returns(), was.returnSizes(), u.body(f.body())));
    }
    return new CoreProgram(functions, original.entries());
  }

  private Body body(SegBody body) {
    var stms = new ArrayList<Stm>();
    for (var s : body.stms()) {
      stms.addAll(stm(s));
    }
    return new Body(stms, body.results());
  }

  private List<Stm> stm(SegStm s) {
    return switch (s.exp()) {
      case SegExp.Plain(var e) -> List.of(with(s, e));
      case SegExp.Branch(var c, var then, var otherwise) ->
          List.of(with(s, new If(c, body(then), body(otherwise))));
      case SegExp.Iterate(var params, var form, var body) ->
          List.of(with(s, new Loop(params, form, body(body))));
      case SegExp.Accumulate(var inputs, var accs, var body) -> {
        var types = body.results().stream().map(Atom::type).toList();
        yield List.of(with(s, new WithAcc(inputs, new Lambda(accs, body(body), types))));
      }
      case SegExp.Versions(_, var wide, var narrow) -> {
        var chosen = body(choice == Choice.WIDE ? wide : narrow);
        var stms = new ArrayList<>(chosen.stms());
        for (int k = 0; k < s.pattern().size(); k++) {
          Exp result = new Alias(chosen.results().get(k));
          stms.add(new Stm(List.of(s.pattern().get(k)), result, s.span()));
        }
        yield stms;
      }
      case SegExp.Par(var op) -> {
        var b = new Builder(s.span());
        var results = op(b, op, s.pattern());
        for (int k = 0; k < s.pattern().size(); k++) {
          b.bindAll(List.of(s.pattern().get(k)), new Alias(results.get(k)));
        }
        yield b.stms();
      }
    };
  }

  private static Stm with(SegStm s, Exp exp) {
    return new Stm(s.pattern(), exp, s.attrs(), s.span());
  }

  private List<? extends Atom> op(Builder b, SegOp op, List<Var> pattern) {
    return switch (op) {
      case SegMap m -> segments(b, m, 0, List.of(), List.of());
      case SegRed r -> segments(b, r, 0, List.of(), r.reduces());
      case SegScan s -> segments(b, s, 0, s.scans(), s.reduces());
      case SegHist h -> {
        var flat = flat(b, h);
        yield b.bindAll(
            "hist",
            pattern.stream().map(Var::type).toList(),
            new Hist(flat.n, List.of(flat.iota), h.ops(), flat.map));
      }
      case SegScatter s -> {
        var flat = flat(b, s);
        yield b.bindAll(
            "scatter",
            pattern.stream().map(Var::type).toList(),
            new Scatter(flat.n, List.of(flat.iota), s.dests(), flat.map));
      }
      case SegOp.SegFilter f -> {
        var flat = flat(b, f);
        yield b.filter(flat.n, List.of(flat.iota), flat.map);
      }
    };
  }

  private record Flat(Atom n, Var iota, Lambda map) {}

  /** All points in one dimension. */
  private Flat flat(Builder b, SegOp op) {
    Atom n = Atom.i64(1);
    for (var d : op.space().dims()) {
      n = b.mul(n, d.width());
    }
    var map =
        b.lambda(
            List.of(Type.I64),
            (c, i) -> {
              Atom rest = i.getFirst();
              for (var d : op.space().dims().reversed()) {
                c.bindAll(List.of(d.index()), new Binary(BinaryOp.REM, rest, d.width()));
                rest = c.binary(BinaryOp.QUOT, rest, d.width());
              }
              return c.inline(body(op.body()));
            });
    return new Flat(n, b.iota(n), new Lambda(map.params(), map.body(), op.returns()));
  }

  private List<Var> segments(Builder b, SegOp op, int d, List<Scan> scans, List<Reduce> reduces) {
    var dim = op.space().dims().get(d);
    boolean innermost = d == op.space().dims().size() - 1;
    var inner = new Builder(b.span());
    List<? extends Atom> results;
    if (innermost) {
      results = inner.inline(body(op.body()));
    } else {
      results = segments(inner, op, d + 1, scans, reduces);
    }
    var inputs = new ArrayList<Var>();
    var params = new ArrayList<Var>();
    var names = new HashMap<Var, Atom>();
    inputs.add(b.iota(dim.width()));
    params.add(dim.index());
    var returns = new ArrayList<Type>(results.stream().map(Atom::type).toList());
    if (innermost) {
      returns.clear();
      returns.addAll(op.returns());
    }
    Body code = inner.body(results);
    for (var v : FreeVars.of(code)) {
      if (v.type() instanceof Type.Acc) {
        inputs.add(v);
        params.add(Names.like(v));
        names.put(v, params.getLast());
      }
    }
    var map = new Lambda(params, new Substitution(names).body(code), returns);
    var exp =
        innermost
            ? new Screma(dim.width(), inputs, scans, copies(reduces), map)
            : new Screma(dim.width(), inputs, List.of(), List.of(), map);
    return b.bindAll("seg", exp);
  }

  private static List<Reduce> copies(List<Reduce> reduces) {
    return reduces.stream()
        .map(r -> new Reduce(new Renaming().lambda(r.op()), r.neutral(), r.commutative()))
        .toList();
  }
}
