package dev.kenaz.ir;

import dev.kenaz.ir.Exp.*;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * Rebuilds a tree bottom-up. Override what is to change; all else stays, and a part in which
 * nothing changed is that part itself. The default visits every atom, type, binder, body and lambda
 * once, in scope order.
 */
public interface Rewriter {
  /** Rewrites an operand. */
  default Atom atom(Atom atom) {
    return atom instanceof Var v ? v.withType(type(v.type())) : atom;
  }

  /** Returns a variable where it is bound. */
  default Var binder(Var v) {
    return v.withType(type(v.type()));
  }

  default Type type(Type type) {
    var p = new Parts(this);
    return switch (type) {
      case Type.Scalar s -> s;
      case Type.Array a -> {
        var shape = p.atoms(a.shape());
        yield p.same() ? a : new Type.Array(a.elem(), shape);
      }
      case Type.Acc a -> p.of(a, new Type.Acc(a.token(), p.atoms(a.space()), p.types(a.elems())));
    };
  }

  default Body body(Body body) {
    var stms = new ArrayList<Stm>(body.stms().size());
    body.stms().forEach(s -> stms.addAll(stm(s)));
    var inner = body.with(stms);
    var results = atoms(body.results());
    return results == body.results() ? inner : new Body(inner.stms(), results);
  }

  /** Rewrites a statement, which becomes any number of statements. */
  default List<Stm> stm(Stm stm) {
    var p = new Parts(this);
    var exp = p.noted(stm.exp(), exp(stm.exp()));
    var pattern = p.binders(stm.pattern());
    return List.of(p.same() ? stm : stm.with(pattern, exp));
  }

  default Lambda lambda(Lambda lambda) {
    var p = new Parts(this);
    var params = p.binders(lambda.params());
    var body = p.body(lambda.body());
    var returns = p.types(lambda.returns());
    return p.same() ? lambda : new Lambda(params, body, returns);
  }

  /** The list with each element rewritten, in order; the list itself if they all stayed. */
  static <T> List<T> each(List<T> list, UnaryOperator<T> rewrite) {
    List<T> made = list;
    for (int i = 0; i < list.size(); i++) {
      var old = list.get(i);
      var x = rewrite.apply(old);
      if (x != old && made == list) {
        made = new ArrayList<>(list);
      }
      if (made != list) {
        made.set(i, x);
      }
    }
    return made;
  }

  default List<Atom> atoms(List<Atom> atoms) {
    return each(atoms, this::atom);
  }

  /** Rewrites binders in order, as a later type may mention an earlier variable. */
  default List<Var> binders(List<Var> vars) {
    return each(vars, this::binder);
  }

  /** Returns an operand that must stay a variable. */
  default Var var(Var v) {
    return (Var) atom(v);
  }

  default List<Var> vars(List<Var> vars) {
    return each(vars, this::var);
  }

  default DimSlice dim(DimSlice dim) {
    var p = new Parts(this);
    return p.of(
        dim,
        switch (dim) {
          case DimSlice.Fix(var i) -> new DimSlice.Fix(p.atom(i));
          case DimSlice.Range(var start, var count, var stride) ->
              new DimSlice.Range(p.atom(start), p.atom(count), p.atom(stride));
        });
  }

  default FunDef function(FunDef f) {
    var p = new Parts(this);
    var params = p.binders(f.params());
    var body = p.body(f.body());
    var sizes = p.binders(f.returnSizes());
    return p.of(f, new FunDef(f.name(), params, p.types(f.returns()), sizes, body));
  }

  default CoreProgram program(CoreProgram program) {
    return program.with(each(program.functions(), this::function));
  }

