package dev.kenaz.lower;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Attr;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.source.Attribute;
import dev.kenaz.typing.Fields;
import dev.kenaz.typing.SType;
import dev.kenaz.typing.TypePrinter;
import dev.kenaz.typing.TypedDef;
import dev.kenaz.typing.TypedExp;
import dev.kenaz.typing.TypedPattern;
import dev.kenaz.typing.TypedProgram;
import dev.kenaz.typing.VName;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Runs typed code on what is known before run time, and writes core statements for the rest. One
 * evaluator lowers one entry point.
 */
final class Evaluator {
  final Types types;
  private final Control control = new Control(this);
  private final Patterns patterns = new Patterns(this);
  private final Indexing indexing = new Indexing(this);
  private final Intrinsic intrinsic = new Intrinsic(this);

  /** The scope for constants, which come before everything else. */
  private final Scope outermost;

  private final Map<VName, Static> constants = new HashMap<>();

  private final Optional<SharedFunctions> sharing;
  private final Set<VName> selfCalling;
  private final Set<VName> sharedConstants;
  private final Recursive recursive;

  /**
   * @param sharing how calls are kept as calls where that can be done; empty if all calls are
   *     inlined
   * @param functions the list to which functions are added of which calls are kept
   */
  Evaluator(
      TypedProgram program,
      Scope outermost,
      Optional<SharedFunctions> sharing,
      List<FunDef> functions) {
    this.sharing = sharing;
    this.selfCalling = program.recursive();
    this.sharedConstants = program.shared();
    this.recursive = new Recursive(this, functions);
    this.types = new Types(program.representations(), this);
    this.outermost = outermost;
  }

  Static eval(TypedExp exp, Env env, Scope scope) {
    scope.at(exp.span());
    return switch (exp) {
      case TypedExp.Constant(var prim, var bits, _) ->
          Static.core(new Const(new ScalarValue(prim, bits)));
      case TypedExp.Var v -> variable(v, env, scope);
      case TypedExp.Intrinsic i ->
          intrinsic.value(i.name(), types.resolve(i.instantiation(), env, scope));
      case TypedExp.Hole h -> hole(h, env, scope);
      case TypedExp.Array a -> array(a, env, scope);
      case TypedExp.Text(var text, _, _) -> text(text, scope);
      case TypedExp.Record(var fields, _, _) when fields.isEmpty() -> Static.core(Atom.bool(false));
      case TypedExp.Record(var fields, _, _) -> {
        var values = new TreeMap<String, Static>(Fields.ORDER);
        fields.forEach((name, e) -> values.put(name, eval(e, env, scope)));
        yield new Static.Rec(values);
      }
      case TypedExp.Construct c -> construct(c, env, scope);
      case TypedExp.Project(var record, var field, _, _) -> eval(record, env, scope).field(field);
      case TypedExp.Index i -> indexing.index(i, env, scope);
      case TypedExp.UpdateIndex u -> indexing.update(u, env, scope);
      case TypedExp.UpdateField u -> {
        var target = eval(u.target(), env, scope);
        yield updateField(target, u.path(), eval(u.value(), env, scope));
      }
      case TypedExp.Range r -> indexing.range(r, env, scope);
      case TypedExp.Apply(var f, var arguments, _, var span) -> {
        // The arguments come first: the function may be instantiated with sizes that they decide.
        var values = arguments.stream().map(a -> eval(a, env, scope)).toList();
        var function = eval(f, env, scope);
        yield apply(function, values, scope.at(span));
      }
      case TypedExp.Lambda l -> lambda(l, env);
      case TypedExp.Let l -> {
        var value = eval(l.value(), env, scope);
        if (!l.span().inPrelude()) {
          value = patterns.named(l.pattern(), value, scope);
        }
        types.bindSizes(l.sizes(), l.pattern().type(), value, env, scope);
        patterns.bind(l.pattern(), value, env, scope);
        yield eval(l.body(), env, scope);
      }
      case TypedExp.LetFunction(var function, var body, _, _) -> {
        env.put(function);
        yield eval(body, env, scope);
      }
      case TypedExp.If i -> control.branch(i, env, scope);
      case TypedExp.Match m -> control.match(m, env, scope);
      case TypedExp.Loop l -> control.loop(l, env, scope);
      case TypedExp.Coerce c -> indexing.coerce(c, env, scope);
      case TypedExp.Assert(var condition, var value, var text, var span) -> {
        if (scope.isUnsafe()) {
          yield eval(value, env, scope);
        }
        var holds = eval(condition, env, scope).atom();
        // A record without fields would look like a place for an argument.
        scope.at(span).check(holds, "Assertion is false: " + text.replace("{}", "()"));
        yield eval(value, env, scope);
      }
      case TypedExp.Attributed(var attribute, var e, _) -> attributed(attribute, e, env, scope);
      case TypedExp.SizeValue(var size, _) -> Static.core(types.size(size, env, scope));
      case TypedExp.Pending _ ->
          throw new CompilerBug("lower", "a number whose type was not inferred");
      case TypedExp.BindSizes(var sizes, var e) -> {
        var value = eval(e, env, scope);
        types.bindSizes(sizes, e.type(), value, env, scope);
        yield value;
      }
    };
  }

