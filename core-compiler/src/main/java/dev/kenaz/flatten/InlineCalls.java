package dev.kenaz.flatten;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp.Alias;
import dev.kenaz.ir.Exp.Apply;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Replaces calls by a copy of the callee's body, unless it calls itself. Callees come before
 * callers.
 */
final class InlineCalls implements Rewriter {
  private final Map<String, FunDef> done = new LinkedHashMap<>();
  private final Set<String> recursive = new HashSet<>();

  /** The functions, in which only calls of functions that call themselves are left. */
  static Map<String, FunDef> of(CoreProgram program) {
    var inliner = new InlineCalls();
    for (var f : program.functions()) {
      if (f.recursive()) {
        inliner.recursive.add(f.name());
      }
      inliner.done.put(f.name(), inliner.function(f));
    }
    return inliner.done;
  }

  @Override
  public Atom atom(Atom atom) {
    return atom; // nothing but calls changes
  }

  @Override
  public Var binder(Var v) {
    return v;
  }

  @Override
  public List<Stm> stm(Stm stm) {
    if (!(stm.exp() instanceof Apply(var name, var arguments))) {
      return Rewriter.super.stm(stm);
    }
    if (recursive.contains(name)) {
      return Rewriter.super.stm(stm);
    }
    var callee = done.get(name);
    if (callee == null) {
      throw new CompilerBug("flatten", "call of " + name + " before its definition");
    }
    var replacements = new HashMap<Var, Atom>();
    for (int i = 0; i < arguments.size(); i++) {
      replacements.put(callee.params().get(i), arguments.get(i));
    }
    Body body = new Renaming(replacements).body(callee.body());
    var stms = new ArrayList<>(body.stms());
    for (int i = 0; i < stm.pattern().size(); i++) {
      var result = new Alias(body.results().get(i));
      stms.add(new Stm(List.of(stm.pattern().get(i)), result, stm.attrs(), stm.span()));
    }
    return stms;
  }
}
