package dev.kenaz.lower;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Substitution;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.typing.SType;
import dev.kenaz.typing.TypeParam;
import dev.kenaz.typing.TypedDef;
import dev.kenaz.typing.TypedEntry;
import dev.kenaz.typing.TypedProgram;
import dev.kenaz.typing.VName;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The lowering stage: each entry point of a checked program becomes one core function. */
public final class Lowering {
  private final TypedProgram program;
  private final Map<VName, TypedDef> defs;
  private final Env root = Env.root();

  private Lowering(TypedProgram program) {
    this.program = program;
    this.defs =
        program.defs().stream().collect(Collectors.toMap(TypedDef::name, Function.identity()));
    program.defs().forEach(root::put);
  }

  /** The program in core form; only what entry points use is in it. */
  public static CoreProgram lower(TypedProgram program) {
    var lowering = new Lowering(program);
    var functions = new ArrayList<FunDef>();
    var entries = new ArrayList<EntryPoint>();
    for (var entry : program.entries()) {
      lowering.new Entry(entry).lower(functions, entries);
    }
    return new CoreProgram(functions, entries);
  }

  /** One entry point on its way. */
  private final class Entry {
    private final TypedEntry entry;
    private final Scope outermost;
    private final Scope scope;
    private final Evaluator evaluator;
    private final Env env = root.inner();
    private final List<Var> sizes = new ArrayList<>();
    private final List<Var> leaves = new ArrayList<>();
    private final List<EntryPoint.Param> params = new ArrayList<>();

    Entry(TypedEntry entry) {
      this.entry = entry;
      this.outermost = Scope.outermost(entry.span());
      this.scope = outermost.inner();
      this.evaluator = new Evaluator(program, outermost);
    }

    void lower(List<FunDef> functions, List<EntryPoint> entries) {
      var def = defs.get(entry.definition());
      for (var p : def.typeParams()) {
        if (p instanceof TypeParam.OfSize(var name)) {
          env.put(name, Static.core(size(Names.fresh(name.base(), Type.I64))));
        }
      }
      var more = new ArrayList<Static>();
      for (int i = 0; i < entry.params().size(); i++) {
        var value = param(entry.params().get(i));
        if (i < def.params().size()) {
          evaluator.patterns().bind(def.params().get(i), value, env, scope);
        } else {
          more.add(value);
        }
      }
      var value =
          def.params().isEmpty()
              ? evaluator.definition(new Env.OfDef(def, root), List.of(), scope)
              : evaluator.eval(def.body(), env, scope);
      if (!more.isEmpty()) {
        value = evaluator.apply(value, more, scope);
      }
      finish(value, functions, entries);
    }

    private Var size(Var v) {
      sizes.add(v);
      scope.markSize(v);
      return v;
    }

    private Static param(TypedEntry.Param param) {
      var open = evaluator.types.resolveOpen(param.type(), env, scope);
      open.open().keySet().forEach(this::size);
      var vars = open.type().leaves().stream().map(t -> Names.fresh(param.name(), t)).toList();
      leaves.addAll(vars);
      boolean unique = param.type() instanceof SType.Unique;
      var type = ExternalTypes.of(param.type(), open.type(), param.ascription());
      params.add(new EntryPoint.Param(param.name(), unique, type));
      return Static.of(open.type(), vars);
    }

    private void finish(Static value, List<FunDef> functions, List<EntryPoint> entries) {
      var result = entry.result();
      var open = evaluator.types.resolveOpen(result.type().type(), env, scope);
      var fitted = Control.fit(open, value, scope);
      var flat = fitted.subList(open.open().size(), fitted.size());
      var named = sizesOfResults(flat);
      var results = new ArrayList<Atom>(named.keySet());
      results.addAll(flat);
      var substitution = new Substitution(named);
      var returns = new ArrayList<Type>();
      var returnSizes = new ArrayList<Var>();
      for (int i = 0; i < results.size(); i++) {
        var type = i < named.size() ? Type.I64 : substitution.type(results.get(i).type());
        returns.add(type);
        returnSizes.add(i < named.size() ? named.get(results.get(i)) : Names.fresh("r", Type.I64));
      }
      var stms = new ArrayList<Stm>(outermost.builder().stms());
      stms.addAll(scope.builder().stms());
      var all = new ArrayList<>(sizes);
      all.addAll(leaves);
      functions.add(new FunDef(entry.name(), all, returns, returnSizes, new Body(stms, results)));
      boolean unique = result.type().type() instanceof SType.Unique;
      var type = ExternalTypes.of(result.type().type(), open.type(), result.ascription());
      entries.add(
          new EntryPoint(
              entry.name(),
              entry.name(),
              sizes.size(),
              params,
              named.size(),
              List.of(new EntryPoint.Result(unique, type))));
    }

    /** The sizes that the function computes, each with the variable that names it outside. */
    private Map<Var, Var> sizesOfResults(List<Atom> results) {
      var known = new LinkedHashSet<>(sizes);
      known.addAll(leaves);
      var named = new LinkedHashMap<Var, Var>();
      for (var r : results) {
        for (var d : r.type().dims()) {
          if (d instanceof Var v && !known.contains(v)) {
            named.computeIfAbsent(v, Names::like);
          }
        }
      }
      return named;
    }
  }
}