  /** Rebuilds one expression from its rewritten parts. */
  default Exp exp(Exp exp) {
    var p = new Parts(this);
    return p.of(
        exp,
        switch (exp) {
          case Alias(var x) -> new Alias(p.atom(x));
          case Unary(var op, var x) -> new Unary(op, p.atom(x));
          case Binary(var op, var x, var y) -> new Binary(op, p.atom(x), p.atom(y));
          case Compare(var op, var x, var y) -> new Compare(op, p.atom(x), p.atom(y));
          case Fma(var x, var y, var z) -> new Fma(p.atom(x), p.atom(y), p.atom(z));
          case Convert(var to, var x) -> new Convert(to, p.atom(x));
          case Assert(var c, var code, var message, var arguments) ->
              new Assert(p.atom(c), code, message, p.atoms(arguments));
          case Trace(var label, var x) -> new Trace(label, p.atom(x));
          case Index(var a, var is, var checked) -> new Index(p.var(a), p.atoms(is), checked);
          case Slice(var a, var dims, var checked) -> new Slice(p.var(a), p.dims(dims), checked);
          case Update(var a, var dims, var x, var checked) ->
              new Update(p.var(a), p.dims(dims), p.atom(x), checked);
          case Iota(var n, var start, var step) -> new Iota(p.atom(n), p.atom(start), p.atom(step));
          case Replicate(var shape, var x) -> new Replicate(p.atoms(shape), p.atom(x));
          case Scratch(var elem, var shape) -> new Scratch(elem, p.atoms(shape));
          case ArrayLit(var xs, var row) -> new ArrayLit(p.atoms(xs), p.type(row));
          case Concat(var dim, var xs, var size) -> new Concat(dim, p.vars(xs), p.atom(size));
          case Rearrange(var perm, var a) -> new Rearrange(perm, p.var(a));
          case Reshape(var shape, var a) -> new Reshape(p.atoms(shape), p.var(a));
          case Copy(var a) -> new Copy(p.var(a));
          case If(var c, var then, var otherwise) ->
              new If(p.atom(c), p.body(then), p.body(otherwise));
          case Loop loop -> p.noted(loop, loop(loop));
          case Apply(var f, var arguments) -> new Apply(f, p.atoms(arguments));
          case Screma(var w, var ins, var scans, var reduces, var map) ->
              new Screma(
                  p.atom(w),
                  p.vars(ins),
                  p.each(scans, this::scan),
                  p.each(reduces, this::reduce),
                  p.lambda(map));
          case Hist(var w, var ins, var ops, var map) ->
              new Hist(p.atom(w), p.vars(ins), p.each(ops, this::histOp), p.lambda(map));
          case Scatter(var w, var ins, var dests, var map) ->
              new Scatter(p.atom(w), p.vars(ins), p.each(dests, this::scatterDest), p.lambda(map));
          case Filter(var w, var ins, var map) -> new Filter(p.atom(w), p.vars(ins), p.lambda(map));
          case WithAcc(var ins, var body) ->
              new WithAcc(p.each(ins, this::accInput), p.lambda(body));
          case UpdateAcc(var acc, var is, var xs) ->
              new UpdateAcc(p.var(acc), p.atoms(is), p.atoms(xs));
          case Jvp(var f, var xs, var ts, var width) ->
              new Jvp(p.lambda(f), p.atoms(xs), p.atoms(ts), width.map(p::atom));
          case Vjp(var f, var xs, var as, var width) ->
              new Vjp(p.lambda(f), p.atoms(xs), p.atoms(as), width.map(p::atom));
          case WithVjp(var f, var tape, var rule, var xs) ->
              new WithVjp(p.lambda(f), tape, p.lambda(rule), p.atoms(xs));
        });
  }

  /** The initial values come first, as they are outside. */
  default Exp loop(Loop loop) {
    var p = new Parts(this);
    var inits = loop.params().stream().map(q -> p.atom(q.init())).toList();
    var vars = p.binders(loop.params().stream().map(LoopParam::var).toList());
    List<LoopParam> params =
        IntStream.range(0, vars.size())
            .mapToObj(i -> new LoopParam(vars.get(i), inits.get(i)))
            .toList();
    var form =
        switch (loop.form()) {
          case For(var i, var bound) -> {
            var newBound = p.atom(bound);
            yield new For(p.binder(i), newBound);
          }
          case While(var c) -> new While(p.var(c));
        };
    return p.of(loop, new Loop(params, form, p.body(loop.body())));
  }

  private Scan scan(Scan s) {
    var p = new Parts(this);
    return p.of(s, new Scan(p.lambda(s.op()), p.atoms(s.neutral())));
  }

  private Reduce reduce(Reduce r) {
    var p = new Parts(this);
    return p.of(r, new Reduce(p.lambda(r.op()), p.atoms(r.neutral()), r.commutative()));
  }

  private HistOp histOp(HistOp op) {
    var p = new Parts(this);
    var shape = p.atoms(op.shape());
    var dests = p.vars(op.dests());
    return p.of(op, new HistOp(shape, dests, p.atoms(op.neutral()), p.lambda(op.op())));
  }

  private ScatterDest scatterDest(ScatterDest d) {
    var p = new Parts(this);
    return p.of(d, new ScatterDest(p.atoms(d.shape()), p.var(d.dest())));
  }

  private AccInput accInput(AccInput in) {
    var p = new Parts(this);
    var space = p.atoms(in.space());
    var arrays = p.vars(in.arrays());
    var combine = in.combine().map(c -> new Combine(p.lambda(c.op()), p.atoms(c.neutral())));
    return p.of(in, new AccInput(space, arrays, combine));
  }
}
