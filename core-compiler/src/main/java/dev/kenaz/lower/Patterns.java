package dev.kenaz.lower;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Var;
import dev.kenaz.typing.TypedPattern;
import dev.kenaz.value.ScalarValue;
import java.util.List;
import java.util.TreeMap;

/** Takes values apart by patterns. */
record Patterns(Evaluator evaluator) {
  /** Binds the pattern's variables to the parts of a value that it matches. */
  void bind(TypedPattern pattern, Static value, Env env, Scope scope) {
    switch (pattern) {
      case TypedPattern.Name(var name, _, _) -> env.put(name, value);
      case TypedPattern.Wildcard _, TypedPattern.Constant _ -> {}
      case TypedPattern.Record(var fields, _, _) ->
          fields.forEach((name, p) -> bind(p, value.field(name), env, scope));
      case TypedPattern.Construct c -> {
        var payload = payload(c, value, env, scope);
        for (int i = 0; i < payload.size(); i++) {
          bind(c.payload().get(i), payload.get(i), env, scope);
        }
      }
      case TypedPattern.Pending _ -> throw new CompilerBug("lower", "an unfinished pattern");
      case TypedPattern.Attributed(_, var p, _) -> bind(p, value, env, scope);
    }
  }

  /** Returns the value of a {@code let}, computed under the names of its pattern. */
  Static named(TypedPattern pattern, Static value, Scope scope) {
    return switch (pattern) {
      case TypedPattern.Name(var name, _, _)
          when value instanceof Static.Core(var atom) && atom instanceof Var v ->
          Static.core(scope.builder().named(v, name.base()));
      case TypedPattern.Record(var fields, _, _) when value instanceof Static.Rec(var values) -> {
        var all = new TreeMap<>(values);
        fields.forEach((name, p) -> all.computeIfPresent(name, (_, v) -> named(p, v, scope)));
        yield new Static.Rec(all);
      }
      case TypedPattern.Attributed(_, var p, _) -> named(p, value, scope);
      default -> value;
    };
  }

  /** Returns whether the value matches, as an atom that is a constant where that is known. */
  Atom test(TypedPattern pattern, Static value, Env env, Scope scope) {
    return switch (pattern) {
      case TypedPattern.Name _, TypedPattern.Wildcard _ -> Atom.bool(true);
      case TypedPattern.Constant(var prim, var bits, _) ->
          scope.compare(CompareOp.EQ, value.atom(), new Const(new ScalarValue(prim, bits)));
      case TypedPattern.Record(var fields, _, _) -> {
        Atom all = Atom.bool(true);
        for (var f : fields.entrySet()) {
          all = scope.and(all, test(f.getValue(), value.field(f.getKey()), env, scope));
        }
        yield all;
      }
      case TypedPattern.Construct c -> {
        var sum = sum(c, env, scope);
        var tag = ScalarValue.i8((byte) SumLayout.of(sum).tag(c.name()));
        Atom all =
            sum.constructors().size() == 1
                ? Atom.bool(true)
                : scope.compare(CompareOp.EQ, ((Static.Sum) value).tag(), new Const(tag));
        if (all.equals(Atom.bool(false))) {
          yield all;
        }
        var payload = payload(c, value, env, scope);
        for (int i = 0; i < payload.size(); i++) {
          all = scope.and(all, test(c.payload().get(i), payload.get(i), env, scope));
        }
        yield all;
      }
      case TypedPattern.Pending _ -> throw new CompilerBug("lower", "an unfinished pattern");
      case TypedPattern.Attributed(_, var p, _) -> test(p, value, env, scope);
    };
  }

  private List<Static> payload(TypedPattern.Construct c, Static value, Env env, Scope scope) {
    if (!(value instanceof Static.Sum(_, var slots, var functions))) {
      throw new CompilerBug("lower", "a constructor pattern for " + value);
    }
    var sum = sum(c, env, scope);
    return SumLayout.of(sum).payload(sum, c.name(), slots, functions.iterator());
  }

  private Ty.Sum sum(TypedPattern.Construct c, Env env, Scope scope) {
    return (Ty.Sum) evaluator.types.resolve(c.type(), env, scope);
  }
}
