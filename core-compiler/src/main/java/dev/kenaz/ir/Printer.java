package dev.kenaz.ir;

import dev.kenaz.ir.Exp.*;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Prints core IR as text for people and for golden tests. Types stand at binders; see docs/ir.md
 * for examples.
 */
public final class Printer {
  private static final int WIDTH = 100;
  private final StringBuilder out = new StringBuilder();
  private final Map<Integer, Integer> numbers = new HashMap<>();
  private final boolean renumber;

  private Printer(boolean renumber) {
    this.renumber = renumber;
  }

  /** Prints the tags as they are. */
  public static String print(CoreProgram program) {
    var p = new Printer(false);
    p.program(program);
    return p.out.toString();
  }

  /**
   * Prints tags numbered from 0 in order of appearance: equal for programs equal up to renaming.
   */
  public static String printRenumbered(CoreProgram program) {
    var p = new Printer(true);
    p.program(program);
    return p.out.toString();
  }

  public static String print(Body body) {
    var p = new Printer(false);
    p.body(body, 0);
    return p.out.toString();
  }

  public static String print(Stm stm) {
    return print(stm.pattern(), stm.exp(), stm.attrs());
  }

  /** Returns a statement that need not be well formed. */
  public static String print(List<Var> pattern, Exp exp, List<Attr> attrs) {
    var p = new Printer(false);
    p.stm(pattern, exp, attrs, 0);
    return p.out.toString();
  }

  private void program(CoreProgram program) {
    for (var e : program.entries()) {
      out.append("entry ").append(e.name()).append(" = ").append(e.function());
      out.append(" sizes ").append(e.sizeParams()).append(" (");
      out.append(
          e.params().stream()
              .map(p -> (p.unique() ? "*" : "") + p.name() + ": " + p.type().text())
              .collect(Collectors.joining(", ")));
      out.append(") -> (");
      out.append(
          e.results().stream()
              .map(r -> (r.unique() ? "*" : "") + r.type().text())
              .collect(Collectors.joining(", ")));
      out.append(")\n");
    }
    program.functions().forEach(this::function);
  }

  private void function(FunDef f) {
    out.append("\ndef ").append(f.name()).append(' ').append(binders(f.params()));
    out.append("\n    -> (");
    for (int i = 0; i < f.returns().size(); i++) {
      var size = f.returnSizes().size() > i ? f.returnSizes().get(i) : null;
      out.append(i == 0 ? "" : ", ");
      boolean named = size != null && size.type().equals(Type.I64);
      out.append(named ? name(size) + ": " : "").append(type(f.returns().get(i)));
    }
    out.append(") =\n");
    body(f.body(), 1);
  }

  private void body(Body body, int depth) {
    body.stms().forEach(s -> stm(s.pattern(), s.exp(), s.attrs(), depth));
    indent(depth).append("in ").append(atoms(body.results())).append('\n');
  }

  private void stm(List<Var> pattern, Exp exp, List<Attr> attrs, int depth) {
    if (!attrs.isEmpty()) {
      var texts = attrs.stream().map(Attr::toString).toList();
      indent(depth).append("#[").append(String.join(", ", texts)).append("]\n");
    }
    indent(depth).append("let ");
    out.append(pattern.size() == 1 ? binder(pattern.getFirst()) : binders(pattern));
    out.append(" =");
    int line = out.lastIndexOf("\n") + 1;
    exp(exp, depth + 1, line);
  }

