package dev.kenaz.loopir;

import dev.kenaz.ir.BinaryOp;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Finds by how much indices in code without loops grow when a register grows. */
public final class Strides {
  private final Map<Reg, Expr> definitions = new HashMap<>();
  private final Set<Reg> several = new HashSet<>();

  /** The registers whose definitions are being looked at. */
  private final Set<Reg> open = new HashSet<>();

  private final List<Expr.Load> loads = new ArrayList<>();
  private boolean plain = true;

  public Strides(List<Code> code) {
    code.forEach(this::code);
  }

  /** Whether there is nothing except assignments and branches. */
  public boolean plain() {
    return plain;
  }

  public List<Expr.Load> loads() {
    return loads;
  }

  private void code(Code c) {
    switch (c) {
      case Code.Set(var reg, var e) -> {
        if (definitions.put(reg, e) != null) {
          several.add(reg);
        }
        collect(e);
      }
      case Code.If(var condition, var then, var otherwise) -> {
        collect(condition);
        then.forEach(this::code);
        otherwise.forEach(this::code);
      }
      default -> plain = false;
    }
  }

  private void collect(Expr e) {
    if (e instanceof Expr.Load load) {
      loads.add(load);
    }
    e.operands().forEach(this::collect);
  }

  /** What the expression grows by when the register grows by one; null if that isn't one value. */
  public Expr of(Expr e, Reg by) {
    return switch (e) {
      case Expr.Use(var reg) when reg.equals(by) -> Expr.i64(1);
      case Expr.Use(var reg) when several.contains(reg) -> null;
      case Expr.Use(var reg) -> definitions.containsKey(reg) ? ofDefinition(reg, by) : Expr.i64(0);
      case Expr.Bin(var op, var x, var y)
          when op == BinaryOp.ADD || op == BinaryOp.SUB || op == BinaryOp.MUL ->
          binary(op, x, y, by);
      default ->
          e.operands().stream().allMatch(x -> Expr.isConst(orOne(of(x, by)), 0))
              ? Expr.i64(0)
              : null;
    };
  }

  /** What is made of its own earlier value, as a loop's sum is, has no stride. */
  private Expr ofDefinition(Reg reg, Reg by) {
    if (!open.add(reg)) {
      return null;
    }
    var stride = of(definitions.get(reg), by);
    open.remove(reg);
    return stride;
  }

  private static Expr orOne(Expr stride) {
    return stride == null ? Expr.i64(1) : stride;
  }

  private Expr binary(BinaryOp op, Expr x, Expr y, Reg by) {
    var a = of(x, by);
    var b = of(y, by);
    if (a == null || b == null) {
      return null;
    }
    boolean steadyX = Expr.isConst(a, 0);
    boolean steadyY = Expr.isConst(b, 0);
    if (op == BinaryOp.MUL) {
      return steadyX ? Expr.mul(x, b) : steadyY ? Expr.mul(a, y) : null;
    }
    return op == BinaryOp.ADD ? Expr.add(a, b) : Expr.sub(a, b);
  }
}
