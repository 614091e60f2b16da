package dev.kenaz.distribute;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A loop that carries rows and goes over them from the last one to the first, as the derivative of
 * a loop over rows does. The rows that it carries are reversed before the loop and after it, so
 * that it reads and writes those of its own number.
 */
final class BackwardLoop {
  private final Labeller labeller;
  private final Stm stm;
  private final Loop loop;
  private final For form;

  BackwardLoop(Labeller labeller, Stm stm, Loop loop) {
    this.labeller = labeller;
    this.stm = stm;
    this.loop = loop;
    this.form = (For) loop.form();
  }

  /** Returns statements with a loop over the numbers of the rows in their order, if it is one. */
  Optional<List<Stm>> inOrder() {
    if (!form.i().type().equals(Type.I64)) {
      return Optional.empty();
    }
    var turn = new Turn();
    var body = turn.handing(loop.body());
    if (!turn.found || turn.otherwise) {
      return Optional.empty();
    }
    var b = new Builder(stm.span());
    var params = new ArrayList<LoopParam>();
    for (var p : loop.params()) {
      params.add(isRows(p.var()) ? new LoopParam(p.var(), start(b, (Var) p.init())) : p);
    }
    var pattern = stm.pattern().stream().map(v -> isRows(v) ? Names.like(v) : v).toList();
    b.with(stm.attrs()).bindAll(pattern, new Loop(params, form, body));
    for (int i = 0; i < pattern.size(); i++) {
      if (isRows(pattern.get(i))) {
        b.bindAll(List.of(stm.pattern().get(i)), new Alias(reversed(b, pattern.get(i))));
      }
    }
    return Optional.of(b.stms());
  }

  private boolean isRows(Var v) {
    return v.type() instanceof Type.Array a && a.shape().getFirst().equals(form.bound());
  }

  /**
   * Returns what the loop starts from; rows that are all alike, or not set, are so in any order.
   */
  private Var start(Builder b, Var init) {
    boolean alike = labeller.definition(init) instanceof Scratch || labeller.fill(init).isPresent();
    return alike ? init : reversed(b, init);
  }

  private Var reversed(Builder b, Var rows) {
    var last = b.sub(form.bound(), Atom.i64(1));
    var type = Builder.rowType(rows.type());
    return b.map(
            form.bound(),
            List.of(b.iota(form.bound())),
            (in, j) -> {
              var number = in.sub(last, j.getFirst());
              return List.of(in.bind("row", type, new Index(rows, List.of(number), false)));
            })
        .getFirst();
  }

  /** Has what the loop carries be read and written by the iteration's number. */
  private final class Turn implements Rewriter {
    private final Set<Var> carried = new HashSet<>();
    private final Set<Atom> numbers = new HashSet<>();

    /** Whether a carried row of the backward number is read or written. */
    private boolean found;

    /** Whether there is any other use of what is carried. */
    private boolean otherwise;

    Turn() {
      loop.params().stream()
          .map(LoopParam::var)
          .filter(BackwardLoop.this::isRows)
          .forEach(carried::add);
    }

    /** Turns a body that may hand on what is carried. */
    Body handing(Body body) {
      return new Body(body.stms().stream().flatMap(s -> stm(s).stream()).toList(), body.results());
    }

    @Override
    public List<Stm> stm(Stm s) {
      if (s.exp() instanceof Binary(var op, var from, var i)
          && op == BinaryOp.SUB
          && i.equals(form.i())
          && isLast(from)) {
        numbers.add(s.var());
      }
      if (s.exp() instanceof Update || s.exp() instanceof If) {
        var turned = Rewriter.super.stm(s);
        s.pattern().stream().filter(BackwardLoop.this::isRows).forEach(carried::add);
        return turned;
      }
      otherwise |= s.pattern().stream().anyMatch(BackwardLoop.this::isRows);
      return Rewriter.super.stm(s);
    }

    @Override
    public Exp exp(Exp exp) {
      return switch (exp) {
        case Index(var array, var is, var checked)
            when carried.contains(array) && numbers.contains(is.getFirst()) -> {
          found = true;
          var at = new ArrayList<>(is);
          at.set(0, form.i());
          yield new Index(array, at, checked);
        }
        case Update(var array, var dims, var value, var checked)
            when carried.contains(array)
                && dims.getFirst() instanceof DimSlice.Fix(var i)
                && numbers.contains(i) -> {
          found = true;
          var at = new ArrayList<>(dims);
          at.set(0, new DimSlice.Fix(form.i()));
          yield new Update(array, at, atom(value), checked);
        }
        case If(var condition, var then, var other) ->
            new If(atom(condition), handing(then), handing(other));
        default -> Rewriter.super.exp(exp);
      };
    }

    @Override
    public Atom atom(Atom x) {
      otherwise |= x instanceof Var v && carried.contains(v);
      return x;
    }

    /** Whether it is the number of the last row. */
    private boolean isLast(Atom x) {
      return x instanceof Var v
          && labeller.definition(v) instanceof Binary(var op, var n, var one)
          && n.equals(form.bound())
          && (op == BinaryOp.ADD && one.isConst(-1) || op == BinaryOp.SUB && one.isConst(1));
    }
  }
}
