package dev.kenaz.ir;

import dev.kenaz.ir.Exp.*;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Rebuilds a tree bottom-up. Override what is to change; the rest is copied, and kept identical
 * where nothing below it changed is not promised. The default visits every atom, type, binder, body
 * and lambda once, in scope order.
 */
public interface Rewriter {
  /** An operand. */
  default Atom atom(Atom atom) {
    return atom instanceof Var v ? v.withType(type(v.type())) : atom;
  }

  /** A variable where it is bound. */
  default Var binder(Var v) {
    return v.withType(type(v.type()));
  }

  default Type type(Type type) {
    return switch (type) {
      case Type.Scalar s -> s;
      case Type.Array a -> new Type.Array(a.elem(), atoms(a.shape()));
      case Type.Acc a ->
          new Type.Acc(a.token(), atoms(a.space()), a.elems().stream().map(this::type).toList());
    };
  }

  default Body body(Body body) {
    var stms = new ArrayList<Stm>();
    for (var stm : body.stms()) {
      stms.addAll(stm(stm));
    }
    return new Body(stms, atoms(body.results()));
  }

  /** A statement becomes any number of statements. */
  default List<Stm> stm(Stm stm) {
    var exp = exp(stm.exp());
    return List.of(new Stm(binders(stm.pattern()), exp, stm.attrs(), stm.span()));
  }

  default Lambda lambda(Lambda lambda) {
    var params = binders(lambda.params());
    var body = body(lambda.body());
    return new Lambda(params, body, lambda.returns().stream().map(this::type).toList());
  }

  default List<Atom> atoms(List<Atom> atoms) {
    return atoms.stream().map(this::atom).toList();
  }

  default List<Var> binders(List<Var> vars) {
    // in order: a later type may mention an earlier variable
    var result = new ArrayList<Var>(vars.size());
    for (var v : vars) {
      result.add(binder(v));
    }
    return result;
  }

  /** An operand that must stay a variable. */
  default Var var(Var v) {
    return (Var) atom(v);
  }

  default List<Var> vars(List<Var> vars) {
    return vars.stream().map(this::var).toList();
  }

  default DimSlice dim(DimSlice dim) {
    return switch (dim) {
      case DimSlice.Fix(var i) -> new DimSlice.Fix(atom(i));
      case DimSlice.Range(var start, var count, var stride) ->
          new DimSlice.Range(atom(start), atom(count), atom(stride));
    };
  }

  default FunDef function(FunDef f) {
    var params = binders(f.params());
    var body = body(f.body());
    var sizes = binders(f.returnSizes());
    return new FunDef(f.name(), params, f.returns().stream().map(this::type).toList(), sizes, body);
  }

  default CoreProgram program(CoreProgram p) {
    return new CoreProgram(p.functions().stream().map(this::function).toList(), p.entries());
  }

  /** Rebuilds one expression from its rewritten parts. */
  default Exp exp(Exp exp) {
    return switch (exp) {
      case Alias(var x) -> new Alias(atom(x));
      case Unary(var op, var x) -> new Unary(op, atom(x));
      case Binary(var op, var x, var y) -> new Binary(op, atom(x), atom(y));
      case Compare(var op, var x, var y) -> new Compare(op, atom(x), atom(y));
      case Fma(var x, var y, var z) -> new Fma(atom(x), atom(y), atom(z));
      case Convert(var to, var x) -> new Convert(to, atom(x));
      case Assert(var c, var code, var message, var arguments) ->
          new Assert(atom(c), code, message, atoms(arguments));
      case Trace(var label, var x) -> new Trace(label, atom(x));
      case Index(var a, var is, var checked) -> new Index(var(a), atoms(is), checked);
      case Slice(var a, var dims, var checked) ->
          new Slice(var(a), dims.stream().map(this::dim).toList(), checked);
      case Update(var a, var dims, var x, var checked) ->
          new Update(var(a), dims.stream().map(this::dim).toList(), atom(x), checked);
      case Iota(var n, var start, var step) -> new Iota(atom(n), atom(start), atom(step));
      case Replicate(var shape, var x) -> new Replicate(atoms(shape), atom(x));
      case Scratch(var elem, var shape) -> new Scratch(elem, atoms(shape));
      case ArrayLit(var xs, var row) -> new ArrayLit(atoms(xs), type(row));
      case Concat(var dim, var xs, var size) -> new Concat(dim, vars(xs), atom(size));
      case Rearrange(var perm, var a) -> new Rearrange(perm, var(a));
      case Reshape(var shape, var a) -> new Reshape(atoms(shape), var(a));
      case Copy(var a) -> new Copy(var(a));
      case If(var c, var then, var otherwise) -> new If(atom(c), body(then), body(otherwise));
      case Loop loop -> loop(loop);
      case Apply(var f, var arguments) -> new Apply(f, atoms(arguments));
      case Screma(var w, var ins, var scans, var reduces, var map) ->
          new Screma(
              atom(w),
              vars(ins),
              scans.stream().map(s -> new Scan(lambda(s.op()), atoms(s.neutral()))).toList(),
              reduces.stream()
                  .map(r -> new Reduce(lambda(r.op()), atoms(r.neutral()), r.commutative()))
                  .toList(),
              lambda(map));
      case Hist(var w, var ins, var ops, var map) ->
          new Hist(atom(w), vars(ins), ops.stream().map(this::histOp).toList(), lambda(map));
      case Scatter(var w, var ins, var dests, var map) ->
          new Scatter(
              atom(w),
              vars(ins),
              dests.stream().map(d -> new ScatterDest(atoms(d.shape()), var(d.dest()))).toList(),
              lambda(map));
      case WithAcc(var ins, var body) ->
          new WithAcc(ins.stream().map(this::accInput).toList(), lambda(body));
      case UpdateAcc(var acc, var is, var xs) -> new UpdateAcc(var(acc), atoms(is), atoms(xs));
      case Jvp(var f, var xs, var ts, var width) ->
          new Jvp(lambda(f), atoms(xs), atoms(ts), width.map(this::atom));
      case Vjp(var f, var xs, var as, var width) ->
          new Vjp(lambda(f), atoms(xs), atoms(as), width.map(this::atom));
      case WithVjp(var f, var tape, var rule, var xs) ->
          new WithVjp(lambda(f), tape, lambda(rule), atoms(xs));
    };
  }

  default Exp loop(Loop loop) {
    var inits = loop.params().stream().map(p -> atom(p.init())).toList();
    var vars = binders(loop.params().stream().map(LoopParam::var).toList());
    var params = new ArrayList<LoopParam>();
    for (int i = 0; i < vars.size(); i++) {
      params.add(new LoopParam(vars.get(i), inits.get(i)));
    }
    var form =
        switch (loop.form()) {
          case For(var i, var bound) -> {
            var newBound = atom(bound);
            yield new For(binder(i), newBound);
          }
          case While(var c) -> new While(var(c));
        };
    return new Loop(params, form, body(loop.body()));
  }

  private HistOp histOp(HistOp op) {
    return new HistOp(atoms(op.shape()), vars(op.dests()), atoms(op.neutral()), lambda(op.op()));
  }

  private AccInput accInput(AccInput in) {
    Optional<Combine> combine =
        in.combine().map(c -> new Combine(lambda(c.op()), atoms(c.neutral())));
    return new AccInput(atoms(in.space()), vars(in.arrays()), combine);
  }
}
