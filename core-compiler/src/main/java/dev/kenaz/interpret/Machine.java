package dev.kenaz.interpret;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.interpret.Datum.Num;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Attr;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Printer;
import dev.kenaz.ir.ScalarOps;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs bodies. Binders are unique, so one table holds every variable's current value; functions
 * that call themselves keep theirs around a call.
 */
final class Machine {
  private final Map<String, FunDef> functions = new HashMap<>();
  private final Datum[] values;
  private final int firstTag;
  private final Counter counter;
  private final ArrayOps arrays;
  private final Soacs soacs;

  /** The variables of functions that call themselves. */
  private final Map<String, int[]> recursive = new HashMap<>();

  private final Derivatives derivatives;

  Machine(CoreProgram program, Counter counter) {
    program.functions().forEach(f -> functions.put(f.name(), f));
    this.counter = counter;
    var tags = new TagRange();
    tags.program(program);
    this.firstTag = tags.first;
    this.values = new Datum[Math.max(0, tags.last - tags.first + 1)];
    this.arrays = new ArrayOps(this, counter);
    this.soacs = new Soacs(this, counter);
    this.derivatives = new Derivatives(this);
  }

  /** Finds the range of the tags of the program's binders. */
  private static final class TagRange implements CodeRewriter {
    private int first = Integer.MAX_VALUE;
    private int last = Integer.MIN_VALUE;
    private final List<Integer> all = new ArrayList<>();

    static int[] of(FunDef f) {
      var tags = new TagRange();
      tags.function(f);
      return tags.all.stream().mapToInt(i -> i).toArray();
    }

    @Override
    public Var binder(Var v) {
      first = Math.min(first, v.tag());
      last = Math.max(last, v.tag());
      all.add(v.tag());
      return v;
    }
  }

  // Variables

  Datum get(Atom atom) {
    return switch (atom) {
      case Const(var c) -> Datum.of(c);
      case Var v -> {
        var x = values[v.tag() - firstTag];
        if (x == null) {
          throw new CompilerBug("interpret", v + " has no value");
        }
        yield x;
      }
    };
  }

  Num num(Atom atom) {
    return (Num) get(atom);
  }

  Arr arr(Atom atom) {
    return (Arr) get(atom);
  }

  long i64(Atom atom) {
    return atom instanceof Const(var c) ? c.bits() : num(atom).value().bits();
  }

  boolean bool(Atom atom) {
    return num(atom).value().bits() != 0;
  }

  long[] shape(List<Atom> dims) {
    var shape = new long[dims.size()];
    for (int i = 0; i < shape.length; i++) {
      shape[i] = i64(dims.get(i));
    }
    return shape;
  }

  Datum[] get(List<? extends Atom> atoms) {
    var result = new Datum[atoms.size()];
    for (int i = 0; i < result.length; i++) {
      result[i] = get(atoms.get(i));
    }
    return result;
  }

  void set(Var v, Datum x) {
    values[v.tag() - firstTag] = x;
  }

  /** Binds variables, and checks that the arrays have the sizes that the types promise. */
  void set(List<Var> vars, Datum[] xs) {
    for (int i = 0; i < xs.length; i++) {
      set(vars.get(i), xs[i]);
    }
    for (int i = 0; i < xs.length; i++) {
      if (xs[i] instanceof Arr a) {
        checkShape(vars.get(i), a);
      }
    }
  }

  private void checkShape(Var v, Arr a) {
    var dims = v.type().dims();
    for (int i = 0; i < dims.size(); i++) {
      if (i64(dims.get(i)) != a.dim(i)) {
        throw new CompilerBug(
            "interpret",
            "%s of type %s %s has shape %s"
                .formatted(v, v.type(), Arrays.toString(shape(dims)), Arrays.toString(a.shape())));
      }
    }
  }

  // Bodies

  Datum[] function(FunDef f, Datum[] arguments) {
    set(f.params(), arguments);
    return body(f.body());
  }

  /**
   * Does the same as {@link #function}, where the function may be running already: its variables
   * are kept.
   */
  private Datum[] apply(FunDef f, Datum[] arguments) {
    var own = recursive.computeIfAbsent(f.name(), _ -> f.recursive() ? TagRange.of(f) : new int[0]);
    var kept = new Datum[own.length];
    for (int i = 0; i < own.length; i++) {
      kept[i] = values[own[i] - firstTag];
    }
    var results = function(f, arguments);
    for (int i = 0; i < own.length; i++) {
      values[own[i] - firstTag] = kept[i];
    }
    return results;
  }

  Datum[] call(Lambda lambda, Datum... arguments) {
    set(lambda.params(), arguments);
    return body(lambda.body());
  }

  Datum[] body(Body body) {
    counter.steps(1L + body.stms().size());
    for (var stm : body.stms()) {
      counter.in(stm, () -> stm(stm));
    }
    return get(body.results());
  }

  private void stm(Stm stm) {
    try {
      var results =
          switch (stm.exp()) {
            case Loop loop -> loop(stm, loop);
            // What other backends don't check for the sake of speed is checked here.
            case Index(var a, var is, _) when stm.attrs().contains(Attr.UNSAFE) ->
                exp(new Index(a, is, true), stm.span());
            case Exp exp -> exp(exp, stm.span());
          };
      if (results.length != stm.pattern().size()) {
        throw new CompilerBug("interpret", "wrong number of results: " + Printer.print(stm));
      }
      set(stm.pattern(), results);
    } catch (ScalarOps.Fault f) {
      throw new UserError(f.code(), stm.span(), f.getMessage());
    }
  }

