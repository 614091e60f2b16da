package dev.kenaz.ad;

import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.EntryPoint.ExternalType;
import dev.kenaz.ir.EntryPoint.RecordType;
import dev.kenaz.ir.EntryPoint.Transparent;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Substitution;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * This is an entry point that is the derivative of another one, as if its author had written it: a
 * function that calls the other one inside of a {@code Vjp} or {@code Jvp}, for the pass {@code ad}
 * to expand.
 */
public final class DerivedEntry {
  /** Says which derivative an entry computes. */
  public enum Form {
    JVP,
    JVP2,
    VJP,
    VJP2,
    GRADIENT,
    VALUE_AND_GRADIENT,
    JACOBIAN,
    HESSIAN
  }

  /** Stands for the number of directions where only one is taken. */
  private static final Optional<Atom> NONE = Optional.empty();

  private final CoreProgram program;
  private final EntryPoint entry;
  private final FunDef function;
  private final Signature signature;
  private final Builder builder = new Builder(Span.NONE);

  /** The sizes that the function's own results have, where it decides them. */
  private final List<Var> decided;

  private DerivedEntry(CoreProgram program, EntryPoint entry, Set<Integer> by) {
    this.program = program;
    this.entry = entry;
    this.function = program.function(entry.function());
    this.signature = new Signature(entry, function, by);
    this.decided =
        entry.resultSizes() == 0
            ? List.of()
            : apply(builder, signature.all()).subList(0, entry.resultSizes());
  }

  /**
   * Returns a program whose only entry point is that derivative.
   *
   * @param program the program as it was lowered
   * @param entry the entry point that is differentiated
   * @param by the positions of the parameters by which the derivative is taken; none stands for all
   *     that hold floats
   * @throws UserError K6305 if there is no such derivative
   */
  public static CoreProgram of(CoreProgram program, EntryPoint entry, Form form, Set<Integer> by) {
    return new DerivedEntry(program, entry, Differentiable.parameters(entry, by)).derived(form);
  }

  private CoreProgram derived(Form form) {
    var result = entry.results().getFirst().type();
    return switch (form) {
      case JVP -> forward(false);
      case JVP2 -> forward(true);
      case VJP -> reverse(false);
      case VJP2 -> reverse(true);
      case GRADIENT -> gradient(Differentiable.scalar(entry, result), false);
      case VALUE_AND_GRADIENT -> gradient(Differentiable.scalar(entry, result), true);
      case JACOBIAN -> jacobian(Differentiable.numbers(entry, result));
      case HESSIAN -> hessian(Differentiable.scalar(entry, result));
    };
  }

  // The forms

  private CoreProgram forward(boolean value) {
    Differentiable.result(entry);
    var result = entry.results().getFirst().type();
    var tangents = signature.tangents();
    var all =
        builder.bindAll(
            "jvp", new Exp.Jvp(lambda(), List.copyOf(signature.chosen()), tangents, NONE));
    int half = all.size() / 2;
    return value
        ? finished("jvp2", tuple(result, result), all)
        : finished("jvp", result, all.subList(half, all.size()));
  }

  private CoreProgram reverse(boolean value) {
    Differentiable.result(entry);
    var result = entry.results().getFirst().type();
    var lambda = lambda();
    var seeds = new ArrayList<Atom>();
    for (var s : signature.seeds(result, lambda.returns(), decided)) {
      seeds.add(fitted(s, lambda.returns().get(seeds.size())));
    }
    var all =
        builder.bindAll("vjp", new Exp.Vjp(lambda, List.copyOf(signature.chosen()), seeds, NONE));
    int values = lambda.returns().size();
    return value
        ? finished("vjp2", tuple(result, signature.adjoint()), all)
        : finished("vjp", signature.adjoint(), all.subList(values, all.size()));
  }

  /** Returns the seed with the sizes that the result has, after a check that it has them. */
  private Atom fitted(Var seed, Type type) {
    var dims = seed.type().dims();
    for (int i = 0; i < dims.size(); i++) {
      var wanted = type.dims().get(i);
      if (!dims.get(i).equals(wanted)) {
        builder.check(
            builder.compare(CompareOp.EQ, dims.get(i), wanted),
            "the seed has {} elements where the result has {}",
            List.of(dims.get(i), wanted));
      }
    }
    return cast(builder, seed, type);
  }

  private CoreProgram gradient(Transparent result, boolean value) {
    var all = gradient(builder, lambda(), signature.chosen(), result);
    return value
        ? finished("value_and_gradient", tuple(result, signature.adjoint()), all)
        : finished("gradient", signature.adjoint(), all.subList(1, all.size()));
  }

  /** Returns the value, and after it the adjoints of the arguments. */
  private static List<Var> gradient(
      Builder b, Lambda lambda, List<? extends Atom> arguments, Transparent result) {
    var one = List.<Atom>of(Atom.of(result.prim(), 1));
    return b.bindAll("gradient", new Exp.Vjp(lambda, List.copyOf(arguments), one, NONE));
  }

  private CoreProgram hessian(Transparent result) {
    var x = Differentiable.single(entry, signature);
    var outer = List.of(Names.like(x));
    var b = builder.inner();
    var adjoint = gradient(b, lambda(), outer, result).getLast();
    var gradient = new Lambda(outer, b.body(List.of(adjoint)), List.of(adjoint.type()));
    var type = new Transparent(x.type().elemPrim(), 2 * x.type().dims().size());
    return finished("hessian", type, List.of(rows(gradient, x)));
  }

