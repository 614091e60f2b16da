package dev.kenaz.fuse;

import dev.kenaz.analysis.Aliases;
import dev.kenaz.analysis.BackwardSlice;
import dev.kenaz.analysis.Effects;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Computes before a loop what its iterations multiply that doesn't depend on the iterations before:
 *
 * <pre>
 *   loop s for t &lt; n: let p = map (\x -> map (dot x) w) xs[t] in f p s
 *     is  let ps = map (\x -> map (dot x) w) (flatten xs)
 *         loop s for t &lt; n: f ps[t] s
 * </pre>
 *
 * <p>So a recurrent network multiplies the weights by the inputs of all its steps at once: one
 * large product in place of many small ones. It takes memory for all steps; where that is much, the
 * loop is left as it is. An array that the loop only fills with the products, as the one that keeps
 * them for a return sweep (001 §5.1), is the array of products.
 *
 * <p>Only loops outside of parallel operators are taken, and only what can't fail: it is computed
 * before what the loop's iterations would do first.
 */
final class EarlyProducts implements CodeRewriter {
  /**
   * The products of a loop's steps take at most so many bytes that the loop doesn't take itself.
   */
  private static final long MOST_BYTES = 1L << 30;

  /** A loop with more statements is not worth the time to compile it twice. */
  private static final int MOST_STATEMENTS = 3000;

  private final long mostBytes;

  private EarlyProducts(long mostBytes) {
    this.mostBytes = mostBytes;
  }

  static CoreProgram run(CoreProgram program) {
    return run(program, MOST_BYTES);
  }

  /**
   * Does the same with another limit.
   *
   * @param mostBytes how many bytes more than the loop the products of its steps take at most
   */
  static CoreProgram run(CoreProgram program, long mostBytes) {
    return new EarlyProducts(mostBytes).program(program);
  }

  @Override
  public List<Stm> stm(Stm stm) {
    if (!(stm.exp() instanceof If || stm.exp() instanceof Loop)) {
      return List.of(stm);
    }
    var inner = CodeRewriter.super.stm(stm).getFirst();
    return inner.exp() instanceof Loop l
            && l.form() instanceof For f
            && f.bound().type().equals(Type.I64)
        ? new Early(inner, l, f, mostBytes).apply()
        : List.of(inner);
  }

  /** One loop. */
  private static final class Early {
    private final Stm stm;
    private final Loop loop;
    private final For form;
    private final long mostBytes;
    private final Aliases aliases;
    private final Uses uses;

    /** What an iteration binds that isn't known before the loop, but for what is early. */
    private final Set<Var> own = new HashSet<>();

    /** The loop's counter, and what can be computed of it alone. */
    private final Set<Var> early = new HashSet<>();

    /** The number of steps, and the sizes of arrays from before the loop. */
    private final Set<Atom> sizes = new HashSet<>();

    Early(Stm stm, Loop loop, For form, long mostBytes) {
      this.stm = stm;
      this.loop = loop;
      this.form = form;
      this.mostBytes = mostBytes;
      aliases = Aliases.of(loop.body());
      uses = Uses.in(loop.body());
      loop.params().forEach(p -> own.add(p.var()));
      own.addAll(Stm.bound(loop.body().stms()));
      own.add(form.i());
      early.add(form.i());
      sizes.add(form.bound());
      for (var v : FreeVars.of(stm)) {
        sizes.addAll(v.type().dims());
      }
    }

    List<Stm> apply() {
      var products = products();
      if (products.isEmpty()
          || Effects.size(loop.body()) > MOST_STATEMENTS
          || loop.params().stream().anyMatch(p -> varies(p.var().type()))) {
        return List.of(stm);
      }
      var b = new Builder(stm.span());
      var fits = fits(b, products);
      var copy = (Loop) new Renaming().exp(loop);
      var types = stm.pattern().stream().map(Var::type).toList();
      var otherwise = b.inner();
      var results = otherwise.bindAll("loop", types, copy);
      b.add(stm.with(new If(fits, withProducts(products), otherwise.body(results))));
      return b.stms();
    }

