package dev.kenaz.typing;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Replaces named types by what they are made of, sizes that they hide included. */
record Expansion(Inference inference, Map<VName, TypeDef> defs) {
  /** Expands a result type; the sizes that named types hide become sizes of the result. */
  ReturnType result(ReturnType r) {
    List<VName> sizes = new ArrayList<>(r.sizes());
    var t = type(r.type(), name -> hidden(name, sizes));
    return t == r.type() ? r : new ReturnType(sizes, t);
  }

  /**
   * Expands a definition's type; the sizes that are hidden in a function's parameters become
   * parameters of the definition.
   */
  Env.Def def(Env.Def d) {
    List<VName> sizes = new ArrayList<>();
    var t = type(d.type(), name -> hidden(name, sizes));
    if (t == d.type()) {
      return d;
    }
    List<TypeParam> params = new ArrayList<>(d.params());
    sizes.forEach(v -> params.add(new TypeParam.OfSize(v)));
    return new Env.Def(d.name(), params, t, d.args());
  }

  private Size hidden(String base, List<VName> sizes) {
    var v = inference.fresh(base);
    sizes.add(v);
    return new Size.Var(v);
  }

  private SType type(SType type, Function<String, Size> anonymous) {
    return switch (Types.resolve(type)) {
      case SType.Array a -> {
        var e = type(a.element(), anonymous);
        yield e == a.element() ? a : Types.array(a.size(), e);
      }
      case SType.Record r -> Types.mapFields(r, t -> type(t, anonymous));
      case SType.Sum s -> Types.mapPayloads(s, t -> type(t, anonymous));
      case SType.Unique u -> {
        var t = type(u.type(), anonymous);
        yield t == u.type() ? u : Types.unique(t);
      }
      case SType.Arrow f -> {
        var param = type(f.param(), anonymous);
        var result = curried(f.result(), anonymous);
        yield param == f.param() && result == f.result()
            ? f
            : new SType.Arrow(f.name(), param, result);
      }
      case SType.Named n -> named(n, anonymous);
      case SType t -> t;
    };
  }

  /**
   * Expands a function's result; if that is a function, the caller chooses its parameters' sizes
   * too.
   */
  private ReturnType curried(ReturnType r, Function<String, Size> anonymous) {
    if (!r.sizes().isEmpty() || !(Types.resolve(r.type()) instanceof SType.Arrow)) {
      return result(r);
    }
    var t = type(r.type(), anonymous);
    return t == r.type() ? r : ReturnType.of(t);
  }

  private SType named(SType.Named n, Function<String, Size> anonymous) {
    var args = Types.mapList(n.args(), a -> Types.mapArg(a, t -> type(t, anonymous), size -> size));
    var d = defs.get(n.name());
    if (d == null) {
      return args == n.args() ? n : new SType.Named(n.name(), args);
    }
    var by = Types.bind(d.params(), args);
    d.result().sizes().forEach(v -> by.put(v, new TypeArg.OfSize(anonymous.apply(v.base()))));
    return Types.subst(d.result().type(), by);
  }
}
