package dev.kenaz;

import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;

/**
 * Copies results that share memory with an argument: an entry of a program may return its argument,
 * or a part of it, as it is.
 */
final class Aliases {
  private Aliases() {}

  /** Returns the results, with copies in the place of those that share memory with an argument. */
  static List<Value> removed(List<Value> arguments, List<Value> results) {
    var own = new ArrayList<Value>();
    for (var r : results) {
      own.add(
          r instanceof ArrayValue a && arguments.stream().anyMatch(x -> shared(a, x))
              ? copy(a)
              : r);
    }
    return own;
  }

  private static boolean shared(ArrayValue result, Value argument) {
    return argument instanceof ArrayValue a
        && (a == result
            || !a.elsewhere()
                && !result.elsewhere()
                && a.data().asOverlappingSlice(result.data()).isPresent());
  }

  private static ArrayValue copy(ArrayValue a) {
    var data = ArrayValue.allocate(a.elem(), a.shape());
    data.copyFrom(a.data());
    return ArrayValue.of(a.elem(), data, a.shape());
  }
}