  /** The expression after {@code =}: on the same line where it fits and has no scopes. */
  private void exp(Exp exp, int depth, int line) {
    switch (exp) {
      case If(var c, var then, var otherwise) -> {
        head(depth, "if " + atom(c));
        body(then, depth + 1);
        indent(depth).append("else\n");
        body(otherwise, depth + 1);
      }
      case Loop loop -> loop(loop, depth);
      case Screma s -> screma(s, depth);
      case Hist h -> hist(h, depth);
      case Scatter s -> scatter(s, depth);
      case Filter(var w, var ins, var map) -> {
        head(depth, "filter " + atom(w) + " " + vars(ins));
        lambda("fn", map, depth);
      }
      case WithAcc w -> withAcc(w, depth);
      case Jvp(var f, var xs, var ts, var width) -> {
        head(depth, "jvp " + atoms(xs) + " tangents " + atoms(ts) + width(width));
        lambda("function", f, depth);
      }
      case Vjp(var f, var xs, var as, var width) -> {
        head(depth, "vjp " + atoms(xs) + " adjoints " + atoms(as) + width(width));
        lambda("function", f, depth);
      }
      case WithVjp(var f, var tape, var rule, var xs) -> {
        head(depth, "with_vjp " + atoms(xs) + " tape " + tape);
        lambda("function", f, depth);
        lambda("rule", rule, depth);
      }
      case Simple _ -> {
        var text = simple(exp);
        if (out.length() - line + text.length() < WIDTH) {
          out.append(' ').append(text).append('\n');
        } else {
          head(depth, text);
        }
      }
    }
  }

  private String simple(Exp exp) {
    return switch (exp) {
      case Alias(var x) -> atom(x);
      case Unary(var op, var x) -> lower(op) + " " + atom(x);
      case Binary(var op, var x, var y) -> lower(op) + " " + atom(x) + " " + atom(y);
      case Compare(var op, var x, var y) -> lower(op) + " " + atom(x) + " " + atom(y);
      case Fma(var x, var y, var z) -> "fma " + atom(x) + " " + atom(y) + " " + atom(z);
      case Convert(var to, var x) -> "convert " + to + " " + atom(x);
      case Assert(var c, var code, var message, var arguments) ->
          (code.equals(Assert.FAILED) ? "assert " : "assert " + code + " ")
              + atom(c)
              + " "
              + quoted(message)
              + " "
              + atoms(arguments);
      case Trace(var label, var x) -> "trace " + quoted(label) + " " + atom(x);
      case Index(var a, var is, var checked) ->
          atom(a) + is.stream().map(this::atom).toList() + unchecked(checked);
      case Slice(var a, var dims, var checked) -> atom(a) + slice(dims) + unchecked(checked);
      case Update(var a, var dims, var x, var checked) ->
          atom(a) + " with " + slice(dims) + " <- " + atom(x) + unchecked(checked);
      case Iota(var n, var start, var step) ->
          "iota " + atom(n) + " from " + atom(start) + " by " + atom(step);
      case Replicate(var shape, var x) -> "replicate " + shape(shape) + " " + atom(x);
      case Scratch(var elem, var shape) -> "scratch " + shape(shape) + elem;
      case ArrayLit(var xs, var row) ->
          xs.stream().map(this::atom).toList() + (xs.isEmpty() ? " of " + type(row) : "");
      case Concat(var dim, var xs, var size) ->
          "concat@" + dim + " " + vars(xs) + " size " + atom(size);
      case Rearrange(var perm, var a) -> "rearrange " + perm + " " + atom(a);
      case Reshape(var shape, var a) -> "reshape " + shape(shape) + " " + atom(a);
      case Copy(var a) -> "fresh " + atom(a);
      case Apply(var f, var arguments) -> "apply " + f + " " + atoms(arguments);
      case UpdateAcc(var acc, var is, var xs) ->
          "update_acc " + atom(acc) + is.stream().map(this::atom).toList() + " <- " + atoms(xs);
      case Soac _, If _, Loop _, WithAcc _, Jvp _, Vjp _, WithVjp _ ->
          throw new IllegalArgumentException("has scopes");
    };
  }

  private void loop(Loop loop, int depth) {
    head(depth, "loop");
    for (var p : loop.params()) {
      indent(depth + 1).append(binder(p.var())).append(" = ").append(atom(p.init())).append('\n');
    }
    var form =
        switch (loop.form()) {
          case For(var i, var bound) -> "for " + binder(i) + " < " + atom(bound);
          case While(var c) -> "while " + atom(c);
        };
    indent(depth).append(form).append(" do\n");
    body(loop.body(), depth + 1);
  }

  private void screma(Screma s, int depth) {
    var kind = s.isMap() ? "map " : "screma ";
    head(depth, kind + atom(s.width()) + " " + vars(s.inputs()));
    s.scans().forEach(scan -> lambda("scan " + atoms(scan.neutral()), scan.op(), depth));
    for (var reduce : s.reduces()) {
      var name = reduce.commutative() ? "reduce_comm " : "reduce ";
      lambda(name + atoms(reduce.neutral()), reduce.op(), depth);
    }
    lambda("fn", s.map(), depth);
  }

