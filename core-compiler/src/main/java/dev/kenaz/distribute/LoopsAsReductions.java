package dev.kenaz.distribute;

import dev.kenaz.analysis.Effects;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Substitution;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Loops over all rows in the function of a row, {@code map (\x -> loop s = a for y in ys do s + f x
 * y) xs}, as reductions of these rows: {@link Pairs} divides them. Each value that the loop carries
 * has to be a sum, a product, a minimum or a maximum, and the iterations may use none of them
 * otherwise. A loop that reads the rows from the last one to the first, as the derivative of such a
 * loop does, is the same reduction. So is a loop over the rows at the outside, if each of its
 * iterations goes over all rows; accumulators go through it.
 */
final class LoopsAsReductions implements Rewriter {
  private final Set<Var> rows;
  private final Map<Var, Exp> definitions = new HashMap<>();

  /** How many functions of rows, and loops over them, are around. */
  private int ofRow;

  private LoopsAsReductions(Set<Var> rows) {
    this.rows = rows;
  }

  /**
   * @param rows the numbers of rows of the datasets
   */
  static FunDef in(FunDef function, Set<Var> rows) {
    var body = new LoopsAsReductions(rows).body(function.body());
    return new FunDef(
        function.name(), function.params(), function.returns(), function.returnSizes(), body);
  }

  @Override
  public Exp exp(Exp exp) {
    int more = goesOverRows(exp) ? 1 : 0;
    ofRow += more;
    var inner = Rewriter.super.exp(exp);
    ofRow -= more;
    return inner;
  }

  @Override
  public List<Stm> stm(Stm stm) {
    if (stm.pattern().size() == 1) {
      definitions.put(stm.var(), stm.exp());
    }
    var inner = Rewriter.super.stm(stm);
    if (!(inner.getFirst().exp() instanceof Loop loop)
        || !(loop.form() instanceof For form)
        || !rows.contains(form.bound())
        || ofRow == 0 && loop.body().stms().stream().noneMatch(s -> containsRows(s.exp()))) {
      return inner;
    }
    return reduction(inner.getFirst(), loop, form).orElse(inner);
  }

  private boolean goesOverRows(Exp exp) {
    return exp instanceof Screma s && rows.contains(s.width())
        || exp instanceof Loop loop
            && loop.form() instanceof For(_, var bound)
            && rows.contains(bound);
  }

  private boolean containsRows(Exp exp) {
    return goesOverRows(exp)
        || Effects.bodies(exp)
            .anyMatch(b -> b.stms().stream().anyMatch(s -> containsRows(s.exp())));
  }

  private Optional<List<Stm>> reduction(Stm stm, Loop loop, For form) {
    var carried = new ArrayList<Carried>();
    var accumulators = new ArrayList<Carried>();
    var body = loop.body();
    for (int i = 0; i < loop.params().size(); i++) {
      var p = loop.params().get(i);
      var bound = stm.pattern().get(i);
      if (p.var().type() instanceof Type.Acc) {
        accumulators.add(new Carried(p, null, body.results().get(i), bound));
        continue;
      }
      var found = new Combined(p.var());
      var next = p.var().type().isScalar() ? found.body(body, i) : Optional.<Body>empty();
      if (next.isEmpty() || found.op == null) {
        return Optional.empty();
      }
      body = next.get();
      carried.add(new Carried(p, found.op, body.results().get(i), bound));
    }
    var used = FreeVars.of(body);
    return used.stream().anyMatch(this::hasRows)
            && carried.stream().noneMatch(c -> used.contains(c.param.var()))
            && carried.stream().map(Carried::result).distinct().count() == carried.size()
        ? Optional.of(reduction(stm, form, body, carried, accumulators))
        : Optional.empty();
  }

  /**
   * What a loop carries.
   *
   * @param op how an iteration combines it; null for an accumulator, which goes through
   * @param result what is combined with it, or the accumulator after an iteration
   * @param bound what it is after the loop
   */
  private record Carried(LoopParam param, BinaryOp op, Atom result, Var bound) {}

  private List<Stm> reduction(
      Stm stm, For form, Body body, List<Carried> carried, List<Carried> accumulators) {
    var b = new Builder(stm.span());
    var inputs = new ArrayList<Var>(List.of(b.iota(form.bound())));
    var params = new ArrayList<Var>(List.of(Names.fresh("i", Type.I64)));
    for (var a : accumulators) {
      inputs.add((Var) a.param.init());
      params.add(a.param.var());
    }
    var all = Lists.concat(carried, accumulators);
    var results = all.stream().map(Carried::result).toList();
    var row = new Body(body.stms(), results);
    var in = new Builder(stm.span());
    var map =
        new Lambda(
            params,
            in.body(in.inline(numbered(in, row, form, params.getFirst()))),
            results.stream().map(Atom::type).toList());
    var reduces =
        carried.stream()
            .map(c -> new Reduce(operator(b, c), List.of(neutral(c.op, c.bound)), true))
            .toList();
    var made = b.screma(form.bound(), inputs, List.of(), reduces, map);
    for (int i = 0; i < all.size(); i++) {
      var c = all.get(i);
      var exp =
          c.op == null ? new Alias(made.get(i)) : new Binary(c.op, c.param.init(), made.get(i));
      b.bindAll(List.of(c.bound), exp);
    }
    return b.stms();
  }

