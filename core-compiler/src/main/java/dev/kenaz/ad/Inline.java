package dev.kenaz.ad;

import dev.kenaz.error.Limitation;
import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.List;
import java.util.Map;

/**
 * Replaces calls by the functions' bodies: differentiation looks into everything but what calls
 * itself.
 *
 * @param functions the program's functions by name, not yet differentiated
 */
record Inline(Map<String, FunDef> functions) implements Rewriter {
  @Override
  public List<Stm> stm(Stm stm) {
    if (!(stm.exp() instanceof Apply(var name, var arguments))) {
      return Rewriter.super.stm(stm);
    }
    var f = functions.get(name);
    if (f.recursive()) {
      return List.of(stm);
    }
    var b = new Builder(stm.span());
    var body = Renaming.call(new Lambda(f.params(), f.body(), types(f)), arguments);
    body(body).stms().forEach(b::add);
    bind(b, stm.pattern(), body.results());
    return b.stms();
  }

  private static List<Type> types(FunDef f) {
    return f.body().results().stream().map(Atom::type).toList();
  }

  static Limitation recursive(String function, Span span) {
    return new Limitation(
        span, "the derivative of the recursive function `" + FunDef.title(function) + "`");
  }

  /** Binds a pattern to atoms; arrays are fitted to the sizes by which the pattern knows them. */
  static void bind(Builder b, List<Var> pattern, List<? extends Atom> values) {
    for (int i = 0; i < pattern.size(); i++) {
      var v = pattern.get(i);
      var x = values.get(i);
      boolean fits = !v.type().isArray() || v.type().dims().equals(x.type().dims());
      b.bindAll(List.of(v), fits ? new Alias(x) : new Reshape(v.type().dims(), (Var) x));
    }
  }
}