  private void hist(Hist h, int depth) {
    head(depth, "hist " + atom(h.width()) + " " + vars(h.inputs()));
    for (var op : h.ops()) {
      indent(depth).append("into ").append(vars(op.dests())).append(" at ");
      out.append(shape(op.shape())).append(" neutral ").append(atoms(op.neutral()));
      out.append('\n');
      lambda("op", op.op(), depth);
    }
    lambda("fn", h.map(), depth);
  }

  private void scatter(Scatter s, int depth) {
    head(depth, "scatter " + atom(s.width()) + " " + vars(s.inputs()));
    for (var d : s.dests()) {
      indent(depth).append("into ").append(atom(d.dest())).append(" at ");
      out.append(shape(d.shape())).append('\n');
    }
    lambda("fn", s.map(), depth);
  }

  private void withAcc(WithAcc w, int depth) {
    head(depth, "with_acc");
    for (var in : w.inputs()) {
      indent(depth).append("of ").append(vars(in.arrays())).append(" at ");
      out.append(shape(in.space()));
      in.combine().ifPresent(c -> out.append(" neutral ").append(atoms(c.neutral())));
      out.append('\n');
      in.combine().ifPresent(c -> lambda("op", c.op(), depth));
    }
    lambda("body", w.body(), depth);
  }

  private void lambda(String role, Lambda lambda, int depth) {
    indent(depth).append(role).append(' ').append(binders(lambda.params())).append(" -> (");
    out.append(lambda.returns().stream().map(this::type).collect(Collectors.joining(", ")));
    out.append(")\n");
    body(lambda.body(), depth + 1);
  }

  private StringBuilder indent(int depth) {
    return out.append("  ".repeat(depth));
  }

  private void head(int depth, String text) {
    out.append('\n');
    indent(depth).append(text).append('\n');
  }

  private String width(Optional<Atom> width) {
    return width.map(w -> " width " + atom(w)).orElse("");
  }

  private static String unchecked(boolean checked) {
    return checked ? "" : " unchecked";
  }

  private static String lower(Enum<?> op) {
    return op.name().toLowerCase(Locale.ROOT);
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
  }

  private String slice(List<DimSlice> dims) {
    return dims.stream()
        .map(
            d ->
                switch (d) {
                  case DimSlice.Fix(var i) -> atom(i);
                  case DimSlice.Range(var start, var count, var stride) ->
                      atom(start) + ":+" + atom(count) + "*" + atom(stride);
                })
        .collect(Collectors.joining(", ", "[", "]"));
  }

  private String shape(List<Atom> dims) {
    return dims.stream().map(d -> "[" + dim(d) + "]").collect(Collectors.joining());
  }

  private String dim(Atom atom) {
    return atom instanceof Const(var c) ? Long.toString(c.asLong()) : atom(atom);
  }

  private String type(Type type) {
    return switch (type) {
      case Type.Scalar(var p) -> p.text();
      case Type.Array(var elem, var shape) -> shape(shape) + elem.text();
      case Type.Acc(var token, var space, var elems) ->
          "acc"
              + number(token)
              + "("
              + shape(space)
              + elems.stream().map(this::type).collect(Collectors.joining(", "))
              + ")";
    };
  }

  private String binder(Var v) {
    return name(v) + ": " + type(v.type());
  }

  private String binders(List<Var> vars) {
    return vars.stream().map(this::binder).collect(Collectors.joining(", ", "(", ")"));
  }

  private String atoms(List<? extends Atom> atoms) {
    return atoms.stream().map(this::atom).collect(Collectors.joining(", ", "(", ")"));
  }

  private String vars(List<Var> vars) {
    return atoms(vars);
  }

  private String atom(Atom atom) {
    return atom instanceof Var v ? name(v) : atom.toString();
  }

  private String name(Var v) {
    return v.name() + "_" + number(v.tag());
  }

  private int number(int tag) {
    return renumber ? numbers.computeIfAbsent(tag, _ -> numbers.size()) : tag;
  }
}
