package dev.kenaz.typing;

import static dev.kenaz.error.ErrorCode.K4001;
import static dev.kenaz.error.ErrorCode.K4002;
import static dev.kenaz.error.ErrorCode.K4003;
import static dev.kenaz.error.ErrorCode.K4004;
import static dev.kenaz.error.ErrorCode.K4005;
import static dev.kenaz.error.ErrorCode.K4007;
import static dev.kenaz.error.ErrorCode.K4009;

import dev.kenaz.error.Span;
import dev.kenaz.typing.Aliases.Kind;
import dev.kenaz.typing.Aliases.Place;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;

/**
 * Checks that a finished definition keeps the promises of its uniqueness marks: nothing is used
 * after it was consumed, a function consumes only what it owns, and a unique result shares memory
 * with nothing that can still be reached.
 */
final class Uniqueness {
  private final Map<VName, Aliases> variables = new HashMap<>();
  private final Map<VName, ReturnType> inferredResults = new HashMap<>();
  private final Globals globals = new Globals();
  private Map<Place, Span> consumed = new HashMap<>();
  private Set<Place> captures = new HashSet<>();

  /** The places where the current loop's body or condition uses what is defined outside. */
  private Map<Place, Span> seen = new HashMap<>();

  private int functions;
  private int loops;

  /** The name of the function that is being checked, if it has one. */
  private Optional<String> function = Optional.empty();

  /**
   * @return the definition's result type, with marks where none was written but the result is fresh
   */
  ReturnType check(TypedDef def, boolean declared) {
    var result = function(def, declared);
    variables.clear();
    inferredResults.clear();
    consumed = new HashMap<>();
    if (def.params().isEmpty()) {
      globals.add(def.name());
    }
    return result;
  }

  /** Checks a definition's body, with a state of its own. */
  private ReturnType function(TypedDef def, boolean declared) {
    var before = consumed;
    var caller = function;
    function = Optional.of(def.name().base());
    consumed = new HashMap<>(before);
    int loopsBefore = loops;
    functions++;
    loops = 0;
    def.params().forEach(p -> bind(p, Aliases.NONE, kind(p.type())));
    var body = exp(def.body());
    if (!def.params().isEmpty()) {
      globals.share(body);
    }
    if (functions == 1) {
      topLevel(def, body);
    } else {
      captures.addAll(Globals.returned(body, def.result().type()));
    }
    if (declared || Types.hasUnique(def.result().type())) {
      uniqueResult(def.result().type(), body, def.body().span());
    }
    functions--;
    function = caller;
    loops = loopsBefore;
    consumed = before;
    // All users of a constant share its memory.
    return declared || def.params().isEmpty()
        ? def.result()
        : new ReturnType(def.result().sizes(), Apart.marked(def.result().type(), body));
  }

  /** Checks that no function, also none that is a constant, returns a constant as a whole. */
  private void topLevel(TypedDef def, Aliases body) {
    var type = def.result().type();
    if (!def.params().isEmpty() || Types.stripTop(type) instanceof SType.Arrow) {
      Apart.noGlobals(body, type, def.body().span());
    }
    globals.returns(def.name(), body, type);
  }

  /** A mark anywhere in a parameter makes the whole parameter the function's own. */
  private static Kind kind(SType param) {
    return Types.hasUnique(param) ? Kind.UNIQUE_PARAMETER : Kind.PARAMETER;
  }

  private void uniqueResult(SType type, Aliases body, Span span) {
    Set<Place> seen = new HashSet<>();
    var whole = body.like(type);
    for (var p : whole.unique(type)) {
      if (p.kind == Kind.PARAMETER || p.kind == Kind.GLOBAL || p.functions < functions) {
        throw Session.error(
            K4003,
            span,
            "Fresh-declared return value%s is aliased to \"%s\", which is not consumable"
                .formatted(ofFunction(), p.name),
            "return `copy` of it, or leave out the `*` of the result's type");
      }
    }
    for (var leaf : Aliases.leaves(whole)) {
      for (var p : leaf.all()) {
        if (!seen.add(p) && whole.unique(type).contains(p)) {
          throw Session.error(
              K4003,
              span,
              "A fresh-declared component of the return value"
                  + ofFunction()
                  + " is aliased to some other component",
              "they share memory through \"" + p.name + "\": return `copy` of one of them");
        }
      }
    }
  }

