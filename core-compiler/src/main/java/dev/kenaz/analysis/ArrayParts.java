package dev.kenaz.analysis;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.Alias;
import dev.kenaz.ir.Exp.Index;
import dev.kenaz.ir.Exp.Rearrange;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * Which elements and parts of arrays the variables of a nest are: the nests of matrix products and
 * of whatever else reduces elements are recognised by it, wherever a nest is written.
 *
 * <p>It promises that a noted variable is the part that it says, whether that is in bounds or not.
 * It knows of reads by indices, of rearranged arrays and of other names; what a variable is that
 * was not noted, or is computed in another way, is not known to it. Whether the array itself and
 * what indexes it are bound outside the nest is for its user to ask.
 */
public final class ArrayParts {
  private final Predicate<Var> counts;
  private final Map<Var, Part> parts = new HashMap<>();

  /**
   * @param counts tells whether an array is 0, 1, 2, ...: then an element of it is equal to its
   *     index
   */
  public ArrayParts(Predicate<Var> counts) {
    this.counts = counts;
  }

  /**
   * A part of an array, or an element of it, where no dimension is left.
   *
   * @param at the index of each of the array's dimensions; null for a dimension that is taken whole
   * @param open the dimensions that are left, in the part's order
   */
  public record Part(Var array, List<Atom> at, List<Integer> open) {
    private static Part all(Var array) {
      int rank = array.type().dims().size();
      return new Part(
          array, Collections.nCopies(rank, null), IntStream.range(0, rank).boxed().toList());
    }

    public boolean isElement() {
      return open.isEmpty() && !at.isEmpty();
    }

    public boolean uses(Var index) {
      return at.contains(index);
    }

    private Part indexed(List<Atom> indices) {
      var now = new ArrayList<>(at);
      for (int k = 0; k < indices.size(); k++) {
        now.set(open.get(k), indices.get(k));
      }
      var rest = List.copyOf(open.subList(indices.size(), open.size()));
      return new Part(array, Collections.unmodifiableList(now), rest);
    }
  }

  /** Notes the variable that is bound to the expression, if that is a part of an array. */
  public boolean note(Var v, Exp exp) {
    switch (exp) {
      case Index(var array, var indices, _) ->
          parts.put(v, of(array).indexed(indices.stream().map(this::index).toList()));
      case Rearrange(var perm, var array) -> {
        var from = of(array);
        var open = perm.stream().map(from.open::get).toList();
        parts.put(v, new Part(from.array, from.at, open));
      }
      case Alias(Var other) -> parts.put(v, of(other));
      default -> {
        return false;
      }
    }
    return true;
  }

  public void forget(Var v) {
    parts.remove(v);
  }

  /** Whether the variable was noted. */
  public boolean knows(Var v) {
    return parts.containsKey(v);
  }

  /**
   * Returns the part that the variable is. A variable of which nothing is known is the whole of
   * itself.
   */
  public Part of(Var v) {
    var known = parts.get(v);
    return known == null ? Part.all(v) : known;
  }

  /** Returns the index itself where it was read from an array that counts. */
  public Atom index(Atom atom) {
    if (atom instanceof Var v && parts.get(v) instanceof Part(var array, var at, var open)) {
      boolean counted = at.size() == 1 && open.isEmpty() && counts.test(array);
      return counted ? at.getFirst() : atom;
    }
    return atom;
  }
}
