package dev.kenaz.distribute;

import dev.kenaz.analysis.Aliases;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp.Binary;
import dev.kenaz.ir.Exp.For;
import dev.kenaz.ir.Exp.Loop;
import dev.kenaz.ir.Exp.LoopParam;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Substitution;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Joins loops of known lengths that don't depend on each other, such as two fits to the same rows.
 * The stages of the one then run with those of the other, and read the rows once for both.
 *
 * @param before statements between the loops that don't depend on the first one: they come before
 *     both
 * @param second the other loop
 * @param after statements between the loops that depend on the first one: they come after both
 */
record JoinedLoops(List<Stm> before, Stm second, List<Stm> after) {

  /**
   * Returns the first loop after a counted loop that can be joined with it, as far as the order of
   * the statements matters.
   *
   * @param rest the statements after the loop
   */
  static Optional<JoinedLoops> of(Stm first, List<Stm> rest) {
    var depends = new HashSet<>(first.pattern());
    var before = new ArrayList<Stm>();
    var after = new ArrayList<Stm>();
    for (var stm : rest) {
      boolean independent = Collections.disjoint(FreeVars.of(stm), depends);
      if (independent
          && stm.exp() instanceof Loop(_, For _, _)
          && together(first, stm)
          && stm.attrs().equals(first.attrs())) {
        var joined = new JoinedLoops(before, stm, after);
        return joined.keepsWhatIsRead(first) ? Optional.of(joined) : Optional.empty();
      }
      if (independent) {
        before.add(stm);
      } else {
        after.add(stm);
        depends.addAll(stm.pattern());
      }
    }
    return Optional.empty();
  }

  /** Whether what comes earlier than in the program overwrites nothing that others must read. */
  private boolean keepsWhatIsRead(Stm first) {
    var all = new ArrayList<Stm>(List.of(first));
    all.addAll(before);
    all.addAll(after);
    all.add(second);
    var aliases = Aliases.of(all);
    var overwritten = new HashSet<Var>();
    for (var stm : before) {
      overwritten.addAll(roots(aliases, Aliases.of(stm).consumed()));
    }
    overwritten.addAll(roots(aliases, Aliases.of(second).consumed()));
    var read = new HashSet<>(roots(aliases, FreeVars.of(first)));
    after.forEach(s -> read.addAll(roots(aliases, FreeVars.of(s))));
    return Collections.disjoint(overwritten, read);
  }

  private static Set<Var> roots(Aliases aliases, Set<Var> vars) {
    var roots = new HashSet<Var>();
    vars.forEach(v -> roots.addAll(aliases.rootsOf(v)));
    return roots;
  }

  /** Returns the loop that does what both do, and what is left of the one that goes on longer. */
  List<Stm> with(Stm first) {
    var one = bound(first);
    var other = bound(second);
    if (one.equals(other)) {
      return List.of(joined(first, second));
    }
    long common = Math.min(((Const) one).value().asLong(), ((Const) other).value().asLong());
    return ((Const) one).value().asLong() > common
        ? joined(split(first, common), second, false)
        : joined(split(second, common), first, true);
  }

  private static List<Stm> joined(List<Stm> parts, Stm whole, boolean wholeFirst) {
    var part = parts.getFirst();
    var both = wholeFirst ? joined(whole, part) : joined(part, whole);
    return List.of(both, parts.getLast());
  }

  private static Stm joined(Stm first, Stm second) {
    var one = (Loop) first.exp();
    var other = (Loop) second.exp();
    var number = Map.<Var, Atom>of(((For) other.form()).i(), ((For) one.form()).i());
    var body = new Substitution(number).body(other.body());
    return first.with(
        Lists.concat(first.pattern(), second.pattern()),
        new Loop(
            Lists.concat(one.params(), other.params()),
            one.form(),
            new Body(
                Lists.concat(one.body().stms(), body.stms()),
                Lists.concat(one.body().results(), body.results()))));
  }

  /** Returns the first iterations of a loop, so many, and the others. */
  private static List<Stm> split(Stm stm, long trips) {
    var loop = (Loop) stm.exp();
    var prim = bound(stm).type().elemPrim();
    var between = stm.pattern().stream().map(Names::like).toList();
    var begin = new For(((For) loop.form()).i(), Atom.of(prim, trips));
    var again = (Loop) new Renaming().exp(loop);
    var params = new ArrayList<LoopParam>();
    for (int i = 0; i < between.size(); i++) {
      params.add(new LoopParam(again.params().get(i).var(), between.get(i)));
    }
    var j = Names.fresh("i", Type.scalar(prim));
    var in = new Builder(stm.span());
    var number = new Binary(BinaryOp.ADD, j, Atom.of(prim, trips));
    in.bindAll(List.of(((For) again.form()).i()), number);
    in.addAll(again.body().stms());
    var rest = new For(j, Atom.of(prim, ((Const) bound(stm)).value().asLong() - trips));
    return List.of(
        stm.with(between, new Loop(loop.params(), begin, loop.body())),
        stm.with(stm.pattern(), new Loop(params, rest, in.body(again.body().results()))));
  }

  private static Atom bound(Stm stm) {
    return ((For) ((Loop) stm.exp()).form()).bound();
  }

  /** Whether the loops have the same iterations, as far as the shorter one goes. */
  private static boolean together(Stm first, Stm second) {
    var one = bound(first);
    var other = bound(second);
    return one.equals(other)
        || one.type().equals(other.type())
            && one instanceof Const(var a)
            && other instanceof Const(var b)
            && Math.min(a.asLong(), b.asLong()) > 0
            && hasFixedSizes(first)
            && hasFixedSizes(second);
  }

  /** Whether none of a loop's results is the size of another one. */
  private static boolean hasFixedSizes(Stm loop) {
    return loop.pattern().stream()
        .allMatch(v -> Collections.disjoint(FreeVars.of(v.type()), loop.pattern()));
  }
}
