package dev.kenaz.typing;

import dev.kenaz.source.Liftedness;
import dev.kenaz.source.Parser;
import dev.kenaz.source.SourceFile;
import dev.kenaz.value.Prim;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The checked prelude, made once. Nothing in it changes afterwards.
 *
 * @param env what every program sees
 * @param nextTag where a program's own names begin
 * @param liftedness of its type parameters and abstract types, where not plain
 */
record Prelude(
    Env env,
    List<TypedDef> defs,
    Map<VName, TypeDef> representations,
    Map<VName, Liftedness> liftedness,
    int nextTag) {
  private static final class Holder {
    static final Prelude PRELUDE = make();
  }

  static Prelude get() {
    return Holder.PRELUDE;
  }

  /** For a program that uses the prelude. */
  Session session() {
    var session = new Session(nextTag);
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
    for (var file : PreludeText.files()) {
      var parsed = Parser.parse(file.name(), file.text());
      var names = modules.prelude(parsed, scope, out);
      scope.open(names);
      exports.open(names);
    }
    out.throwErrors();
    return new Prelude(
        exports,
        List.copyOf(out.defs),
        new HashMap<>(session.representations),
        session.unifier.allLiftedness(),
        session.inference.nextTag());
  }

  /** Primitive types, accumulators and the operators. */
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
    for (var symbol : List.of("&&", "||", "|>", "<|")) {
      env.add(symbol, new Env.Syntax(symbol));
    }
    return env;
  }

  /** The table of intrinsics, read as a module type. */
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
    var declared = (dev.kenaz.source.Declaration.ModuleType) file.declarations().getFirst();
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