  private CoreProgram jacobian(Transparent result) {
    var x = Differentiable.single(entry, signature);
    if (result.rank() == 0) {
      return gradient(result, false);
    }
    var type = new Transparent(result.prim(), result.rank() + x.type().dims().size());
    return finished("jacobian", type, List.of(rows(lambda(), x)));
  }

  /**
   * Returns, for each element of the function's only result, its derivatives by all elements of x.
   */
  private Var rows(Lambda lambda, Var x) {
    var dims = x.type().dims();
    if (dims.isEmpty()) {
      var one = List.<Atom>of(Atom.of(x.type().elemPrim(), 1));
      return builder.bindAll("jvp", new Exp.Jvp(lambda, List.of(x), one, NONE)).getLast();
    }
    var n = dims.stream().reduce(builder::sizes).orElseThrow();
    var directions = directions(n, x.type());
    var columns =
        builder
            .bindAll("jmp", new Exp.Jvp(lambda, List.of(x), List.of(directions), Optional.of(n)))
            .getLast();
    var inner = lambda.returns().getFirst().dims();
    var last = new ArrayList<Integer>();
    for (int i = 1; i <= inner.size(); i++) {
      last.add(i);
    }
    last.add(0);
    var turned = builder.bind("rows", new Exp.Rearrange(last, columns));
    List<Atom> shape = Lists.concat(inner, dims);
    return builder.bind("jacobian", new Exp.Reshape(shape, turned));
  }

  /** Returns n arrays of a type that has n elements. Each of them has a 1 at another place. */
  private Var directions(Atom n, Type type) {
    var places = builder.iota(n);
    var unit =
        builder
            .map(
                n,
                List.of(places),
                (b, i) ->
                    b.map(
                        n,
                        List.of(places),
                        (c, j) ->
                            List.of(
                                c.convert(
                                    type.elemPrim(),
                                    c.compare(CompareOp.EQ, i.getFirst(), j.getFirst())))))
            .getFirst();
    return builder.bind("directions", new Exp.Reshape(type.under(n).dims(), unit));
  }

  // The function

  /** The function of the chosen parameters alone; its results have sizes known outside of it. */
  private Lambda lambda() {
    var inner = builder.inner();
    var params = signature.chosen().stream().map(Names::like).toList();
    var results = apply(inner, signature.with(params, inner));
    var types = resultTypes(signature.all(), decided);
    var cast = new ArrayList<Atom>();
    for (int i = 0; i < types.size(); i++) {
      cast.add(cast(inner, results.get(entry.resultSizes() + i), types.get(i)));
    }
    return new Lambda(params, inner.body(cast), types);
  }

  private List<Type> resultTypes(List<Var> arguments, List<Var> sizes) {
    var known = new HashMap<Var, Atom>();
    for (int i = 0; i < arguments.size(); i++) {
      known.put(function.params().get(i), arguments.get(i));
    }
    for (int i = 0; i < sizes.size(); i++) {
      known.put(function.returnSizes().get(i), sizes.get(i));
    }
    var substitution = new Substitution(known);
    return function.returns().stream().skip(entry.resultSizes()).map(substitution::type).toList();
  }

  /** Calls the function: sizes that it decides, then the results. */
  private List<Var> apply(Builder b, List<? extends Atom> arguments) {
    Map<Var, Atom> known = new HashMap<>();
    for (int i = 0; i < arguments.size(); i++) {
      known.put(function.params().get(i), arguments.get(i));
    }
    var pattern = new ArrayList<Var>();
    for (int i = 0; i < function.returns().size(); i++) {
      var type = new Substitution(known).type(function.returns().get(i));
      pattern.add(Names.fresh("y", type));
      known.put(function.returnSizes().get(i), pattern.getLast());
    }
    return b.bindAll(pattern, new Exp.Apply(function.name(), List.copyOf(arguments)));
  }

  private static Atom cast(Builder b, Atom x, Type type) {
    return x instanceof Var array && !x.type().dims().equals(type.dims())
        ? b.bind("cast", new Exp.Reshape(type.dims(), array))
        : x;
  }

  // The entry point

  private CoreProgram finished(String form, ExternalType type, List<Var> results) {
    var name = unused(entry.name() + "_" + form);
    var sizes = new LinkedHashSet<Atom>();
    results.forEach(r -> sizes.addAll(r.type().dims()));
    var returned = decided.stream().filter(sizes::contains).toList();
    var outside = returned.stream().map(Names::like).toList();
    var rename = Substitution.of(returned, outside);
    List<Var> all = Lists.concat(returned, results);
    var names = new ArrayList<Var>(outside);
    results.forEach(r -> names.add(Names.fresh("r", rename.type(r.type()))));
    var derived =
        new FunDef(
            name,
            signature.params(),
            names.stream().map(Var::type).toList(),
            names,
            builder.body(all));
    var functions = Lists.with(program.functions(), derived);
    var point =
        new EntryPoint(
            name,
            name,
            signature.sizes(),
            signature.external(),
            returned.size(),
            List.of(new EntryPoint.Result(false, type)));
    return new CoreProgram(functions, List.of(point)).only(point);
  }

  private String unused(String name) {
    boolean taken = program.functions().stream().anyMatch(f -> f.name().equals(name));
    return taken ? unused(name + "_") : name;
  }

  private static RecordType tuple(ExternalType first, ExternalType second) {
    return new RecordType(
        "(" + first.text() + ", " + second.text() + ")",
        List.of(new EntryPoint.Field("0", first), new EntryPoint.Field("1", second)));
  }
}