    /** Returns the code that multiplies first. */
    private Body withProducts(List<Stm> products) {
      var b = new Builder(stm.span());
      var all = new HashMap<Atom, Var>();
      var stms = new ArrayList<>(loop.body().stms());
      for (var p : products) {
        var made = rows(p).map(xs -> flat(b, p, xs)).orElseGet(() -> nested(b, p));
        all.put(p.var(), made);
        stms.set(stms.indexOf(p), p.with(new Index(made, List.of(form.i()), false)));
      }
      var params = new ArrayList<LoopParam>();
      var pattern = new ArrayList<Var>();
      var now = new ArrayList<Atom>();
      var results = new ArrayList<Atom>();
      for (int k = 0; k < loop.params().size(); k++) {
        var filling = filling(k).filter(u -> all.containsKey(value(u)));
        if (filling.isPresent()) {
          stms.remove(filling.get());
          results.add(all.remove(value(filling.get())));
        } else {
          params.add(loop.params().get(k));
          now.add(loop.body().results().get(k));
          pattern.add(Names.like(stm.pattern().get(k)));
          results.add(pattern.getLast());
        }
      }
      b.add(stm.with(pattern, new Loop(params, form, new Body(stms, now))));
      return b.body(results);
    }

    /** Returns what fills an array that the loop only fills, a row in each iteration. */
    private Optional<Stm> filling(int k) {
      var param = loop.params().get(k).var();
      var result = loop.body().results().get(k);
      return loop.body().stms().stream()
          .filter(s -> s.pattern().equals(List.of(result)))
          .filter(
              s ->
                  s.exp() instanceof Update u
                      && u.array().equals(param)
                      && !u.checked()
                      && isOwnRow(u)
                      && param.type().equals(u.value().type().under(form.bound())))
          .filter(_ -> uses.of(param) == 1 && uses.of(result) == 1)
          .findFirst();
    }

    private static Atom value(Stm filling) {
      return ((Update) filling.exp()).value();
    }

    /** Whether an iteration overwrites its row of the array. */
    private boolean isOwnRow(Update u) {
      var dims = u.array().type().dims();
      return u.slice().getFirst().equals(new DimSlice.Fix(form.i()))
          && IntStream.range(1, dims.size()).allMatch(d -> u.slice().get(d).isWhole(dims.get(d)));
    }

    /** Returns the products that are early, of which none needs another. */
    private List<Stm> products() {
      var found = new ArrayList<Stm>();
      var stms = loop.body().stms();
      for (int k = 0; k < stms.size(); k++) {
        var s = stms.get(k);
        if (!isEarly(s)) {
          continue;
        }
        early.addAll(s.pattern());
        var needed = BackwardSlice.of(stms.subList(0, k), FreeVars.of(s));
        if (isProduct(s)
            && isKept(s)
            && needed.used().contains(form.i())
            && needed.stms().stream().noneMatch(Early::isProduct)) {
          found.add(s);
        }
      }
      return found;
    }

    private boolean isEarly(Stm s) {
      return FreeVars.of(s).stream().allMatch(v -> early.contains(v) || !own.contains(v))
          && s.pattern().stream().noneMatch(aliases::isConsumed)
          && s.pattern().stream().noneMatch(v -> v.type() instanceof Type.Acc)
          && Effects.total(s.exp())
          && sizesExist(s.exp());
    }

    /**
     * Whether all arrays that it makes have sizes that cannot be negative: the loop checks others,
     * and only in its steps.
     */
    private boolean sizesExist(Exp exp) {
      var made =
          switch (exp) {
            case Iota(var n, _, _) -> List.of(n);
            case Replicate(var shape, _) -> shape;
            default -> List.<Atom>of();
          };
      return made.stream().allMatch(n -> sizes.contains(n) || n instanceof Const)
          && Effects.bodies(exp).flatMap(b -> b.stms().stream()).allMatch(s -> sizesExist(s.exp()));
    }

    /** Whether it is a map of sums. */
    private static boolean isProduct(Stm s) {
      return s.pattern().size() == 1
          && s.exp() instanceof Screma m
          && m.isMap()
          && m.map().body().stms().stream().anyMatch(WorkEstimate::isOfSums);
    }

    private boolean varies(Type type) {
      return FreeVars.of(type).stream().anyMatch(own::contains);
    }

    /** Whether the array has a size that is known before the loop, and the loop only reads it. */
    private boolean isKept(Stm s) {
      var roots = aliases.rootsOf(s.var());
      return !varies(s.var().type())
          && loop.body().results().stream()
              .flatMap(r -> aliases.rootsOf(r).stream())
              .noneMatch(roots::contains);
    }

