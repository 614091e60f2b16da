package dev.kenaz.simplify;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.Exp.Alias;
import dev.kenaz.ir.Exp.Apply;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Replaces calls by the callee's body. As long as the program stays small every call is replaced,
 * and only the entry points' functions are left; later, only calls of small functions are.
 */
final class Inliner implements CodeRewriter {
  /** Up to this many statements everything is inlined. */
  private static final int LARGE_PROGRAM = 100_000;

  private static final int SMALL_FUNCTION = 50;

  private final Map<String, FunDef> functions = new HashMap<>();
  private final Map<String, Integer> sizes = new HashMap<>();
  private final Set<String> called = new HashSet<>();
  private int total;

  private Inliner() {}

  static CoreProgram run(CoreProgram program) {
    var inliner = new Inliner();
    var entries = program.entries().stream().map(EntryPoint::function).collect(Collectors.toSet());
    var kept = new ArrayList<FunDef>();
    for (var f : program.functions()) {
      var flat = inliner.function(f);
      if (!flat.recursive()) {
        inliner.functions.put(f.name(), flat);
        inliner.sizes.put(f.name(), Effects.size(flat.body()));
      }
      kept.add(flat);
    }
    kept.removeIf(f -> !entries.contains(f.name()) && !inliner.called.contains(f.name()));
    return program.with(kept);
  }

  @Override
  public List<Stm> stm(Stm stm) {
    if (!(stm.exp() instanceof Apply(var name, var arguments))) {
      return CodeRewriter.super.stm(stm);
    }
    var f = functions.get(name);
    if (f == null) {
      // the function calls itself
      called.add(name);
      return List.of(stm);
    }
    int size = sizes.get(name);
    if (size > SMALL_FUNCTION && total + size > LARGE_PROGRAM) {
      called.add(name);
      return List.of(stm);
    }
    total += size;
    var replaced = new HashMap<Var, Atom>();
    for (int i = 0; i < arguments.size(); i++) {
      replaced.put(f.params().get(i), arguments.get(i));
    }
    var body = new Renaming(replaced).body(f.body());
    var stms = new ArrayList<>(body.stms());
    for (int i = 0; i < stm.pattern().size(); i++) {
      var result = List.of(stm.pattern().get(i));
      stms.add(new Stm(result, new Alias(body.results().get(i)), stm.span()));
    }
    return stms;
  }
}
