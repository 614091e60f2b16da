package dev.kenaz.lower;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Lowers {@code jvp2}, {@code vjp2} and the like to nodes of core IR, which the pass {@code ad}
 * expands.
 */
record Derivatives(Evaluator evaluator) {
  Static function(String name, Intrinsic.Instance at) {
    return switch (name) {
      case "jvp2" -> Static.fun(3, (s, x) -> forward(x, at, Optional.empty(), s));
      case "jmp2" -> Static.fun(3, (s, x) -> forward(x, at, Optional.of(at.size(2)), s));
      case "vjp2" -> Static.fun(3, (s, x) -> reverse(x, at, Optional.empty(), s));
      case "mjp2" -> Static.fun(3, (s, x) -> reverse(x, at, Optional.of(at.size(2)), s));
      case "with_vjp" -> Static.fun(3, (s, x) -> custom(x.get(0), x.get(1), x.get(2), at, s));
      default -> throw new CompilerBug("lower", "no derivative " + name);
    };
  }

  private Static forward(
      List<Static> args, Intrinsic.Instance at, Optional<Atom> vector, Scope scope) {
    var x = args.get(1);
    var types = at.type(0).leaves();
    var width = vector.map(n -> Arrays.width(args.get(2), n));
    var seeds = under(width, types);
    var f = lambda(args.get(0), x, types, at.type(1).leaves(), scope.inner());
    var exp = new Exp.Jvp(f, cast(x, types, scope), cast(args.get(2), seeds, scope), width);
    return split(at.type(1), at.type(1), scope.builder().bindAll("jvp", exp));
  }

  private Static reverse(
      List<Static> args, Intrinsic.Instance at, Optional<Atom> vector, Scope scope) {
    var x = args.get(1);
    var types = at.type(0).leaves();
    var width = vector.map(n -> Arrays.width(args.get(2), n));
    var seeds = under(width, at.type(1).leaves());
    var f = lambda(args.get(0), x, types, at.type(1).leaves(), scope.reversed());
    var exp = new Exp.Vjp(f, cast(x, types, scope), cast(args.get(2), seeds, scope), width);
    return split(at.type(1), at.type(0), scope.builder().bindAll("vjp", exp));
  }

  private Static custom(Static f, Static rule, Static x, Intrinsic.Instance at, Scope scope) {
    var argument = at.type(0).leaves();
    var result = at.type(1).leaves();
    var tape = at.type(2).leaves();
    var both = Static.tuple(filled(at.type(1), result), filled(at.type(2), tape));
    var all = both.types();
    var function = lambda(f, x, argument, all, scope.inner());

    var params = new ArrayList<Var>();
    List.of(argument, result, tape, result)
        .forEach(ts -> ts.forEach(t -> params.add(Names.fresh("r", t))));
    int tapeAt = argument.size() + result.size();
    int seedAt = tapeAt + tape.size();
    var inner = scope.inner();
    var kept = Static.of(at.type(2), params.subList(tapeAt, seedAt));
    var seed = Static.of(at.type(1), params.subList(seedAt, params.size()));
    var adjoint = evaluator.apply(rule, List.of(kept, seed), inner);
    var ruleBody = inner.body(cast(adjoint, argument, inner));
    var exp =
        new Exp.WithVjp(
            function,
            tape.size(),
            new Lambda(params, ruleBody, argument),
            cast(x, argument, scope));
    return Static.of(at.type(1), scope.builder().bindAll("f", exp));
  }

  private static Static filled(Ty type, List<Type> leaves) {
    return Static.of(type, leaves.stream().map(t -> Names.fresh("t", t)).toList());
  }

  private Lambda lambda(
      Static f, Static example, List<Type> types, List<Type> results, Scope inner) {
    var params = types.stream().map(t -> Names.fresh("x", t)).toList();
    var value = evaluator.apply(f, List.of(example.with(params)), inner);
    return new Lambda(params, inner.body(cast(value, results, inner)), results);
  }

  private static List<Type> under(Optional<Atom> width, List<Type> types) {
    return types.stream().map(t -> width.map(t::under).orElse(t)).toList();
  }

  private static List<Atom> cast(Static value, List<Type> types, Scope scope) {
    var leaves = value.leaves();
    return IntStream.range(0, leaves.size())
        .mapToObj(i -> scope.cast(leaves.get(i), types.get(i)))
        .toList();
  }

  private static Static split(Ty first, Ty second, List<Var> vars) {
    int n = first.leaves().size();
    return Static.tuple(
        Static.of(first, vars.subList(0, n)), Static.of(second, vars.subList(n, vars.size())));
  }
}
