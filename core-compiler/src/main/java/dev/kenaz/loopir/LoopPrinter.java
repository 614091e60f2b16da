package dev.kenaz.loopir;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.loopir.LoopFun.ArrayResult;
import dev.kenaz.loopir.LoopFun.Param;
import dev.kenaz.loopir.LoopFun.Result;
import dev.kenaz.loopir.LoopFun.ScalarResult;
import dev.kenaz.value.Prim;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Prints loop IR, host code and kernels as text for people; see docs/ir.md for an example. Numbers
 * without a type are i64.
 */
public final class LoopPrinter {
  private final StringBuilder out = new StringBuilder();

  private LoopPrinter() {}

  public static String print(LoopProgram program) {
    var p = new LoopPrinter();
    program.functions().forEach(p::entry);
    for (var c : program.callees()) {
      p.function("def " + c.name(), c.params(), c.body(), c.results());
    }
    return p.out.toString();
  }

  public static String print(GpuEntries program) {
    var p = new LoopPrinter();
    for (var e : program.entries()) {
      p.entry(e.host());
      e.kernels().forEach(p::kernel);
    }
    return p.out.toString();
  }

  public static String print(GpuProgram program) {
    var p = new LoopPrinter();
    program.functions().forEach(p::entry);
    program.kernels().forEach(p::kernel);
    for (int k = 0; k < program.faults().size(); k++) {
      var fault = program.faults().get(k).fault();
      p.line(0, "fault " + k + " = " + fault(fault) + " at " + fault.span());
    }
    return p.out.toString();
  }

  public static String print(List<Code> code) {
    var p = new LoopPrinter();
    p.block(code, 0);
    return p.out.toString();
  }

  public static String print(Expr e) {
    return expr(e);
  }

  // Functions

  private void entry(LoopFun f) {
    function("entry " + f.entry().name(), f.params(), f.body(), f.results());
  }

  private void function(String head, List<Param> params, List<Code> body, List<Result> results) {
    line(0, head + " " + list(params, LoopPrinter::param) + " =");
    block(body, 1);
    line(1, "in " + list(results, LoopPrinter::result));
    out.append('\n');
  }

  private static String param(Param p) {
    return p.reg() + ": " + shape(p.dims()) + p.prim().text();
  }

  private static String result(Result r) {
    return switch (r) {
      case ScalarResult(var e) -> expr(e);
      case ArrayResult(var prim, var slot, var address, var dims) ->
          expr(address) + ": " + shape(dims) + prim.text() + " of " + slot.base();
    };
  }

  private void kernel(Kernel k) {
    line(0, "kernel " + k.name() + " " + list(k.params(), LoopPrinter::param) + " =");
    line(1, "-- " + k.what() + (k.span().known() ? ", " + k.span() : ""));
    var g = k.grid();
    line(
        1,
        "thread %s of %s in block %s of %s"
            .formatted(g.thread(), g.threads(), g.block(), g.blocks()));
    for (var s : k.shared()) {
      line(
          1,
          "shared " + s.base() + ": [" + (s.count() == 0 ? "" : s.count()) + "]" + s.prim().text());
    }
    k.locals().forEach(l -> line(1, "local " + l.base() + ": " + l.bytes() + " bytes"));
    k.heap().forEach(s -> line(1, "heap " + s.base()));
    block(k.body(), 1);
    out.append('\n');
  }

  private static String param(Kernel.Param p) {
    return p.reg() + ": " + (p.pointer() ? "pointer" : p.reg().prim().text());
  }

  // Statements

  private void block(List<Code> code, int depth) {
    code.forEach(c -> code(c, depth));
  }

