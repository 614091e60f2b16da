package dev.kenaz.lower;

import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.typing.SType;
import dev.kenaz.typing.TypeParam;
import dev.kenaz.typing.TypedDef;
import dev.kenaz.typing.TypedEntry;
import dev.kenaz.typing.TypedProgram;
import dev.kenaz.typing.VName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Makes one core function of each entry point of a checked program. */
public final class Lowering {
  /**
   * How many statements an entry point may have by inlining; if it has more, calls are kept as
   * calls.
   */
  private static final int MOST_STATEMENTS = 20_000;

  private final TypedProgram program;
  private final Map<VName, TypedDef> defs;

  private Lowering(TypedProgram program) {
    this.program = program;
    this.defs =
        program.defs().stream().collect(Collectors.toMap(TypedDef::name, Function.identity()));
  }

  /**
   * Makes an environment of all definitions. Each function has one of its own, as the values of
   * constants are put into it.
   */
  private Env root() {
    var root = Env.root();
    program.defs().forEach(root::put);
    return root;
  }

  /** Returns the program as core IR. Only what entry points use is in it. */
  public static CoreProgram lower(TypedProgram program) {
    var lowering = new Lowering(program);
    var functions = new ArrayList<FunDef>();
    var entries = new ArrayList<EntryPoint>();
    var sharing = new SharedFunctions(program, lowering::root, functions);
    for (var entry : program.entries()) {
      int before = functions.size();
      try {
        lowering.new Entry(entry, Optional.empty(), functions).lower(functions, entries);
      } catch (Scope.TooLarge _) {
        functions.subList(before, functions.size()).clear();
        lowering.new Entry(entry, Optional.of(sharing), functions).lower(functions, entries);
      }
    }
    return new CoreProgram(functions, entries);
  }

  /** An entry point that is being lowered. */
  private final class Entry {
    private final TypedEntry entry;
    private final Scope outermost;
    private final Scope scope;
    private final Evaluator evaluator;
    private final Env root = root();
    private final Env env = root.inner();
    private final List<Var> sizes = new ArrayList<>();
    private final List<Var> leaves = new ArrayList<>();
    private final List<EntryPoint.Param> params = new ArrayList<>();

    Entry(TypedEntry entry, Optional<SharedFunctions> sharing, List<FunDef> functions) {
      this.entry = entry;
      this.outermost =
          sharing.isPresent()
              ? Scope.outermost(entry.span())
              : Scope.outermost(entry.span(), MOST_STATEMENTS);
      this.scope = outermost.inner();
      this.evaluator = new Evaluator(program, outermost, sharing, functions);
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
      var all = Lists.concat(sizes, leaves);
      var finished = LoweredFunction.function(entry.name(), all, flat, outermost, scope);
      functions.add(finished.function());
      boolean unique = result.type().type() instanceof SType.Unique;
      var type = ExternalTypes.of(result.type().type(), open.type(), result.ascription());
      entries.add(
          new EntryPoint(
              entry.name(),
              entry.name(),
              sizes.size(),
              params,
              finished.sizes(),
              List.of(new EntryPoint.Result(unique, type))));
    }
  }
}
