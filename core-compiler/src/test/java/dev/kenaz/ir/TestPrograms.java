package dev.kenaz.ir;

import dev.kenaz.error.Span;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.function.BiFunction;

/** Small programs of one function, {@code main}, for tests. */
public final class TestPrograms {
  public static final Span HERE = new Span("test.fut", 1, 1, 1, 2);

  private TestPrograms() {}

  public static Var scalar(String name, Prim prim) {
    return Names.fresh(name, Type.scalar(prim));
  }

  public static Var size(String name) {
    return scalar(name, Prim.I64);
  }

  public static Var array(String name, Prim elem, Atom... shape) {
    return Names.fresh(name, Type.of(elem, List.of(shape)));
  }

  /**
   * A program whose entry point is {@code main}.
   *
   * @param sizes the leading size parameters
   * @param params the others; all may be consumed
   */
  public static CoreProgram main(
      List<Var> sizes,
      List<Var> params,
      BiFunction<Builder, List<Var>, List<? extends Atom>> body) {
    var b = new Builder(HERE);
    var results = List.copyOf(body.apply(b, params));
    var all = new ArrayList<>(sizes);
    all.addAll(params);
    // sizes that the function decides become leading results
    var sizesInside = new LinkedHashSet<Var>();
    results.forEach(r -> sizesInside.addAll(FreeVars.of(r.type())));
    sizesInside.removeAll(all);
    var outside = new HashMap<Var, Atom>();
    var names = new ArrayList<Var>();
    for (var v : sizesInside) {
      names.add(Names.like(v));
      outside.put(v, names.getLast());
    }
    var rename = new Substitution(outside);
    var types = new ArrayList<Type>(names.stream().map(Var::type).toList());
    results.forEach(r -> types.add(rename.type(r.type())));
    results.forEach(r -> names.add(Names.fresh("r", rename.type(r.type()))));
    var returned = new ArrayList<Atom>(sizesInside);
    returned.addAll(results);
    var f = new FunDef("main", all, types, names, b.body(returned));
    return entry(f, sizes.size(), params.size(), sizesInside.size());
  }

  private static CoreProgram entry(FunDef f, int sizes, int params, int resultSizes) {
    var entryParams = new ArrayList<EntryPoint.Param>();
    for (var v : f.params().subList(sizes, sizes + params)) {
      entryParams.add(new EntryPoint.Param(v.name(), true, external(v.type())));
    }
    var results =
        f.returns().stream()
            .skip(resultSizes)
            .map(t -> new EntryPoint.Result(false, external(t)))
            .toList();
    var e = new EntryPoint("main", f.name(), sizes, entryParams, resultSizes, results);
    return new CoreProgram(List.of(f), List.of(e));
  }

  private static EntryPoint.ExternalType external(Type type) {
    return new EntryPoint.Transparent(type.elemPrim(), type.dims().size());
  }
}