  private void code(Code c, int depth) {
    switch (c) {
      case Code.If(var condition, var then, var otherwise) -> {
        line(depth, then.isEmpty() ? "unless " + expr(condition) : "if " + expr(condition));
        block(then, depth + 1);
        if (!otherwise.isEmpty() && !then.isEmpty()) {
          line(depth, "else");
        }
        if (!otherwise.isEmpty()) {
          block(otherwise, depth + 1);
        }
      }
      case Code.For f -> {
        var folded =
            f.reductions().stream()
                .map(r -> ", " + lower(r.op()) + " in " + r.reg())
                .collect(Collectors.joining());
        var how = f.independent() ? " independent" : "";
        line(depth, "for " + f.i() + " < " + expr(f.bound()) + how + folded);
        block(f.body(), depth + 1);
      }
      case Code.While(var condition, var body) -> {
        line(depth, "while " + expr(condition));
        block(body, depth + 1);
      }
      case Code.Parallel p -> {
        line(
            depth,
            "parallel %s < %s%s"
                .formatted(p.chunk(), expr(p.chunks()), p.divisible() ? " divisible" : ""));
        line(depth + 2, p.lo() + " .. " + p.hi() + " of " + expr(p.extent()));
        line(depth + 2, "work " + expr(p.work()));
        block(p.body(), depth + 1);
      }
      case Code.Gpu(GpuCode.Locked(var base, var index, var body)) -> {
        line(depth, "locked i32 " + element(base, index));
        block(body, depth + 1);
      }
      case Code.Gpu(GpuCode.Attempt(var body)) -> {
        line(depth, "attempt");
        block(body, depth + 1);
      }
      case Code.Gpu(var g) -> line(depth, gpu(g));
      case Code.Simple s -> line(depth, simple(s));
    }
  }

  private static String simple(Code.Simple c) {
    return switch (c) {
      case Code.Set(var reg, var e) -> set(reg) + expr(e);
      case Code.Store(var prim, var base, var index, var value) ->
          prim.text() + " " + element(base, index) + " <- " + expr(value);
      case Code.AtomicUpdate(var op, var prim, var base, var index, var value) ->
          "atomic %s %s <- %s %s"
              .formatted(prim.text(), element(base, index), lower(op), expr(value));
      case Code.Ensure(var slot, var bytes) -> "ensure " + slot.base() + " " + expr(bytes);
      case Code.Free(var slot) -> "free " + slot.base();
      case Code.Swap(var a, var b) -> "swap " + a.base() + " " + b.base();
      case Code.CopyBytes(var to, var from, var bytes) ->
          "copy " + expr(bytes) + " bytes from " + expr(from) + " to " + expr(to);
      case Code.MatrixProduct m ->
          m.prim().text()
              + " "
              + matrix(m.c(), m.rows(), m.columns())
              + (m.add() ? " += " : " = ")
              + matrix(m.a(), m.rows(), m.depth())
              + (m.term() == Code.MatrixProduct.Term.PRODUCT ? " * " : " distances ")
              + matrix(m.b(), m.depth(), m.columns())
              + m.read().map(LoopPrinter::band).orElse("");
      case Code.Check(var condition, var fault, var arguments) ->
          "check " + expr(condition) + " else " + fault(fault) + " " + exprs(arguments);
      case Code.Call(var f, var arguments, var outputs) ->
          list(outputs, LoopPrinter::output) + " = call " + f + " " + exprs(arguments);
      case Code.Print(var label, var value) -> "print " + quoted(label) + " " + expr(value);
      case Code.Plan(var chunks, var extent, var work, var most) ->
          set(chunks) + "plan " + expr(extent) + " work " + expr(work) + " most " + expr(most);
    };
  }

  private static String band(Band band) {
    return " where row + %s <= column < row + %s".formatted(expr(band.from()), expr(band.to()));
  }

  private static String output(Code.Output o) {
    return switch (o) {
      case Code.ScalarOutput(var reg) -> reg + ": " + reg.prim().text();
      case Code.ArrayOutput(var slot, var address, var dims) ->
          address
              + ": "
              + dims.stream().map(d -> "[" + d + "]").collect(Collectors.joining())
              + " of "
              + slot.base();
    };
  }

  private static String matrix(Code.Matrix m, Expr rows, Expr columns) {
    return "(%s rows %s by %s, columns %s by %s)"
        .formatted(
            expr(m.address()),
            expr(rows),
            expr(m.rowStride()),
            expr(columns),
            expr(m.columnStride()));
  }

