package dev.kenaz.analysis;

import java.util.HashMap;
import java.util.Map;

/** Disjoint sets of things that are joined two by two; each is at first a set of its own. */
public final class DisjointSets<T> {
  private final Map<T, T> parents = new HashMap<>();

  /** Returns the thing that stands for all that were joined with this one, until the next join. */
  public T of(T x) {
    var root = x;
    for (var p = parents.get(root); p != null; p = parents.get(root)) {
      root = p;
    }
    if (!root.equals(x)) {
      parents.put(x, root);
    }
    return root;
  }

  public void join(T x, T y) {
    var a = of(x);
    var b = of(y);
    if (!a.equals(b)) {
      parents.put(a, b);
    }
  }
}
