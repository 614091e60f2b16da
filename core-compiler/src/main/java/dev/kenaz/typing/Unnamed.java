package dev.kenaz.typing;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Gives a function's type without the name of its parameter: {@code (n: i64) -> [n]t} becomes
 * {@code i64 -> ?[k].[k]t}, which doesn't mention the argument.
 */
final class Unnamed {
  private final Inference inference;
  private final List<Hidden> hidden = new ArrayList<>();

  Unnamed(Inference inference) {
    this.inference = inference;
  }

  private record Hidden(Size from, VName to) {}

  /** Sizes of later parameters that mention the name stay as they are: no one can know them. */
  SType.Arrow arrow(SType.Arrow f) {
    if (f.name().isEmpty() || !Types.mentions(f.result().type(), f.name().get())) {
      return f;
    }
    return new SType.Arrow(Optional.empty(), f.param(), result(f.result(), f.name().get()));
  }

  private ReturnType result(ReturnType r, VName name) {
    if (Types.resolve(r.type()) instanceof SType.Arrow f) {
      var inner = new SType.Arrow(f.name(), f.param(), result(f.result(), name));
      return new ReturnType(r.sizes(), inner);
    }
    var type = Types.map(r.type(), leaf -> leaf, size -> size(size, name));
    List<VName> sizes = new ArrayList<>(r.sizes());
    hidden.forEach(h -> sizes.add(h.to()));
    return new ReturnType(sizes, type);
  }

  private Size size(Size size, VName name) {
    boolean[] found = {false};
    SizeExps.eachName(size, v -> found[0] |= v.equals(name), _ -> {});
    if (!found[0]) {
      return size;
    }
    for (var h : hidden) {
      if (Scopes.same(h.from(), size)) {
        return new Size.Var(h.to());
      }
    }
    var v = inference.fresh(size instanceof Size.Var ? name.base() : "n");
    hidden.add(new Hidden(size, v));
    return new Size.Var(v);
  }
}
