package dev.kenaz.ad;

import dev.kenaz.analysis.Aliases;
import dev.kenaz.error.Limitation;
import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pass.Pass;
import dev.kenaz.simplify.Filters;
import dev.kenaz.simplify.Inliner;
import dev.kenaz.simplify.Simplify;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * This is the pass that expands every {@code Jvp}, {@code Vjp} and {@code WithVjp}, innermost
 * first, so that derivatives of derivatives are derivatives of ordinary code.
 */
public final class Differentiate {
  /** Differentiates core programs ({@code ad}); no derivative is left. */
  public static final Pass<CoreProgram, CoreProgram> PASS = pass(Options.DEFAULT);

  /** Names the rules for reductions, scans and histograms with known operators. */
  public static final String SPECIAL_RULES = "special-rules";

  private final Options options;

  Differentiate(Options options) {
    this.options = options;
  }

  private static Pass<CoreProgram, CoreProgram> pass(Options options) {
    return Pass.of(
        "ad",
        "Replaces derivatives by code that computes them.",
        p -> new Differentiate(options).program(p));
  }

  /**
   * Makes {@code ad} execute iterations again of loops whose return sweep would need more memory
   * than the options allow, leave out rules that they leave out, and take rules that suit the
   * backend.
   */
  public static Pass<CoreProgram, CoreProgram> by(CompileOptions given) {
    var options = Options.DEFAULT;
    if (given.leftOut().contains(SPECIAL_RULES)) {
      options = options.general();
    }
    if (given.backend() == Backend.CUDA || given.backend() == Backend.SIMULATE) {
      options = options.forManyThreads();
    }
    if (given.loopMemory() != CompileOptions.UNLIMITED) {
      options = options.within(given.loopMemory());
    }
    return options.equals(Options.DEFAULT) ? PASS : pass(options);
  }

  CoreProgram program(CoreProgram program) {
    var functions = new HashMap<String, FunDef>();
    program.functions().forEach(f -> functions.put(f.name(), f));
    List<FunDef> done =
        program.functions().stream()
            .map(f -> new Expansion(functions, 0, new AffineForms()).function(f))
            .toList();
    return program.with(done);
  }

  /**
   * Expands derivatives in some code.
   *
   * @param depth how many derivatives are taken of that code
   */
  private final class Expansion implements Rewriter {
    private final Map<String, FunDef> functions;
    private final int depth;

    /** What the code around derivatives tells about integers. */
    private final AffineForms forms;

    /** Whether a derivative was found. */
    private boolean expanded;

    Expansion(Map<String, FunDef> functions, int depth, AffineForms forms) {
      this.functions = functions;
      this.depth = depth;
      this.forms = forms;
    }

    @Override
    public Var binder(Var v) {
      forms.bound(v);
      return Rewriter.super.binder(v);
    }

    @Override
    public List<Stm> stm(Stm stm) {
      forms.define(stm);
      if (stm.exp() instanceof Loop(_, For(var i, var bound), _)) {
        forms.range(i, bound);
      }
      var b = new Builder(stm.span());
      switch (stm.exp()) {
        case Jvp e -> bind(b, stm.pattern(), own(b, jvp(b, stm, e, inside(e.function()))));
        case Vjp e -> bind(b, stm.pattern(), own(b, vjp(b, stm, e, inside(e.function()))));
        case WithVjp e when depth == 0 ->
            bind(b, stm.pattern(), primal(b, e, lambda(e.function())));
        default -> {
          return Rewriter.super.stm(stm);
        }
      }
      expanded = true;
      // what was emitted may call custom derivatives that nothing differentiates any more
      return depth == 0
          ? b.stms().stream().flatMap(s -> new Plain().stm(s).stream()).toList()
          : b.stms();
    }

    /**
     * Makes the function ready to be differentiated: it has no calls and no derivatives. What
     * derivatives left is simplified, as otherwise dead and repeated code would be differentiated
     * too and grow with every order. It gets new names, as what is known of the old ones mentions
     * variables that are gone, and is walked once more for what is known of the new ones.
     */
    private Lambda inside(Lambda f) {
      var inner = new Expansion(functions, depth + 1, forms);
      var called = inner.lambda(Inliner.inside(f, functions));
      var ready = Filters.in(called, activeFilters(called));
      if (!inner.expanded && ready == called) {
        return ready;
      }
      var simple = new Renaming().lambda(Simplify.simplify(ready));
      return new Expansion(functions, depth + 1, forms).lambda(simple);
    }

    /** The filters that keep something active: they have the derivatives of scans and scatters. */
    private static Predicate<Stm> activeFilters(Lambda f) {
      var activity = Activity.of(f);
      f.params().forEach(activity::mark);
      activity.body(f.body());
      return stm -> stm.pattern().stream().anyMatch(activity::active);
    }

