package dev.kenaz.lower;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Type;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Says how the payloads of a sum type's constructors share core values. Scalars of equal types
 * share a slot; an array has its own, since another constructor's may differ in size. The tag,
 * which comes before the slots, is the constructor's place in alphabetical order.
 *
 * @param types the types of the slots
 * @param slots for each constructor, the slots that hold the leaves of its payload, in order
 */
record SumLayout(List<Type> types, SortedMap<String, List<Integer>> slots) {
  static SumLayout of(Ty.Sum sum) {
    var types = new ArrayList<Type>();
    var slots = new TreeMap<String, List<Integer>>();
    sum.constructors()
        .forEach(
            (name, payload) -> {
              var mine = new ArrayList<Integer>();
              for (var ty : payload) {
                ty.leaves().forEach(leaf -> mine.add(slot(leaf, types, mine)));
              }
              slots.put(name, mine);
            });
    return new SumLayout(types, slots);
  }

  private static int slot(Type leaf, List<Type> types, List<Integer> taken) {
    if (leaf.isScalar()) {
      for (int i = 0; i < types.size(); i++) {
        if (types.get(i).equals(leaf) && !taken.contains(i)) {
          return i;
        }
      }
    }
    types.add(leaf);
    return types.size() - 1;
  }

  /** Returns the payload of a value of this constructor. */
  List<Static> payload(
      Ty.Sum sum, String constructor, List<Atom> values, Iterator<Static.Fun> functions) {
    var mine = slots.get(constructor).stream().map(values::get).iterator();
    return Static.parts(sum.constructors().get(constructor), mine, functions);
  }

  int tag(String constructor) {
    return slots.headMap(constructor).size();
  }
}