  private static Lambda operator(Builder b, Carried c) {
    return b.operator(c.op, c.bound.type().elemPrim());
  }

  /** Returns an iteration by the number of the row that it reads. */
  private Body numbered(Builder in, Body body, For form, Var number) {
    var of = new HashMap<Var, Atom>();
    var turned = body.stms().stream().filter(s -> isReversed(s, form)).findFirst();
    if (turned.isEmpty()) {
      of.put(form.i(), number);
      return new Substitution(of).body(body);
    }
    of.put(turned.get().var(), number);
    of.put(form.i(), in.sub(((Binary) turned.get().exp()).x(), number));
    var rest = body.stms().stream().filter(s -> s != turned.get()).toList();
    return new Substitution(of).body(body.with(rest));
  }

  private boolean hasRows(Var v) {
    return v.type().isArray() && rows.contains(v.type().dims().getFirst());
  }

  /** Whether it is the number of the row that is as far from the last one as the counter is big. */
  private boolean isReversed(Stm stm, For form) {
    return stm.exp() instanceof Binary(var op, var last, var i)
        && op == BinaryOp.SUB
        && i.equals(form.i())
        && last instanceof Var v
        && definitions.get(v) instanceof Binary(var plus, var n, var one)
        && n.equals(form.bound())
        && (plus == BinaryOp.ADD && one.isConst(-1) || plus == BinaryOp.SUB && one.isConst(1));
  }

  private static Atom neutral(BinaryOp op, Atom of) {
    return Atom.of(
        of.type().elemPrim(),
        switch (op) {
          case MUL -> 1;
          case MIN -> Double.POSITIVE_INFINITY;
          case MAX -> Double.NEGATIVE_INFINITY;
          default -> 0;
        });
  }

  /** Finds what iterations combine with a value that they carry, and by which operator. */
  private static final class Combined {
    private final Var carried;
    private BinaryOp op;

    Combined(Var carried) {
      this.carried = carried;
    }

    /** Returns the scope with what is combined as the result. */
    Optional<Body> body(Body body, int result) {
      var x = body.results().get(result);
      var stms = new ArrayList<>(body.stms());
      var value = value(stms, x);
      return value.map(
          v -> {
            var results = new ArrayList<>(body.results());
            results.set(result, v);
            return new Body(stms, results);
          });
    }

    private Optional<Atom> value(List<Stm> stms, Atom x) {
      for (int k = 0; k < stms.size(); k++) {
        var stm = stms.get(k);
        int at = stm.pattern().indexOf(x);
        if (at < 0) {
          continue;
        }
        if (usedAfter(stms, k, x)) {
          return Optional.empty();
        }
        return switch (stm.exp()) {
          case Binary(var o, var a, var c) when a.equals(carried) && known(o) -> {
            stms.remove(k);
            yield Optional.of(c);
          }
          case Binary(var o, var a, var c)
              when c.equals(carried) && o != BinaryOp.SUB && known(o) -> {
            stms.remove(k);
            yield Optional.of(a);
          }
          case Binary(var o, var a, var c)
              when o == BinaryOp.SUB && a.equals(carried) && known(BinaryOp.ADD) -> {
            var b = new Builder(stm.span());
            var negative = b.unary(UnaryOp.NEG, c);
            stms.remove(k);
            stms.addAll(k, b.stms());
            yield Optional.of(negative);
          }
          case If(var condition, var then, var otherwise) -> {
            var first = branch(then, at);
            var second = branch(otherwise, at);
            if (op == null || first.isEmpty() || second.isEmpty()) {
              yield Optional.empty();
            }
            var exp = new If(condition, neutral(first.get(), at), neutral(second.get(), at));
            var pattern = new ArrayList<>(stm.pattern());
            pattern.set(at, Names.like(stm.pattern().get(at)));
            stms.set(k, stm.with(pattern, exp));
            yield Optional.of(pattern.get(at));
          }
          default -> Optional.empty();
        };
      }
      return Optional.empty();
    }

    private static boolean usedAfter(List<Stm> stms, int k, Atom x) {
      return stms.subList(k + 1, stms.size()).stream()
          .anyMatch(s -> FreeVars.of(s).contains((Var) x));
    }

    private Optional<Body> branch(Body body, int at) {
      return body.results().get(at).equals(carried) ? Optional.of(body) : body(body, at);
    }

    private Body neutral(Body body, int at) {
      if (!body.results().get(at).equals(carried)) {
        return body;
      }
      var results = new ArrayList<>(body.results());
      results.set(at, LoopsAsReductions.neutral(op, carried));
      return new Body(body.stms(), results);
    }

    private boolean known(BinaryOp o) {
      boolean fits =
          switch (o) {
            case ADD, MUL -> carried.type().elemPrim() != Prim.BOOL;
            case MIN, MAX -> carried.type().elemPrim().isFloat();
            default -> false;
          };
      if (!fits || op != null && op != o) {
        return false;
      }
      op = o;
      return true;
    }
  }
}
