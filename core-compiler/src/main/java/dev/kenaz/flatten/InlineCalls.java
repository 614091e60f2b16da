package dev.kenaz.flatten;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.Exp.Alias;
import dev.kenaz.ir.Exp.Apply;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import dev.kenaz.pass.Pass;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Replaces calls by a copy of the callee's body, unless it calls itself; what nobody calls any more
 * goes. Callees come before callers.
 */
public final class InlineCalls implements CodeRewriter {
  public static final Pass<CoreProgram, CoreProgram> PASS =
      Pass.of(
          "inline-all", "replace the calls that are left by the callee's body", InlineCalls::run);

  private final Map<String, FunDef> done = new LinkedHashMap<>();
  private final Set<String> recursive = new HashSet<>();

  private InlineCalls() {}

  private static CoreProgram run(CoreProgram program) {
    var inliner = new InlineCalls();
    var kept = program.entries().stream().map(EntryPoint::function).collect(Collectors.toSet());
    for (var f : program.functions()) {
      if (f.recursive()) {
        inliner.recursive.add(f.name());
        kept.add(f.name());
      }
      inliner.done.put(f.name(), inliner.function(f));
    }
    return program.with(
        inliner.done.values().stream().filter(f -> kept.contains(f.name())).toList());
  }

  @Override
  public List<Stm> stm(Stm stm) {
    if (!(stm.exp() instanceof Apply(var name, var arguments)) || recursive.contains(name)) {
      return CodeRewriter.super.stm(stm);
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
