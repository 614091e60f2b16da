package dev.kenaz.simplify;

import dev.kenaz.analysis.Effects;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.Exp.Alias;
import dev.kenaz.ir.Exp.Apply;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Lambda;
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

/** Replaces calls by copies of the callee's body; never calls of a function that calls itself. */
public final class Inliner implements CodeRewriter {
  /** Replaces the calls that are left, but of functions that call themselves. */
  public static final Pass<CoreProgram, CoreProgram> ALL =
      Pass.of(
          "inline-all",
          "Replaces the calls that are left by the callee's body.",
          p -> run(p, Long.MAX_VALUE));

  /** Up to this many statements everything is inlined. */
  private static final int LARGE_PROGRAM = 100_000;

  private static final int SMALL_FUNCTION = 50;

  /** The size of what calls itself. */
  private static final int NEVER = -1;

  /** Callees first, without the calls that are replaced; or as they are written. */
  private final Map<String, FunDef> functions;

  /** Whether the functions are as they are written. */
  private final boolean written;

  /** How many statements may be copied; those of small functions may in any case. */
  private final long most;

  private final Map<String, Integer> sizes = new HashMap<>();
  private final Set<String> called = new HashSet<>();
  private long total;

  private Inliner(Map<String, FunDef> functions, long most, boolean written) {
    this.functions = functions;
    this.most = most;
    this.written = written;
  }

  /**
   * Replaces every call as long as the program stays small, so that only the entry points'
   * functions are left; in a large program, replaces only calls of small functions.
   */
  static CoreProgram run(CoreProgram program) {
    return run(program, LARGE_PROGRAM);
  }

  private static CoreProgram run(CoreProgram program, long most) {
    var inliner = new Inliner(new LinkedHashMap<>(), most, false);
    program.functions().forEach(inliner::add);
    var needed = program.entries().stream().map(EntryPoint::function).collect(Collectors.toSet());
    needed.addAll(inliner.called);
    return program.with(
        inliner.functions.values().stream().filter(f -> needed.contains(f.name())).toList());
  }

  /**
   * The function with all calls replaced, those in the callees too. Nothing else is looked at: a
   * program with many calls can be far larger without them.
   *
   * @param functions by name
   */
  public static Lambda inside(Lambda lambda, Map<String, FunDef> functions) {
    return new Inliner(functions, Long.MAX_VALUE, true).lambda(lambda);
  }

  private void add(FunDef f) {
    functions.put(f.name(), function(f));
  }

  @Override
  public List<Stm> stm(Stm stm) {
    if (!(stm.exp() instanceof Apply(var name, var arguments))) {
      return CodeRewriter.super.stm(stm);
    }
    var f = functions.get(name);
    // while it is being made there is none: it calls itself
    if (f == null || !isCopied(f)) {
      called.add(name);
      return List.of(stm);
    }
    var replaced = new HashMap<Var, Atom>();
    for (int i = 0; i < arguments.size(); i++) {
      replaced.put(f.params().get(i), arguments.get(i));
    }
    var copy = new Renaming(replaced).body(f.body());
    var body = written ? body(copy) : copy;
    var stms = new ArrayList<>(body.stms());
    for (int i = 0; i < stm.pattern().size(); i++) {
      var result = List.of(stm.pattern().get(i));
      stms.add(new Stm(result, new Alias(body.results().get(i)), stm.span()));
    }
    return stms;
  }

  private boolean isCopied(FunDef f) {
    int size = sizes.computeIfAbsent(f.name(), _ -> f.recursive() ? NEVER : Effects.size(f.body()));
    if (size == NEVER || size > SMALL_FUNCTION && total + size > most) {
      return false;
    }
    total += size;
    return true;
  }
}
