package dev.kenaz.ir;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Makes lists of the elements of others. The lists that are given stay as they are. */
public final class Lists {
  private Lists() {}

  /** Returns the elements of all these collections, one collection after the other. */
  @SafeVarargs
  public static <T> List<T> concat(Collection<? extends T>... parts) {
    var all = new ArrayList<T>();
    for (var part : parts) {
      all.addAll(part);
    }
    return all;
  }

  /** Returns the elements of a collection, and after them these. */
  @SafeVarargs
  public static <T> List<T> with(Collection<? extends T> first, T... more) {
    var all = new ArrayList<T>(first);
    for (var x : more) {
      all.add(x);
    }
    return all;
  }

  /** Returns all elements but the one at this position. */
  public static <T> List<T> without(List<T> all, int position) {
    var others = new ArrayList<>(all);
    others.remove(position);
    return others;
  }

  /** Returns the elements at these positions, in the order of the positions. */
  public static <T> List<T> pick(List<T> all, List<Integer> positions) {
    return positions.stream().map(all::get).toList();
  }
}