    private List<Atom> jvp(Builder b, Stm stm, Jvp e, Lambda function) {
      var f = new Plain().lambda(function);
      if (e.width().isEmpty()) {
        return tangents(b, f, e.arguments(), e.tangents());
      }
      int k = f.returns().size();
      var results = new ArrayList<Atom>(b.call(f, e.arguments()));
      var lanes = e.tangents().stream().map(t -> (Var) t).toList();
      results.addAll(
          VectorMode.each(
              b,
              stm,
              e.width().get(),
              lanes,
              (in, ts) -> {
                var all = tangents(in, new Renaming().lambda(f), e.arguments(), ts);
                return all.subList(k, 2 * k);
              }));
      return results;
    }

    private List<Atom> vjp(Builder b, Stm stm, Vjp e, Lambda f) {
      var activity = Activity.of(f);
      bindParams(b, f, e.arguments(), activity);
      var reverse = new Reverse(activity, options.nested(depth > 0), forms);
      if (e.width().isEmpty()) {
        return gradient(b, f, reverse, e.adjoints());
      }
      var back = reverse.forward(b, f.body());
      var results = new ArrayList<>(f.body().results());
      var lanes = e.adjoints().stream().map(a -> (Var) a).toList();
      results.addAll(
          VectorMode.each(
              b,
              stm,
              e.width().get(),
              lanes,
              (in, as) -> adjoints(new Sweep(in, activity), f, back, as)));
      return results;
    }
  }

  /**
   * Copies results of a derivative that are an argument's memory, or another result's, because they
   * may be consumed.
   */
  private static List<Atom> own(Builder b, List<Atom> results) {
    var aliases = Aliases.of(b.stms());
    var taken = new HashSet<Var>();
    var owned = new ArrayList<Atom>();
    for (var x : results) {
      boolean array = x instanceof Var v && v.type().isArray();
      boolean alone =
          !array || aliases.isMadeHere((Var) x) && Collections.disjoint(taken, aliases.rootsOf(x));
      taken.addAll(aliases.rootsOf(x));
      owned.add(alone ? x : b.bind("own", new Copy((Var) x)));
    }
    return owned;
  }

  private static void bindParams(Builder b, Lambda f, List<Atom> arguments, Activity activity) {
    for (int i = 0; i < arguments.size(); i++) {
      var p = f.params().get(i);
      b.bindAll(List.of(p), new Alias(arguments.get(i)));
      activity.mark(p);
    }
  }

  /** Returns the function's results, and after them their tangents. */
  private List<Atom> tangents(
      Builder b, Lambda f, List<Atom> arguments, List<? extends Atom> tangents) {
    var activity = Activity.of(f);
    bindParams(b, f, arguments, activity);
    activity.body(f.body());
    var forward = new Forward(activity, options.manyThreads());
    for (int i = 0; i < tangents.size(); i++) {
      var p = f.params().get(i);
      if (activity.active(p) && !isZero(tangents.get(i))) {
        forward.set(p, tangents.get(i));
      }
    }
    forward.stms(b, f.body().stms());
    var results = new ArrayList<>(f.body().results());
    f.body().results().forEach(x -> results.add(forward.tangent(b, x)));
    return results;
  }

  private static List<Atom> gradient(
      Builder b, Lambda f, Reverse reverse, List<? extends Atom> seeds) {
    var code = b.inner();
    var back = reverse.forward(code, f.body());
    reverse.keepLate(code);
    var adjoints = adjoints(new Sweep(code, reverse.activity), f, back, seeds);
    return Lists.concat(
        LateResults.emit(b, code.stms(), reverse.late(), f.body().results(), adjoints), adjoints);
  }

  private static List<Atom> adjoints(
      Sweep s, Lambda f, Reverse.Return back, List<? extends Atom> adjoints) {
    for (int i = 0; i < adjoints.size(); i++) {
      if (!isZero(adjoints.get(i))) {
        s.add(f.body().results().get(i), adjoints.get(i), false);
      }
    }
    back.emit(s);
    return f.params().stream().map(s::value).toList();
  }

  private static boolean isZero(Atom x) {
    return x.isConst(0);
  }

  /** Makes calls of functions that have derivatives of their own plain calls. */
  private static final class Plain implements Rewriter {
    @Override
    public List<Stm> stm(Stm stm) {
      if (stm.exp() instanceof WithVjp e) {
        var b = new Builder(stm.span());
        bind(b, stm.pattern(), primal(b, e, lambda(e.function())));
        return b.stms();
      }
      return Rewriter.super.stm(stm);
    }
  }

  private static List<Atom> primal(Builder b, WithVjp e, Lambda f) {
    return b.call(f, e.arguments()).subList(0, f.returns().size() - e.tape());
  }

  /** Binds a pattern to atoms; arrays are fitted to the sizes by which the pattern knows them. */
  private static void bind(Builder b, List<Var> pattern, List<? extends Atom> values) {
    for (int i = 0; i < pattern.size(); i++) {
      var v = pattern.get(i);
      var x = values.get(i);
      boolean fits = !v.type().isArray() || v.type().dims().equals(x.type().dims());
      b.bindAll(List.of(v), fits ? new Alias(x) : new Reshape(v.type().dims(), (Var) x));
    }
  }

  static Limitation recursive(String function, Span span) {
    return new Limitation(
        span, "the derivative of the recursive function `" + FunDef.title(function) + "`");
  }
}