  private static String gpu(GpuCode g) {
    return switch (g) {
      case GpuCode.Launch(var kernel, var blocks, var threads, var shared, var arguments) ->
          "launch %s %s blocks %s threads %s shared %s"
              .formatted(kernel, exprs(arguments), expr(blocks), expr(threads), expr(shared));
      case GpuCode.Memory(var to) -> set(to) + "device memory";
      case GpuCode.Barrier _ -> "barrier";
      case GpuCode.Fence _ -> "fence";
      case GpuCode.ReadShared(var to, var prim, var base, var index) ->
          set(to) + "fresh " + prim.text() + " " + element(base, index);
      case GpuCode.WriteShared(var prim, var base, var index, var value) ->
          "at once " + prim.text() + " " + element(base, index) + " <- " + expr(value);
      case GpuCode.Fetch(var old, var op, var prim, var base, var index, var value) ->
          "%sfetch %s %s <- %s %s"
              .formatted(set(old), prim.text(), element(base, index), lower(op), expr(value));
      case GpuCode.Shuffle(var to, var how, var value, var lane) ->
          set(to) + "shuffle " + lower(how) + " " + expr(lane) + " " + expr(value);
      case GpuCode.Ballot(var to, var condition) -> set(to) + "ballot " + expr(condition);
      case GpuCode.MultiplyTile(var sums, var left, var right) ->
          "multiply %s <- %s %s"
              .formatted(
                  exprs(sums.stream().<Expr>map(Expr::use).toList()), exprs(left), exprs(right));
      case GpuCode.Guard(var condition, var site, var arguments) ->
          "guard " + expr(condition) + " else fault " + site + " " + exprs(arguments);
      case GpuCode.Failed(var to) -> set(to) + "failed";
      case GpuCode.Locked _, GpuCode.Attempt _ -> throw new IllegalArgumentException("has blocks");
    };
  }

  private static String set(Reg reg) {
    return reg + ": " + reg.prim().text() + " = ";
  }

  private static String fault(Fault f) {
    return f.code() + " " + quoted(f.message());
  }

  // Expressions

  private static String expr(Expr e) {
    return switch (e) {
      case Expr.Lit(var value) ->
          value.prim() == Prim.I64 ? Long.toString(value.bits()) : value.toString();
      case Expr.Use(var reg) -> reg.toString();
      case Expr.Un(var op, var x, _) -> lower(op) + "(" + expr(x) + ")";
      case Expr.Bin(var op, var x, var y) -> infix(op, expr(x), expr(y));
      case Expr.Cmp(var op, var x, var y) ->
          "("
              + expr(x)
              + switch (op) {
                case EQ -> " == ";
                case LT -> " < ";
                case LE -> " <= ";
              }
              + expr(y)
              + ")";
      case Expr.Size(var x, var y) -> "size(" + expr(x) + ", " + expr(y) + ")";
      case Expr.MulAdd(var x, var y, var z) ->
          "fma(" + expr(x) + ", " + expr(y) + ", " + expr(z) + ")";
      case Expr.Conv(var prim, var x) -> prim.text() + "(" + expr(x) + ")";
      case Expr.Select(var c, var x, var y) ->
          "(if " + expr(c) + " then " + expr(x) + " else " + expr(y) + ")";
      case Expr.Load(var prim, var base, var index) -> prim.text() + " " + element(base, index);
    };
  }

  private static String infix(BinaryOp op, String x, String y) {
    return switch (op) {
      case ADD -> "(" + x + " + " + y + ")";
      case SUB -> "(" + x + " - " + y + ")";
      case MUL -> "(" + x + " * " + y + ")";
      default -> lower(op) + "(" + x + ", " + y + ")";
    };
  }

  private static String element(Expr base, Expr index) {
    return expr(base) + "[" + expr(index) + "]";
  }

  private static String exprs(List<Expr> es) {
    return list(es, LoopPrinter::expr);
  }

  private static String shape(List<Expr> dims) {
    return dims.stream().map(d -> "[" + expr(d) + "]").collect(Collectors.joining());
  }

  private static <T> String list(List<T> all, Function<T, String> text) {
    return all.stream().map(text).collect(Collectors.joining(", ", "(", ")"));
  }

  private static String lower(Enum<?> op) {
    return op.name().toLowerCase(Locale.ROOT);
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
  }

  private void line(int depth, String text) {
    out.append("  ".repeat(depth)).append(text).append('\n');
  }
}