  // Names and functions

  private Static variable(TypedExp.Var v, Env env, Scope scope) {
    return switch (env.find(v.name())) {
      case Env.OfValue(var value) -> value;
      case Env.OfDef d -> definition(d, types.resolve(v.instantiation(), env, scope), scope);
      case null -> throw new CompilerBug("lower", "nothing is known of " + v.name());
      case Env.OfType _ -> throw new CompilerBug("lower", v.name() + " is a type");
    };
  }

  /**
   * Evaluates a definition at one use. A constant is computed once, in front of the entry point's
   * code.
   */
  Static definition(Env.OfDef d, List<? extends Env.Meaning> instantiation, Scope scope) {
    var def = d.def();
    if (!def.params().isEmpty()) {
      return Static.fun(
          def.params().size(), (s, args) -> call(def, d.env(), instantiation, args, s));
    }
    if (!d.env().isRoot() || !def.typeParams().isEmpty()) {
      var env = d.env().inner();
      types.bind(def.typeParams(), instantiation, env);
      return eval(def.body(), env, scope);
    }
    var known = constants.get(def.name());
    if (known == null) {
      var span = outermost.span();
      known = eval(def.body(), d.env().inner(), outermost.at(def.span()));
      outermost.at(span);
      constants.put(def.name(), known);
      if (sharedConstants.contains(def.name())) {
        known.leaves().forEach(outermost::markBorrowed);
      }
      types.bindSizes(def.result(), known, d.env(), outermost);
    }
    return known;
  }

  private Static call(
      TypedDef def,
      Env outside,
      List<? extends Env.Meaning> instantiated,
      List<Static> arguments,
      Scope scope) {
    var instantiation = types.complete(def, instantiated, arguments, outside, scope);
    if (selfCalling.contains(def.name())) {
      return recursive.call(def, outside, instantiation, arguments, scope);
    }
    if (sharing.isPresent() && outside.isRoot() && !def.span().inPrelude()) {
      var result = sharing.get().call(def, instantiation, arguments, scope);
      if (result.isPresent()) {
        return result.get();
      }
    }
    return inlined(def, outside, instantiation, arguments, scope);
  }

  Static inlined(
      TypedDef def,
      Env outside,
      List<? extends Env.Meaning> instantiation,
      List<Static> arguments,
      Scope scope) {
    var env = outside.inner();
    types.bind(def.typeParams(), instantiation, env);
    return body(def.params(), def.body(), arguments, env, scope);
  }

  private Static lambda(TypedExp.Lambda l, Env env) {
    return Static.fun(
        l.params().size(), (s, args) -> body(l.params(), l.body(), args, env.inner(), s));
  }