  private Datum[] exp(Exp exp, Span span) {
    return switch (exp) {
      case Alias(var x) -> one(get(x));
      case Unary(var op, var x) -> op(Arithmetic.unary(op, num(x)));
      case Binary(var op, var x, var y) -> op(Arithmetic.binary(op, num(x), num(y)));
      case Compare(var op, var x, var y) ->
          op(Datum.of(ScalarValue.bool(Arithmetic.holds(op, num(x), num(y)))));
      case Fma(var x, var y, var z) -> op(Arithmetic.fma(num(x), num(y), num(z)));
      case Convert(var to, var x) when isSameInteger(to, x) -> one(Arithmetic.convert(to, num(x)));
      case Convert(var to, var x) -> op(Arithmetic.convert(to, num(x)));
      case Index(var a, var is, var checked) -> one(arrays.index(arr(a), is, checked, span));
      case If(var c, var then, var otherwise) -> body(bool(c) ? then : otherwise);
      case Loop loop -> loop(loop);
      case Screma s -> soacs.screma(s);
      case Assert(var c, var code, var message, var xs) -> {
        if (!bool(c)) {
          throw new UserError(code, span, Interpreter.fill(message, values(xs)));
        }
        yield new Datum[0];
      }
      case Trace(var label, var x) -> {
        System.err.println(label + ": " + value(get(x)));
        yield one(get(x));
      }
      case Slice(var a, var dims, var checked) -> one(arrays.slice(arr(a), dims, checked, span));
      case Update(var a, var dims, var x, var checked) ->
          one(arrays.update(arr(a), dims, x, checked, span));
      case Iota(var n, var start, var step) -> one(arrays.iota(n, start, step, span));
      case Replicate(var shape, var x) -> one(arrays.replicate(shape, get(x), span));
      case Scratch(var elem, var shape) -> one(Arr.scratch(elem, arrays.sizes(shape, span)));
      case ArrayLit(var xs, var row) -> one(arrays.literal(xs, row));
      case Concat(var dim, var xs, _) -> one(arrays.concat(dim, xs));
      case Rearrange(var perm, var a) -> one(arrays.rearrange(perm, arr(a)));
      case Reshape(var shape, var a) -> one(arrays.reshape(shape, arr(a)));
      case Copy(var a) -> one(arrays.fresh(arr(a)));
      case Apply(var f, var xs) -> apply(functions.get(f), get(xs));
      case Hist h -> soacs.hist(h);
      case Scatter s -> soacs.scatter(s);
      case Filter f -> soacs.filter(f);
      case WithAcc w -> soacs.withAcc(w);
      case UpdateAcc(var acc, var is, var xs) -> one(soacs.updateAcc(acc, is, xs));
      case Jvp j -> derivatives.jvp(j);
      case Vjp v -> derivatives.vjp(v);
      case WithVjp w -> derivatives.withVjp(w);
    };
  }

  /**
   * Whether a conversion leaves the bits as they are, as from i64 to u64, so that it does nothing.
   */
  private static boolean isSameInteger(Prim to, Atom x) {
    var from = x.type().elemPrim();
    return from.isInteger() && to.isInteger() && from.byteSize() == to.byteSize();
  }

  private Datum[] op(Num x) {
    counter.op();
    return one(x);
  }

  private static Datum[] one(Datum x) {
    return new Datum[] {x};
  }

  /** Runs a loop. If the loop promises to overwrite nothing that it has read, that is checked. */
  private Datum[] loop(Stm stm, Loop loop) {
    var watched = new ArrayList<Arr>();
    if (stm.attrs().stream().anyMatch(a -> a.name().equals("true_dep"))) {
      for (var p : loop.params()) {
        if (get(p.init()) instanceof Arr a && a.watch(stm.span())) {
          watched.add(a);
        }
      }
    }
    try {
      return loop(loop);
    } finally {
      watched.forEach(Arr::unwatch);
    }
  }

  private Datum[] loop(Loop loop) {
    var params = loop.params().stream().map(LoopParam::var).toList();
    var now = get(loop.params().stream().map(LoopParam::init).toList());
    switch (loop.form()) {
      case For(var i, var bound) -> {
        var limit = num(bound).value();
        var prim = limit.prim();
        var at = ScalarValue.ofLong(prim, 0);
        counter.expect(limit.asLong());
        while (ScalarOps.compare(CompareOp.LT, at, limit)) {
          set(params, now);
          set(i, Datum.of(at));
          now = body(loop.body());
          at = ScalarOps.binary(BinaryOp.ADD, at, ScalarValue.ofLong(prim, 1));
        }
      }
      case While(var c) -> {
        set(params, now);
        while (bool(c)) {
          now = body(loop.body());
          set(params, now);
        }
      }
    }
    return now;
  }

  // Values

  static Value value(Datum x) {
    return switch (x) {
      case Num n -> n.value();
      case Arr a -> a.toValue();
      case Datum.Acc _ -> throw new CompilerBug("interpret", "an accumulator is no value");
    };
  }

  private List<Value> values(List<Atom> atoms) {
    var result = new ArrayList<Value>();
    atoms.forEach(a -> result.add(value(get(a))));
    return result;
  }
}