  private String ofFunction() {
    return " of " + function.map(f -> "\"" + f + "\"").orElse("this function");
  }

  private Aliases use(VName v, SType type, Span span) {
    var a = variables.get(v);
    if (a != null) {
      return observe(a, v.base(), span);
    }
    return globals.use(v, type);
  }

  /** Returns the constants that results of functions share memory with. */
  Set<VName> shared() {
    return globals.shared();
  }

  /** Notes a use of this memory, which must not have been consumed. */
  private Aliases observe(Aliases a, String name, Span span) {
    if (a == Aliases.NONE) {
      return a;
    }
    for (var p : a.all()) {
      // A function doesn't share the constants that it only reads.
      if (p.functions < functions && p.kind != Kind.GLOBAL) {
        captures.add(p);
      }
      seen.putIfAbsent(p, span);
      var at = consumed.get(p);
      if (at != null) {
        throw Session.error(
            K4001,
            span,
            "Using \"" + name + "\", but this was consumed at " + at.line() + ":" + at.column(),
            "consume `copy " + name + "` there instead");
      }
    }
    return a;
  }

  /** Runs a task that checks a function, and returns what that shares with its surroundings. */
  private Aliases captured(Runnable task) {
    var outer = captures;
    captures = new HashSet<>();
    task.run();
    Set<Place> mine = new HashSet<>();
    for (var p : captures) {
      if (p.functions <= functions) {
        mine.add(p);
      }
      if (p.functions < functions && p.kind != Kind.GLOBAL) {
        outer.add(p);
      }
    }
    captures = outer;
    return Aliases.of(mine);
  }

  private void consume(Set<Place> places, Span span) {
    for (var p : places) {
      if (p.kind == Kind.PARAMETER || p.kind == Kind.GLOBAL || p.functions < functions) {
        throw Session.error(
            K4002,
            span,
            "Would consume \""
                + p.name
                + "\", which is not consumable: "
                + (p.kind == Kind.GLOBAL
                    ? "it is a global constant"
                    : p.functions < functions
                        ? "it is defined outside this function"
                        : "it is a parameter that is not marked as consumed"),
            p.kind == Kind.PARAMETER
                ? "write `*` before its type, or `copy` it first"
                : "`copy` it first");
      }
      if (p.loops < loops) {
        throw Session.error(
            K4004,
            span,
            "Would consume \""
                + p.name
                + "\" in each iteration, which is not consumable: it is defined outside the loop",
            "`copy` it first, or make it a parameter of the loop");
      }
      consumed.put(p, span);
    }
  }

  private void bind(TypedPattern p, Aliases value, Kind kind) {
    switch (p) {
      case TypedPattern.Name n -> variables.put(n.name(), named(n.name(), n.type(), value, kind));
      case TypedPattern.Record r ->
          r.fields().forEach((name, x) -> bind(x, value.field(name), kind));
      case TypedPattern.Construct c ->
          c.payload().forEach(x -> bind(x, Aliases.of(value.all()), kind));
      case TypedPattern.Attributed a -> bind(a.pattern(), value, kind);
      case TypedPattern.Wildcard _, TypedPattern.Constant _, TypedPattern.Pending _ -> {}
    }
  }

  /** Each part of what a name stands for has its own place, and shares what its value shares. */
  private Aliases named(VName v, SType type, Aliases value, Kind kind) {
    return switch (Types.resolve(type)) {
      case SType.Scalar _ -> Aliases.NONE;
      case SType.Unique u ->
          named(v, u.type(), value, kind == Kind.PARAMETER ? Kind.UNIQUE_PARAMETER : kind);
      case SType.Record r -> {
        SortedMap<String, Aliases> fields = Fields.empty();
        r.fields().forEach((name, t) -> fields.put(name, named(v, t, value.field(name), kind)));
        yield new Aliases.Fields(fields);
      }
      case SType _ -> {
        Set<Place> places = new HashSet<>(value.all());
        places.add(new Place(v.base(), kind, functions, loops));
        yield Aliases.of(places);
      }
    };
  }