  private Static body(
      List<TypedPattern> params, TypedExp body, List<Static> arguments, Env env, Scope scope) {
    var span = scope.span();
    for (int i = 0; i < params.size(); i++) {
      patterns.bind(params.get(i), arguments.get(i), env, scope);
    }
    var result = eval(body, env, scope);
    scope.at(span);
    return result;
  }

  Static apply(Static function, List<Static> arguments, Scope scope) {
    if (!(function instanceof Static.Fun(var arity, var given, var code))) {
      throw new CompilerBug("lower", "applied what is not a function: " + function);
    }
    var all = new ArrayList<>(given);
    all.addAll(arguments);
    if (all.size() < arity) {
      return new Static.Fun(arity, all, code);
    }
    var result = code.apply(scope, List.copyOf(all.subList(0, arity)));
    return all.size() == arity ? result : apply(result, all.subList(arity, all.size()), scope);
  }

  // Data

  private Static hole(TypedExp.Hole h, Env env, Scope scope) {
    var type = types.resolve(h.type(), env, scope);
    scope.check(Atom.bool(false), "Reached hole of type: " + new TypePrinter().type(h.type()));
    return h.type() instanceof SType.Arrow f
        ? Static.fun(
            1, (s, _) -> hole(new TypedExp.Hole(f.result().type(), h.span()), env, s.at(h.span())))
        : filler(type, scope);
  }

  Static filler(Ty type, Scope scope) {
    return Static.of(type, type.leaves().stream().map(scope::filler).toList());
  }

  private Static array(TypedExp.Array a, Env env, Scope scope) {
    var type = types.resolve(a.type(), env, scope);
    if (!(type instanceof Ty.Array(_, var elem))) {
      throw new CompilerBug("lower", "an array of type " + type);
    }
    if (elem instanceof Ty.Array
        && !a.elements().isEmpty()
        && a.elements().getFirst() instanceof TypedExp.Array) {
      var whole = constantArray(a, type, env, scope);
      if (whole.isPresent()) {
        return whole.get();
      }
    }
    var elements = a.elements().stream().map(e -> eval(e, env, scope)).toList();
    var rows = elem.leaves();
    if (!elements.isEmpty()) {
      // A row's own sizes tell more than a type, whose sizes may be open.
      rows = elements.getFirst().types();
    }
    var leaves = new ArrayList<Atom>();
    for (int i = 0; i < rows.size(); i++) {
      var row = rows.get(i);
      var atoms = new ArrayList<Atom>();
      for (var e : elements) {
        atoms.add(scope.cast(e.leaves().get(i), row));
      }
      leaves.add(scope.at(a.span()).builder().bind("lit", new Exp.ArrayLit(atoms, row)));
    }
    return Static.of(type, leaves);
  }

  /**
   * Makes one value of an array of arrays of numbers that are written in the program: such tables
   * can be large.
   */
  private Optional<Static> constantArray(TypedExp.Array a, Ty type, Env env, Scope scope) {
    var numbers = new ArrayList<Atom>();
    var shape = new ArrayList<Atom>();
    TypedExp at = a;
    while (at instanceof TypedExp.Array inner) {
      shape.add(Atom.i64(inner.elements().size()));
      at = inner.elements().isEmpty() ? null : inner.elements().getFirst();
    }
    if (!constants(a, shape, 0, numbers, env, scope)
        || type.leaves().size() != 1
        || !type.leaves().getFirst().dims().equals(shape)) {
      return Optional.empty();
    }
    var row = Type.scalar(type.leaves().getFirst().elemPrim());
    var flat = scope.at(a.span()).builder().bind("lit", new Exp.ArrayLit(numbers, row));
    return Optional.of(Static.core(scope.builder().bind("lit", new Exp.Reshape(shape, flat))));
  }

