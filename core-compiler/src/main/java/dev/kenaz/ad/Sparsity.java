package dev.kenaz.ad;

import dev.kenaz.ad.LinearRecurrence.Place;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;

/** Computes with patterns of square matrices some of whose places are known to be always zero. */
final class Sparsity {
  private Sparsity() {}

  /** Divides indices into classes such that no place connects two classes. */
  static List<List<Integer>> components(List<Integer> indices, Collection<Place> places) {
    var result = new ArrayList<List<Integer>>();
    var left = new ArrayList<>(indices);
    while (!left.isEmpty()) {
      var component = new ArrayList<Integer>(List.of(left.removeFirst()));
      boolean grown = true;
      while (grown) {
        grown = false;
        for (var p : places) {
          if (component.contains(p.result()) && left.remove((Integer) p.operand())) {
            component.add(p.operand());
            grown = true;
          }
          if (component.contains(p.operand()) && left.remove((Integer) p.result())) {
            component.add(p.result());
            grown = true;
          }
        }
      }
      component.sort(null);
      result.add(component);
    }
    return result;
  }

  /** The places that products of such matrices, and the identity, may fill; in a fixed order. */
  static List<Place> closure(Collection<Place> places, List<Integer> indices) {
    var all = new HashSet<>(places);
    indices.forEach(i -> all.add(new Place(i, i)));
    for (int m : indices) {
      for (int i : indices) {
        for (int j : indices) {
          if (all.contains(new Place(i, m)) && all.contains(new Place(m, j))) {
            all.add(new Place(i, j));
          }
        }
      }
    }
    var sorted = new ArrayList<>(all);
    sorted.sort(Comparator.comparingInt(Place::result).thenComparingInt(Place::operand));
    return sorted;
  }
}