  private Aliases exp(TypedExp e) {
    return switch (e) {
      case TypedExp.Constant _,
          TypedExp.Pending _,
          TypedExp.SizeValue _,
          TypedExp.Intrinsic _,
          TypedExp.Hole _,
          TypedExp.Text _ ->
          Aliases.NONE;
      case TypedExp.Var v -> use(v.name(), v.type(), v.span());
      case TypedExp.Array a -> {
        a.elements().forEach(this::exp);
        yield Aliases.NONE;
      }
      case TypedExp.Record r -> {
        SortedMap<String, Aliases> fields = Fields.empty();
        r.fields().forEach((name, x) -> fields.put(name, exp(x)));
        yield new Aliases.Fields(fields);
      }
      case TypedExp.Construct c -> union(c.payload());
      case TypedExp.Project p -> project(p);
      case TypedExp.Index i -> {
        var array = exp(i.array());
        slices(i.slices());
        yield array.like(i.type());
      }
      case TypedExp.UpdateIndex u -> update(u);
      case TypedExp.UpdateField u -> {
        var target = exp(u.target());
        yield replace(target, u.target().type(), u.path(), exp(u.value()));
      }
      case TypedExp.Range r -> {
        exp(r.first());
        r.second().ifPresent(this::exp);
        exp(r.end());
        yield Aliases.NONE;
      }
      case TypedExp.Apply a -> apply(a);
      case TypedExp.Lambda l -> lambda(l, l.type());
      case TypedExp.Let l -> {
        var value = unconsuming(l.value(), "Let-bound expression of higher-order type");
        bind(l.pattern(), value, Kind.LOCAL);
        yield exp(l.body());
      }
      case TypedExp.LetFunction l -> {
        var f = l.function();
        var captured = captured(() -> inferredResults.put(f.name(), function(f, false)));
        variables.put(f.name(), captured);
        yield exp(l.body());
      }
      case TypedExp.If i -> {
        exp(i.condition());
        var before = new HashMap<>(consumed);
        var then = exp(i.then());
        var after = consumed;
        consumed = before;
        var otherwise = exp(i.otherwise());
        consumed.putAll(after);
        yield afterBranches(then.or(otherwise));
      }
      case TypedExp.Match m -> match(m);
      case TypedExp.Loop l -> loop(l);
      case TypedExp.Coerce c -> exp(c.exp());
      case TypedExp.Assert a -> {
        exp(a.condition());
        yield exp(a.value());
      }
      case TypedExp.Attributed a -> exp(a.exp());
      case TypedExp.BindSizes b -> exp(b.exp());
    };
  }

  /** What is or holds a function may be made any number of times, so making it consumes nothing. */
  private Aliases unconsuming(TypedExp e, String what) {
    if (!Types.hasArrow(e.type())) {
      return exp(e);
    }
    var before = Set.copyOf(consumed.keySet());
    var value = exp(e);
    for (var p : consumed.keySet()) {
      if (!before.contains(p)) {
        throw Session.error(
            K4009,
            e.span(),
            "%s \"%s\" contains consumption of \"%s\", but it may be applied more than once"
                .formatted(what, new TypePrinter().type(e.type()), p.name),
            "`copy` it first, or give the function all of its arguments");
      }
    }
    return value;
  }

  private Aliases union(List<TypedExp> es) {
    var all = Aliases.NONE;
    for (var e : es) {
      all = Aliases.of(all.or(Aliases.of(exp(e).all())).all());
    }
    return all;
  }

