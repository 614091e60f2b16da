package dev.kenaz.ad;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Attr;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Substitution;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Carries out what the user says about a loop, before reverse differentiation.
 *
 * <p>{@code #[stripmine(k)]} (001 §4.3): the loop becomes a nest of k + 1 loops of about {@code
 * n^(1/(k+1))} iterations each. Every loop of the nest keeps the value of each parameter for each
 * of its iterations, so that instead of n values only {@code (k + 1) n^(1/(k+1))} are alive, while
 * the body is executed k times more.
 *
 * <p>{@code #[bound(m)]} (001 §6.2): a while loop that is known to take at most m iterations
 * becomes a for loop of m iterations under a condition, instead of being run once more to count
 * them.
 */
final class LoopAttributes {
  static final String TRUE_DEP = "true_dep";

  private LoopAttributes() {}

  /**
   * Returns the statement in the form that its attributes ask for, or nothing if it is in that form
   * already.
   */
  static Optional<List<Stm>> apply(Builder b, Stm stm, Loop loop) {
    var strips = argument(stm, "stripmine");
    if (strips.isPresent() && strips.get() > 0 && loop.form() instanceof For f) {
      return Optional.of(stripMined(b, stm, loop, f, strips.get()));
    }
    var bound = argument(stm, "bound");
    if (bound.isPresent() && loop.form() instanceof While w) {
      return Optional.of(List.of(bounded(b, stm, loop, w, bound.get())));
    }
    return Optional.empty();
  }

  /** Returns the number that {@code #[checkpoints(c)]} gives: see {@link Checkpoints}. */
  static Optional<Integer> checkpoints(Stm stm) {
    return argument(stm, "checkpoints").filter(c -> c > 0);
  }

  /**
   * Whether {@code #[true_dep]} stands at the loop (001 §6.2): it says that what an iteration reads
   * of an array that is updated in place is not overwritten later, by it or by another one; see
   * {@link Dependences} for proofs of that.
   */
  static boolean hasNoFalseDependencies(Stm stm) {
    return stm.attrs().stream().anyMatch(a -> a.name().equals(TRUE_DEP));
  }

  /** Whether the loop is to be differentiated in another form. */
  static boolean changeTheLoop(Stm stm) {
    return Stream.of("stripmine", "bound", "checkpoints")
        .anyMatch(name -> argument(stm, name).isPresent());
  }

  private static Optional<Integer> argument(Stm stm, String name) {
    for (var attr : stm.attrs()) {
      if (attr.name().equals(name)
          && attr.arguments().size() == 1
          && attr.arguments().getFirst().name().matches("\\d{1,9}")) {
        return Optional.of(Integer.parseInt(attr.arguments().getFirst().name()));
      }
    }
    return Optional.empty();
  }

  private static List<Attr> less(Stm stm, String name, int now) {
    var attrs = new ArrayList<Attr>();
    for (var a : stm.attrs()) {
      if (!a.name().equals(name)) {
        attrs.add(a);
      }
    }
    if (now > 0) {
      attrs.add(new Attr(name, List.of(Attr.of(Integer.toString(now)))));
    }
    return attrs;
  }

  private static List<Stm> stripMined(Builder b, Stm stm, Loop loop, For f, int strips) {
    var code = b.inner();
    var n = code.convert(Prim.I64, f.bound());
    // the outermost loop takes the root, the rest is left to the loop inside
    var root =
        code.binary(
            BinaryOp.POW,
            code.convert(Prim.F64, code.binary(BinaryOp.MAX, n, i64(1))),
            Atom.of(Prim.F64, 1.0 / (strips + 1)));
    var outer = code.convert(Prim.I64, code.unary(UnaryOp.CEIL, root));
    var step = code.binary(BinaryOp.QUOT, code.sub(code.add(n, outer), i64(1)), outer);
    var j = Names.fresh("j", Type.I64);
    var params = new ArrayList<LoopParam>();
    var inits = new ArrayList<LoopParam>();
    for (var p : loop.params()) {
      var outerParam = Names.like(p.var());
      params.add(new LoopParam(outerParam, p.init()));
      inits.add(new LoopParam(p.var(), outerParam));
    }
    var body = code.inner();
    var start = body.mul(j, step);
    var left = body.binary(BinaryOp.MIN, step, body.sub(n, start));
    var i = Names.fresh("i", Type.I64);
    var inner = body.inner();
    var index = inner.convert(f.i().type().elemPrim(), inner.add(start, i));
    var original = new Substitution(Map.of(f.i(), index)).body(loop.body());
    inner.addAll(original.stms());
    var innerLoop = new Loop(inits, new For(i, left), inner.body(original.results()));
    var names = loop.params().stream().map(p -> Names.like(p.var())).toList();
    body.with(less(stm, "stripmine", strips - 1)).bindAll(names, innerLoop);
    var exp = new Loop(params, new For(j, outer), body.body(names));
    code.add(new Stm(stm.pattern(), exp, less(stm, "stripmine", 0), stm.span()));
    return code.stms();
  }

  private static Stm bounded(Builder b, Stm stm, Loop loop, While w, int bound) {
    var code = b.inner();
    var vars = loop.params().stream().map(LoopParam::var).toList();
    var stay = new Body(List.of(), List.<Atom>copyOf(vars));
    var results = code.bindAll(resultNames(vars), new If(w.condition(), loop.body(), stay));
    var i = Names.fresh("i", Type.I64);
    var exp = new Loop(loop.params(), new For(i, i64(bound)), code.body(results));
    return new Stm(stm.pattern(), exp, less(stm, "bound", 0), stm.span());
  }

  private static List<Var> resultNames(List<Var> vars) {
    return vars.stream().map(Names::like).toList();
  }
}