    /** Whether the products of all steps fit into the memory that they may take. */
    private Atom fits(Builder b, List<Stm> products) {
      var kept = new HashSet<Atom>();
      for (int k = 0; k < loop.params().size(); k++) {
        filling(k).ifPresent(u -> kept.add(value(u)));
      }
      Atom bytes = Atom.i64(0);
      for (var p : products) {
        if (kept.contains(p.var())) {
          continue;
        }
        Atom size = Atom.i64(p.var().type().elemPrim().byteSize());
        for (var d : p.var().type().dims()) {
          size = b.mul(size, d);
        }
        bytes = b.add(bytes, size);
      }
      var steps = b.binary(BinaryOp.MAX, form.bound(), Atom.i64(1));
      var room = b.binary(BinaryOp.QUOT, Atom.i64(mostBytes), steps);
      // what the first step reads may not exist if there is none
      var any = b.compare(CompareOp.LT, Atom.i64(0), form.bound());
      return b.and(any, b.compare(CompareOp.LE, bytes, room));
    }

    /** Returns what the product of an iteration needs of the iteration. */
    private List<Stm> needed(Stm p, Collection<Var> values) {
      var stms = loop.body().stms();
      return BackwardSlice.of(stms.subList(0, stms.indexOf(p)), values).stms();
    }

    /**
     * Returns the arrays of which an iteration multiplies a row, if it needs the number of the
     * iteration for nothing else.
     */
    private Optional<List<Var>> rows(Stm p) {
      var s = (Screma) p.exp();
      var arrays = new ArrayList<Var>();
      for (var v : s.inputs()) {
        var made = needed(p, List.of(v));
        if (made.isEmpty() || !(made.getLast().exp() instanceof Index x) || !isRow(x)) {
          return Optional.empty();
        }
        arrays.add(x.array());
      }
      var others = new ArrayList<>(FreeVars.of(s.map()));
      if (s.width() instanceof Var v) {
        others.add(v);
      }
      boolean same =
          !others.contains(form.i())
              && needed(p, others).stream().noneMatch(t -> FreeVars.of(t).contains(form.i()));
      return same && !arrays.isEmpty() ? Optional.of(arrays) : Optional.empty();
    }

    /** Whether it is the row of an iteration, of an array from before that has one for each. */
    private boolean isRow(Index x) {
      return x.indices().equals(List.of(form.i()))
          && !own.contains(x.array())
          && x.array().type().dims().getFirst().equals(form.bound());
    }

    /** Multiplies the rows of all steps in one nest of the same depth. */
    private Var flat(Builder b, Stm p, List<Var> arrays) {
      var s = (Screma) p.exp();
      var size = b.sizes(form.bound(), s.width());
      var inputs = new ArrayList<Var>();
      for (var a : arrays) {
        var inner = a.type().dims().subList(2, a.type().dims().size());
        var dims = Lists.concat(List.of(size), inner);
        inputs.add(b.bind("flat", new Reshape(dims, a)));
      }
      var copy = new Renaming();
      b.addAll(copy.body(new Body(needed(p, FreeVars.of(s.map())), List.of())).stms());
      var nest = new Screma(size, inputs, List.of(), List.of(), copy.lambda(s.map()));
      var dims = Lists.concat(List.of(form.bound()), p.var().type().dims());
      return b.bind("products", new Reshape(dims, b.bind("flat", nest)));
    }

    /** Multiplies in a nest that is one level deeper. */
    private Var nested(Builder b, Stm p) {
      var slice = Lists.with(needed(p, FreeVars.of(p)), p);
      var given = slice.stream().filter(t -> t.exp() instanceof Index x && isRow(x)).toList();
      var inputs = new ArrayList<Var>(List.of(b.iota(form.bound())));
      given.forEach(t -> inputs.add(((Index) t.exp()).array()));
      return b.map(form.bound(), inputs, (in, rows) -> step(in, p, slice, given, rows)).getFirst();
    }

    private List<Atom> step(Builder in, Stm p, List<Stm> slice, List<Stm> given, List<Var> rows) {
      var names = new HashMap<Var, Atom>(Map.of(form.i(), rows.getFirst()));
      for (int k = 0; k < given.size(); k++) {
        names.put(given.get(k).var(), rows.get(k + 1));
      }
      var rest = slice.stream().filter(t -> !given.contains(t)).toList();
      return in.inline(new Renaming(names).body(new Body(rest, List.copyOf(p.pattern()))));
    }
  }
}