  private boolean constants(
      TypedExp exp, List<Atom> shape, int depth, List<Atom> numbers, Env env, Scope scope) {
    return switch (exp) {
      case TypedExp.Array(var elements, _, _) ->
          depth < shape.size()
              && shape.get(depth).equals(Atom.i64(elements.size()))
              && elements.stream()
                  .allMatch(e -> constants(e, shape, depth + 1, numbers, env, scope));
      case TypedExp.Constant(var prim, var bits, _) ->
          depth == shape.size() && numbers.add(new Const(new ScalarValue(prim, bits)));
      case TypedExp.Apply(TypedExp.Intrinsic _, var x, _, _)
          when depth == shape.size() && x.getFirst() instanceof TypedExp.Constant ->
          // A number with a minus before it is no literal, but it is a constant.
          eval(exp, env, scope) instanceof Static.Core(Const c) && numbers.add(c);
      default -> false;
    };
  }

  private Static text(String text, Scope scope) {
    var bytes = new ArrayList<Atom>();
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      bytes.add(new Const(ScalarValue.u8(b)));
    }
    var row = Type.scalar(Prim.U8);
    return Static.core(scope.builder().bind("text", new Exp.ArrayLit(bytes, row)));
  }

  private Static construct(TypedExp.Construct c, Env env, Scope scope) {
    var fields = Fields.<Static>empty();
    c.payload().forEach(e -> fields.put(Integer.toString(fields.size()), eval(e, env, scope)));
    var value = new Static.Rec(fields);
    var payload = value.leaves();
    var functions = value.functions();
    var layout = SumLayout.of(sum(c, value, env, scope));
    var mine = layout.slots().get(c.name());
    var slots = new ArrayList<Atom>();
    for (int i = 0; i < layout.types().size(); i++) {
      int at = mine.indexOf(i);
      slots.add(at >= 0 ? payload.get(at) : scope.filler(layout.types().get(i)));
    }
    return new Static.Sum(new Const(ScalarValue.i8((byte) layout.tag(c.name()))), slots, functions);
  }

  /**
   * Returns the type of a constructed value. The payload gives the sizes that the type leaves open,
   * so that the slots of the other constructors have them too.
   */
  private Ty.Sum sum(TypedExp.Construct c, Static.Rec payload, Env env, Scope scope) {
    var open = types.resolveOpen(c.type(), env, scope);
    var sum = (Ty.Sum) open.type();
    var mine = Fields.<Ty>empty();
    sum.constructors().get(c.name()).forEach(t -> mine.put(Integer.toString(mine.size()), t));
    var found = Types.match(new Types.Open(new Ty.Rec(mine), open.open()), payload);
    return (Ty.Sum) sum.map(size -> size instanceof Var v ? found.getOrDefault(v, size) : size);
  }

  private static Static updateField(Static target, List<String> path, Static value) {
    if (path.isEmpty()) {
      return value;
    }
    var name = path.getFirst();
    var changed = updateField(target.field(name), path.subList(1, path.size()), value);
    var fields = new TreeMap<>(((Static.Rec) target).fields());
    fields.put(name, changed);
    return new Static.Rec(fields);
  }

  // Attributes

  private Static attributed(Attribute attribute, TypedExp exp, Env env, Scope scope) {
    switch (attribute.name()) {
      case "trace", "break" -> {
        var label =
            attribute.arguments().isEmpty()
                ? exp.span().toString()
                : attribute.arguments().getFirst().name();
        return Intrinsic.trace(label, eval(exp, env, scope), scope);
      }
      case "unsafe" -> {
        return scope.unsafely(() -> eval(exp, env, scope));
      }
      default -> {
        var value = eval(exp, env, scope);
        scope.builder().annotate(List.of(attr(attribute)));
        return value;
      }
    }
  }

  private static Attr attr(Attribute attribute) {
    return new Attr(attribute.name(), attribute.arguments().stream().map(Evaluator::attr).toList());
  }

  Patterns patterns() {
    return patterns;
  }
}
