package dev.kenaz.loopir;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** Visits every statement and expression of some code, outer ones first. */
public final class CodeWalk {
  private CodeWalk() {}

  public static void code(List<Code> code, Consumer<Code> statement, Consumer<Expr> expression) {
    code.forEach(c -> code(c, statement, expression));
  }

  /** Whether a statement of the kind is in the code. */
  public static boolean has(List<Code> code, Class<? extends Code> kind) {
    return code.stream()
        .anyMatch(c -> kind.isInstance(c) || inner(c).stream().anyMatch(b -> has(b, kind)));
  }

  /**
   * Whether the code has at most {@code most} statements, inner ones included, none of which may
   * take long.
   */
  public static boolean brief(List<Code> code, int most) {
    var count = new int[1];
    code(
        code,
        c ->
            count[0] +=
                c instanceof Code.While || c instanceof Code.Ensure || c instanceof Code.CopyBytes
                    ? most + 1
                    : 1,
        _ -> {});
    return count[0] <= most;
  }

  private static void code(Code c, Consumer<Code> statement, Consumer<Expr> expression) {
    statement.accept(c);
    operands(c).forEach(e -> expr(e, expression));
    inner(c).forEach(body -> code(body, statement, expression));
  }

  /** Returns the statements inside, block by block. */
  public static List<List<Code>> inner(Code c) {
    return switch (c) {
      case Code.If(_, var then, var otherwise) -> List.of(then, otherwise);
      case Code.For f -> List.of(f.body());
      case Code.While(_, var body) -> List.of(body);
      case Code.Parallel p -> List.of(p.body());
      case Code.Gpu(var g) -> List.of(g.inner());
      case Code.Simple _ -> List.of();
    };
  }

  /** Returns the statement with other statements inside, block by block. */
  public static Code withInner(Code c, UnaryOperator<List<Code>> change) {
    return switch (c) {
      case Code.If(var condition, var then, var otherwise) ->
          new Code.If(condition, change.apply(then), change.apply(otherwise));
      case Code.For(var i, var bound, var body, var independent, var reductions) ->
          new Code.For(i, bound, change.apply(body), independent, reductions);
      case Code.While(var condition, var body) -> new Code.While(condition, change.apply(body));
      case Code.Parallel p ->
          new Code.Parallel(
              p.extent(),
              p.work(),
              p.chunks(),
              p.divisible(),
              p.chunk(),
              p.lo(),
              p.hi(),
              change.apply(p.body()));
      case Code.Gpu(GpuCode.Attempt(var body)) ->
          new Code.Gpu(new GpuCode.Attempt(change.apply(body)));
      case Code.Gpu(GpuCode.Locked(var base, var index, var body)) ->
          new Code.Gpu(new GpuCode.Locked(base, index, change.apply(body)));
      case Code.Simple _, Code.Gpu _ -> c;
    };
  }

  /** Returns the expressions of the statement itself, not of those inside. */
  public static List<Expr> operands(Code c) {
    return switch (c) {
      case Code.Set(_, var e) -> List.of(e);
      case Code.Store(_, var base, var index, var value) -> List.of(base, index, value);
      case Code.AtomicUpdate(_, _, var base, var index, var value) -> List.of(base, index, value);
      case Code.Ensure(_, var bytes) -> List.of(bytes);
      case Code.CopyBytes(var to, var from, var bytes) -> List.of(to, from, bytes);
      case Code.MatrixProduct m -> m.operands();
      case Code.If(var condition, _, _) -> List.of(condition);
      case Code.For f -> List.of(f.bound());
      case Code.While(var condition, _) -> List.of(condition);
      case Code.Check(var condition, _, var arguments) -> {
        var all = new ArrayList<Expr>();
        all.add(condition);
        all.addAll(arguments);
        yield all;
      }
      case Code.Call call -> call.arguments();
      case Code.Print(_, var value) -> List.of(value);
      case Code.Plan(_, var extent, var work, var most) -> List.of(extent, work, most);
      case Code.Parallel p -> List.of(p.extent(), p.work(), p.chunks());
      case Code.Gpu(var g) -> g.operands();
      case Code.Free _, Code.Swap _ -> List.of();
    };
  }

  public static void expr(Expr e, Consumer<Expr> action) {
    action.accept(e);
    e.operands().forEach(x -> expr(x, action));
  }
}