  /** Checks a projection. If a variable is projected, only its field is used. */
  private Aliases project(TypedExp.Project p) {
    TypedExp root = p;
    List<String> path = new ArrayList<>();
    while (root instanceof TypedExp.Project q) {
      path.addFirst(q.field());
      root = q.record();
    }
    if (root instanceof TypedExp.Var v && variables.containsKey(v.name())) {
      var a = variables.get(v.name());
      for (var field : path) {
        a = a.field(field);
      }
      return observe(a.like(p.type()), v.name().base(), p.span());
    }
    return exp(p.record()).field(p.field()).like(p.type());
  }

  private void slices(List<TypedSlice> slices) {
    for (var slice : slices) {
      switch (slice) {
        case TypedSlice.At at -> exp(at.index());
        case TypedSlice.Part p -> {
          p.start().ifPresent(this::exp);
          p.end().ifPresent(this::exp);
          p.stride().ifPresent(this::exp);
        }
      }
    }
  }

  private Aliases update(TypedExp.UpdateIndex u) {
    // This follows the order of evaluation: an update of an update may use in its value what the
    // inner update consumes.
    boolean plain = u.target() instanceof TypedExp.Var;
    if (plain) {
      slices(u.slices());
    }
    var value = exp(u.value());
    var target = exp(u.target()).all();
    if (!plain) {
      slices(u.slices());
    }
    for (var p : value.all()) {
      if (target.contains(p)) {
        throw Session.error(
            K4005,
            u.value().span(),
            "The new value is aliased to \"" + p.name + "\", which is being updated",
            "`copy` it first");
      }
    }
    consume(target, u.span());
    return Aliases.NONE;
  }

  private static Aliases replace(Aliases target, SType type, List<String> path, Aliases value) {
    if (path.isEmpty() || !(Types.resolve(type) instanceof SType.Record r)) {
      return value;
    }
    SortedMap<String, Aliases> fields = Fields.empty();
    r.fields()
        .forEach(
            (name, t) -> {
              var old = target.field(name).like(t);
              fields.put(
                  name,
                  name.equals(path.getFirst())
                      ? replace(old, t, path.subList(1, path.size()), value)
                      : old);
            });
    return new Aliases.Fields(fields);
  }

  private Aliases match(TypedExp.Match m) {
    var subject = exp(m.subject());
    var before = consumed;
    Map<Place, Span> after = new HashMap<>(before);
    var result = Aliases.NONE;
    for (var c : m.cases()) {
      consumed = new HashMap<>(before);
      bind(c.pattern(), subject, Kind.LOCAL);
      result = result.or(exp(c.body()));
      after.putAll(consumed);
    }
    consumed = after;
    return afterBranches(result);
  }

  /**
   * Returns what the result of branches shares. Memory that one branch consumes and another one
   * returns is shared with nothing any more, because nobody may use it by its old name.
   */
  private Aliases afterBranches(Aliases result) {
    return result.without(consumed.keySet());
  }

  private Aliases apply(TypedExp.Apply a) {
    var all = exp(a.function());
    var type = a.function().type();
    List<Aliases> args = new ArrayList<>();
    List<SType> params = new ArrayList<>();
    for (var arg : a.arguments()) {
      if (!(Types.stripTop(type) instanceof SType.Arrow f)) {
        args.add(exp(arg));
        params.add(arg.type());
        continue;
      }
      args.add(
          arg instanceof TypedExp.Lambda l
              ? lambda(l, f.param())
              : unconsuming(arg, "Argument of functional type"));
      if (f.param() instanceof SType.Arrow wanted) {
        fresh(wanted, arg);
      }
      params.add(f.param());
      type = f.result().type();
    }
    for (int i = 0; i < args.size(); i++) {
      var arg = args.get(i).like(a.arguments().get(i).type());
      boolean consumes = Types.hasUnique(params.get(i));
      var mine = consumes ? arg.all() : Set.<Place>of();
      if (consumes) {
        Apart.distinct(arg, a.arguments().get(i).span());
      }
      if (mine.isEmpty()) {
        all = Aliases.of(all.or(Globals.kept(args.get(i), a.arguments().get(i), a)).all());
        continue;
      }
      for (int j = 0; j < args.size(); j++) {
        if (j != i) {
          Apart.apart(mine, args.get(j), a.arguments().get(j));
        }
      }
      consume(mine, a.arguments().get(i).span());
    }
    if (a.function() instanceof TypedExp.Var v
        && inferredResults.get(v.name()) instanceof ReturnType r
        && !(r.type() instanceof SType.Arrow)
        && !(Types.resolve(a.type()) instanceof SType.Arrow)) {
      type = r.type();
    }
    // Parts of one result may share memory with each other, whatever the arguments are.
    var own = new Place("the result of a call", Kind.LOCAL, functions, loops);
    return all.or(Aliases.of(Set.of(own))).like(a.type()).butUnique(type);
  }

