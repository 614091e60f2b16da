package dev.kenaz.ad;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.EntryPoint.ExternalType;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Substitution;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A signature has the parameters of a derivative: those of the function, and after them tangents or
 * seeds.
 */
final class Signature {
  private final EntryPoint entry;
  private final Set<Integer> by;
  private final List<Var> all;

  /** Whether the leaf at that position belongs to a parameter by which the derivative is taken. */
  private final List<Boolean> chosen = new ArrayList<>();

  /** Whether the function overwrites that leaf. */
  private final List<Boolean> consumed = new ArrayList<>();

  private final List<Var> moreSizes = new ArrayList<>();
  private final List<Var> more = new ArrayList<>();
  private final List<EntryPoint.Param> external = new ArrayList<>();

  Signature(EntryPoint entry, FunDef function, Set<Integer> by) {
    this.entry = entry;
    this.by = by;
    var fresh = new Renaming();
    this.all = function.params().stream().map(fresh::binder).toList();
    for (int i = 0; i < entry.params().size(); i++) {
      var p = entry.params().get(i);
      int leaves = p.type().flat().size();
      chosen.addAll(Collections.nCopies(leaves, by.contains(i)));
      consumed.addAll(Collections.nCopies(leaves, p.unique()));
      external.add(new EntryPoint.Param(p.name(), false, p.type()));
    }
  }

  Set<Integer> by() {
    return by;
  }

  /** The arguments of the function: sizes, then leaves. */
  List<Var> all() {
    return all;
  }

  /** The leaves of the parameters by which the derivative is taken. */
  List<Var> chosen() {
    return IntStream.range(0, chosen.size())
        .filter(i -> chosen.get(i))
        .mapToObj(i -> leaf(i))
        .toList();
  }

  private Var leaf(int i) {
    return all.get(entry.sizeParams() + i);
  }

  /** The arguments of the function, with others for the chosen ones; copies of what it consumes. */
  List<Atom> with(List<Var> others, Builder b) {
    var arguments = new ArrayList<Atom>(all.subList(0, entry.sizeParams()));
    int next = 0;
    for (int i = 0; i < chosen.size(); i++) {
      var argument = chosen.get(i) ? others.get(next++) : leaf(i);
      boolean copy = consumed.get(i) && argument.type().isArray();
      arguments.add(copy ? b.bind("copy", new Exp.Copy(argument)) : argument);
    }
    return arguments;
  }

  /** Adds a tangent of each chosen parameter, named after it. */
  List<Atom> tangents() {
    by.forEach(
        i -> {
          var p = entry.params().get(i);
          external.add(new EntryPoint.Param("d_" + p.name(), false, p.type()));
        });
    chosen().forEach(x -> more.add(Names.like(x)));
    return List.copyOf(more);
  }

  /**
   * Adds an adjoint of each result.
   *
   * @param types of the results
   * @param decided the sizes that the function decides; the seed has sizes of its own in their
   *     place
   */
  List<Var> seeds(ExternalType external, List<Type> types, List<Var> decided) {
    var sizes = new HashMap<Var, Atom>();
    for (var size : decided) {
      if (types.stream().anyMatch(t -> t.dims().contains(size))) {
        moreSizes.add(Names.like(size));
        sizes.put(size, moreSizes.getLast());
      }
    }
    var open = new Substitution(sizes);
    types.forEach(t -> more.add(Names.fresh("seed", open.type(t))));
    this.external.add(new EntryPoint.Param("seed", false, external));
    return List.copyOf(more);
  }

  /** The type of the adjoint of all chosen parameters: a record of them if there are several. */
  ExternalType adjoint() {
    var params = by.stream().map(i -> entry.params().get(i)).toList();
    if (params.size() == 1) {
      return params.getFirst().type();
    }
    var names = params.stream().map(EntryPoint.Param::name).distinct().toList();
    boolean named = names.size() == by.size() && !names.contains("_");
    var fields = new ArrayList<EntryPoint.Field>();
    for (var p : params) {
      var name = named ? p.name() : Integer.toString(fields.size());
      fields.add(new EntryPoint.Field(name, p.type()));
    }
    var text =
        fields.stream()
            .map(f -> named ? f.name() + ": " + f.type().text() : f.type().text())
            .collect(Collectors.joining(", ", named ? "{" : "(", named ? "}" : ")"));
    return new EntryPoint.RecordType(text, fields);
  }

  // Of the derivative

  int sizes() {
    return entry.sizeParams() + moreSizes.size();
  }

  List<Var> params() {
    return Lists.concat(
        all.subList(0, entry.sizeParams()),
        moreSizes,
        all.subList(entry.sizeParams(), all.size()),
        more);
  }

  List<EntryPoint.Param> external() {
    return external;
  }
}
