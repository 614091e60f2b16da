package dev.kenaz.analysis;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Stm;
import java.util.stream.Stream;

/**
 * Says what running code does besides computing its results. The answers are sound in one
 * direction: what is called unobservable, repeatable or safe is so; about other code nothing is
 * known. Functions that are called are not looked at, so a call may do anything.
 */
public final class Effects {
  private Effects() {}

  /** Returns the scopes directly inside. */
  public static Stream<Body> bodies(Exp exp) {
    return switch (exp) {
      case If(_, var then, var otherwise) -> Stream.of(then, otherwise);
      case Loop(_, _, var body) -> Stream.of(body);
      case Screma(_, _, var scans, var reduces, var map) ->
          Stream.of(scans.stream().map(Scan::op), reduces.stream().map(Reduce::op), Stream.of(map))
              .flatMap(x -> x)
              .map(Lambda::body);
      case Hist(_, _, var ops, var map) ->
          Stream.concat(ops.stream().map(HistOp::op), Stream.of(map)).map(Lambda::body);
      case Scatter(_, _, _, var map) -> Stream.of(map.body());
      case Filter(_, _, var map) -> Stream.of(map.body());
      case WithAcc(var ins, var body) ->
          Stream.concat(
                  ins.stream().flatMap(i -> i.combine().stream()).map(Combine::op), Stream.of(body))
              .map(Lambda::body);
      case Jvp(var f, _, _, _) -> Stream.of(f.body());
      case Vjp(var f, _, _, _) -> Stream.of(f.body());
      case WithVjp(var f, _, var rule, _) -> Stream.of(f.body(), rule.body());
      case Simple _ -> Stream.of();
    };
  }

  /**
   * Whether running it can be noticed even if no result is used, as an assertion or a trace can.
   * Another fault, such as an index out of bounds, doesn't count: what nothing uses may be dropped.
   */
  public static boolean observable(Exp exp) {
    return exp instanceof Assert
        || exp instanceof Trace
        || exp instanceof Apply
        || bodies(exp).anyMatch(Effects::observable);
  }

  public static boolean observable(Body body) {
    return body.stms().stream().map(Stm::exp).anyMatch(Effects::observable);
  }

  /**
   * Whether two evaluations with the same operands give the same values, so that they can share one
   * result unless that is consumed. What makes an array that may be filled in place doesn't.
   */
  public static boolean repeatable(Exp exp) {
    return switch (exp) {
      case Assert _,
          Trace _,
          Update _,
          Scratch _,
          UpdateAcc _,
          Hist _,
          Scatter _,
          WithAcc _,
          Apply _,
          Copy _ ->
          false;
      case Simple _ -> true;
      case If _, Loop _, Screma _, Filter _, Jvp _, Vjp _, WithVjp _ -> repeatableInside(exp);
    };
  }

  private static boolean repeatableInside(Exp exp) {
    return bodies(exp)
        .allMatch(
            b ->
                b.stms().stream()
                    .map(Stm::exp)
                    .allMatch(
                        e ->
                            !(e instanceof Trace || e instanceof UpdateAcc)
                                && repeatableInside(e)));
  }

  /** Whether it is a scalar operation that cannot fail, whatever its operands are. */
  public static boolean safeScalar(Exp exp) {
    return switch (exp) {
      case Unary _, Compare _, Fma _, Convert _ -> true;
      case Binary(var op, var x, var y) ->
          switch (op) {
            case DIV, MOD, QUOT, REM, POW -> x.type().elemPrim().isFloat() || safeOperand(op, y);
            case ADD,
                SUB,
                MUL,
                MIN,
                MAX,
                AND,
                OR,
                XOR,
                SHL,
                SHR,
                USHR,
                ATAN2,
                HYPOT,
                COPYSIGN,
                NEXTAFTER,
                LDEXP,
                MUL_HI ->
                true;
          };
      default -> false;
    };
  }

  /** Whether it computes the same whenever it is computed, and can't fail. */
  public static boolean total(Exp exp) {
    return switch (exp) {
      case Index x -> !x.checked();
      case Slice x -> !x.checked();
      case Alias _, Rearrange _, Reshape _, Iota _, Replicate _, ArrayLit _ -> true;
      case Arithmetic x -> safeScalar(x);
      case Screma s -> bodies(s).allMatch(Effects::total);
      default -> false;
    };
  }

  public static boolean total(Body body) {
    return body.stms().stream().map(Stm::exp).allMatch(Effects::total);
  }

  private static boolean safeOperand(BinaryOp op, Atom y) {
    return y instanceof Const(var c) && (op == BinaryOp.POW ? c.asLong() >= 0 : c.asLong() != 0);
  }

  /** Returns how many statements there are, in all scopes. */
  public static int size(Body body) {
    return body.stms().stream().mapToInt(s -> 1 + size(s.exp())).sum();
  }

  public static int size(Exp exp) {
    return bodies(exp).mapToInt(Effects::size).sum();
  }
}
