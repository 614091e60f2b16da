package dev.kenaz.jvm;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Tells how elements at a stride are taken from vectors of neighbouring elements, and put into such
 * vectors, with as few moves from lane to lane as possible. To take some lanes from another vector
 * is much cheaper than to move lanes. So vectors are first put together, from lanes that differ,
 * and the result is moved once:
 *
 * <pre>
 *   x0 .  .  x1 .  .  x2 .
 *   .  .  x3 .  .  x4 .  .      =&gt;  x0 x5 x3 x1 x6 x4 x2 x7  =&gt;  x0 x1 x2 x3 x4 x5 x6 x7
 *   .  x5 .  .  x6 .  .  x7
 * </pre>
 *
 * @param lanes of a vector
 * @param stride the distance of elements
 */
record StridedLanes(int lanes, int stride) {
  /**
   * A vector of neighbouring elements.
   *
   * @param start how far its first lane is from the first element that is wanted
   * @param taken for each lane whether it is wanted
   */
  record Window(int start, List<Boolean> taken) {}

  // Loads

  /**
   * Returns as few vectors as have all elements in lanes that differ. The first begins with the
   * first element and the last one ends with the last element, as there may be no memory before and
   * after.
   */
  List<Window> windows() {
    var lane = new int[lanes];
    var window = new int[lanes];
    for (int most = 1; most <= lanes; most++) {
      if (search(0, 0, most, lane, window)) {
        break;
      }
    }
    return IntStream.rangeClosed(0, window[lanes - 1])
        .mapToObj(w -> window(w, lane, window))
        .toList();
  }

  private Window window(int number, int[] lane, int[] window) {
    var taken = new Boolean[lanes];
    Arrays.fill(taken, false);
    int start = 0;
    for (int k = 0; k < lanes; k++) {
      if (window[k] == number) {
        taken[lane[k]] = true;
        start = stride * k - lane[k];
      }
    }
    return new Window(start, List.of(taken));
  }

  /** Returns from which lane of the vectors put together each lane comes. */
  List<Integer> order(List<Window> windows) {
    var order = new Integer[lanes];
    for (var w : windows) {
      for (int lane = 0; lane < lanes; lane++) {
        if (w.taken().get(lane)) {
          order[(w.start() + lane) / stride] = lane;
        }
      }
    }
    return List.of(order);
  }

  /**
   * Finds lanes and windows of the elements from one on.
   *
   * @param number of the next window
   * @param most how many windows there may be
   */
  private boolean search(int element, int number, int most, int[] lane, int[] window) {
    if (element == lanes) {
      return true;
    }
    if (number == most) {
      return false;
    }
    int last = (stride - 1) * (lanes - 1);
    for (int first = 0; first < lanes; first++) {
      int start = stride * element - first;
      if (start < 0 || start > last) {
        continue;
      }
      int end = element;
      while (end < lanes && isFree(stride * end - start, end, lane)) {
        lane[end] = stride * end - start;
        window[end] = number;
        end++;
      }
      for (int next = end; next > element; next--) {
        if (search(next, number + 1, most, lane, window)) {
          return true;
        }
      }
    }
    return false;
  }

  /** Whether a window has the lane and no element before is in it. */
  private boolean isFree(int wanted, int element, int... lane) {
    return wanted < lanes && Arrays.stream(lane, 0, element).noneMatch(l -> l == wanted);
  }

  // Stores

  /** Returns which element of each row is in a lane of a vector of whole rows. */
  int component(int part, int lane) {
    return (part * lanes + lane) % stride;
  }

  /**
   * Returns the lane that comes to a lane of a vector of whole rows in the end. Until then it is
   * where no other part has an element of the same place in its row.
   */
  List<Integer> settled(int part) {
    int group = gcd(lanes, stride);
    int by = part / (stride / group);
    return IntStream.range(0, lanes).mapToObj(j -> j / group * group + (j + by) % group).toList();
  }

  /** Returns from which row the elements of one place in rows come to each lane. */
  List<Integer> spread(int component) {
    var from = new Integer[lanes];
    for (int part = 0; part < stride; part++) {
      var settled = settled(part);
      for (int lane = 0; lane < lanes; lane++) {
        if (component(part, lane) == component) {
          from[settled.get(lane)] = (part * lanes + lane) / stride;
        }
      }
    }
    return List.of(from);
  }

  /** Returns which lanes have elements of this place in their rows, before they are settled. */
  List<Boolean> taken(int part, int component) {
    var taken = new Boolean[lanes];
    var settled = settled(part);
    for (int lane = 0; lane < lanes; lane++) {
      taken[settled.get(lane)] = component(part, lane) == component;
    }
    return List.of(taken);
  }

  private static int gcd(int a, int b) {
    return b == 0 ? a : gcd(b, a % b);
  }

  /** Whether lanes come from where they are. */
  static boolean stay(List<Integer> from) {
    return from.equals(IntStream.range(0, from.size()).boxed().toList());
  }
}
