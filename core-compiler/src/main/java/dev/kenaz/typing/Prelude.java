package dev.kenaz.typing;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.source.Declaration;
import dev.kenaz.source.Liftedness;
import dev.kenaz.source.Parser;
import dev.kenaz.source.SourceFile;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The checked prelude, made once. Nothing in it changes afterwards, except that modules of numbers
 * are checked when they are first used.
 *
 * @param env the names that every program sees
 * @param liftedness the liftedness of its type parameters and abstract types, for those that hide
 *     something
 * @param numbers the modules of numbers
 */
record Prelude(
    Env env,
    List<TypedDef> defs,
    Map<VName, TypeDef> representations,
    Map<VName, Liftedness> liftedness,
    List<Numbers> numbers) {
  /** The tag at which a program's own names begin. */
  private static final int FIRST_TAG = 1_000_000;

  /** How many names a module of numbers may need. */
  private static final int TAGS = 20_000;

  /** A module of numbers. */
  static final class Numbers implements Supplier<Env.Struct> {
    private final PreludeText.File file;
    private final Env scope;
    private final int firstTag;
    private volatile Env.Struct module;
    private List<TypedDef> defs = List.of();

    Numbers(PreludeText.File file, Env scope, int firstTag) {
      this.file = file;
      this.scope = scope;
      this.firstTag = firstTag;
    }

    @Override
    public Env.Struct get() {
      if (module == null) {
        make();
      }
      return module;
    }

    private synchronized void make() {
      if (module != null) {
        return;
      }
      var session = new Session(firstTag);
      var out = new Output();
      var names =
          new Modules(session, ImportResolver.none(), scope)
              .prelude(Parser.parse(file.name(), file.text()), scope, out);
      out.throwErrors();
      if (session.inference.nextTag() > firstTag + TAGS
          || !session.representations.isEmpty()
          || !session.unifier.allLiftedness().isEmpty()) {
        throw new CompilerBug("typing", file.name() + " has more than a module of numbers may");
      }
      defs = List.copyOf(out.defs);
      module = (Env.Struct) names.module(file.module());
    }

    private synchronized List<TypedDef> defs() {
      return defs;
    }
  }

  private static final class Holder {
    static final Prelude PRELUDE = make();
  }

  static Prelude get() {
    return Holder.PRELUDE;
  }

  /** Returns all definitions of the prelude that have been needed so far. */
  List<TypedDef> allDefs() {
    List<TypedDef> all = new ArrayList<>(defs);
    numbers.forEach(n -> all.addAll(n.defs()));
    return all;
  }

  /** Returns a session for a program that uses the prelude. */
  Session session() {
    var session = new Session(FIRST_TAG);
    liftedness.forEach(session.unifier::declare);
    return session;
  }

  private static Prelude make() {
    var session = new Session(0);
    var base = base(session);
    var out = new Output();
    var modules = new Modules(session, ImportResolver.none(), base);
    var exports = new Env(null);
    exports.open(base);
    var scope = base.child();
    var intrinsics = new Env.Struct(intrinsics(modules, base).open(base));
    scope.add("intrinsics", intrinsics);
    exports.add("intrinsics", intrinsics);
    for (var file : PreludeText.plain()) {
      var parsed = Parser.parse(file.name(), file.text());
      var names = modules.prelude(parsed, scope, out);
      scope.open(names);
      exports.open(names);
    }
    out.throwErrors();
    List<Numbers> numbers = new ArrayList<>();
    var before = scope.child();
    int tag = session.inference.nextTag();
    for (var file : PreludeText.numbers()) {
      var module = new Numbers(file, before.copy(), tag);
      tag += TAGS;
      numbers.add(module);
      before.add(file.module(), new Env.Lazy(module));
      exports.add(file.module(), new Env.Lazy(module));
    }
    if (tag > FIRST_TAG) {
      throw new CompilerBug("typing", "the prelude has too many names");
    }
    return new Prelude(
        exports,
        List.copyOf(out.defs),
        new HashMap<>(session.representations),
        session.unifier.allLiftedness(),
        numbers);
  }

  /** Returns the scope with primitive types, accumulators and the operators. */
  private static Env base(Session session) {
    var env = new Env(null);
    for (var p : Prim.values()) {
      env.add(
          p.text(),
          new Env.TypeBinding(List.of(), Liftedness.UNLIFTED, ReturnType.of(new SType.Scalar(p))));
    }
    var acc = session.inference.bindHere(session.inference.fresh("acc"));
    session.unifier.declare(acc, Liftedness.SIZE_LIFTED);
    var of = session.inference.fresh("a");
    session.unifier.declare(of, Liftedness.SIZE_LIFTED);
    env.add(
        "acc",
        new Env.TypeBinding(
            List.of(new TypeParam.OfType(of, Liftedness.SIZE_LIFTED)),
            Liftedness.SIZE_LIFTED,
            ReturnType.of(new SType.Named(acc, List.of(new TypeArg.OfType(new SType.Var(of)))))));
    Operators.all().forEach(o -> env.add(o.symbol(), new Env.Overloaded(o)));
    List.of("&&", "||", "|>", "<|").forEach(symbol -> env.add(symbol, new Env.Syntax(symbol)));
    return env;
  }

  /** Returns the scope with the intrinsics, whose table is read as a module type. */
  private static Env intrinsics(Modules modules, Env base) {
    var text =
        Intrinsics.all().entrySet().stream()
            .map(
                e ->
                    "val "
                        + e.getKey()
                        + (e.getValue().startsWith("'") || e.getValue().startsWith("[")
                            ? " "
                            : " : ")
                        + e.getValue())
            .collect(Collectors.joining("\n", "module type intrinsics = {\n", "\n}\n"));
    SourceFile file = Parser.parse("<intrinsics>", text);
    var declared = (Declaration.ModuleType) file.declarations().getFirst();
    var signature = modules.signature(declared.body(), base);
    var env = new Env(null);
    signature
        .env()
        .ownValues()
        .forEach(
            (name, v) -> {
              var d = (Env.Def) v;
              env.add(name, new Env.IntrinsicDef(name, d.params(), d.type(), Optional.empty()));
            });
    return env;
  }
}