  /** Checks that a function returns what is its own wherever that is demanded. */
  private void fresh(SType.Arrow wanted, TypedExp f) {
    boolean known =
        f instanceof TypedExp.Lambda
            || f instanceof TypedExp.Var v && inferredResults.containsKey(v.name());
    if (!known && !Types.returnsAsUnique(wanted, f.type())) {
      throw Session.error(
          K4007,
          f.span(),
          "The result of this function should be fresh, but is not",
          "its type is \"" + new TypePrinter().type(f.type()) + "\"");
    }
  }

  /**
   * @param expected the function's type where it is used, which says which parameters it may
   *     consume
   */
  private Aliases lambda(TypedExp.Lambda l, SType expected) {
    return captured(
        () -> {
          var before = consumed;
          consumed = new HashMap<>(before);
          int loopsBefore = loops;
          functions++;
          var caller = function;
          function = Optional.empty();
          loops = 0;
          var type = Types.stripTop(expected);
          for (var p : l.params()) {
            boolean consumes = type instanceof SType.Arrow f && Types.hasUnique(f.param());
            bind(p, Aliases.NONE, consumes ? Kind.UNIQUE_PARAMETER : kind(p.type()));
            type = type instanceof SType.Arrow f ? Types.resolve(f.result().type()) : type;
          }
          var body = exp(l.body());
          globals.share(body);
          captures.addAll(Globals.returned(body, l.result().type()));
          uniqueResult(
              Types.hasUnique(l.result().type()) ? l.result().type() : type, body, l.body().span());
          functions--;
          function = caller;
          loops = loopsBefore;
          consumed = before;
        });
  }

  /** Checks that a loop doesn't use these places, which it consumes, while it runs. */
  private void unseen(Set<Place> places) {
    for (var p : places) {
      var at = seen.get(p);
      if (at != null) {
        throw Session.error(
            K4001,
            at,
            "Using \"" + p.name + "\", but this was consumed by the loop that starts with it",
            "use the loop's parameter, or start with `copy " + p.name + "`");
      }
    }
  }

  private Aliases loop(TypedExp.Loop l) {
    var initial = exp(l.initial()).like(l.initial().type());
    var array = Aliases.NONE;
    switch (l.form()) {
      case TypedExp.LoopForm.For f -> exp(f.bound());
      case TypedExp.LoopForm.ForIn f -> array = exp(f.array());
      case TypedExp.LoopForm.While _ -> {}
    }
    loops++;
    var before = new HashMap<>(consumed);
    var outside = seen;
    seen = new HashMap<>();
    bind(l.pattern(), Aliases.NONE, Kind.LOCAL);
    switch (l.form()) {
      case TypedExp.LoopForm.For _ -> {}
      case TypedExp.LoopForm.ForIn f -> {
        array.all().forEach(p -> seen.put(p, f.array().span()));
        bind(f.pattern(), array, Kind.LOCAL);
      }
      case TypedExp.LoopForm.While w -> exp(w.condition());
    }
    var body = exp(l.body()).like(l.body().type());
    loops--;
    Set<Place> taken = new HashSet<>(consumed.keySet());
    consumed = before;
    var merge = new LoopAliases(l, variables, taken, loops, functions);
    var result = merge.result(initial, body);
    unseen(merge.consumed());
    outside.putAll(seen);
    seen = outside;
    consume(merge.consumed(), l.initial().span());
    return result;
  }
}
