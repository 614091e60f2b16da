package dev.kenaz.spark;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.distribute.Cuts;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PermutationTest {
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 255, 256, 257, 1000, 65_537})
  void eachNumberHasAPlace(long size) {
    for (long seed = -1; seed < 3; seed++) {
      var order = Permutation.of(size, seed, 7);
      var numbers = LongStream.range(0, size).map(order::at).toArray();
      assertArrayEquals(
          LongStream.range(0, size).toArray(), LongStream.of(numbers).sorted().toArray());
      for (int i = 0; i < size; i++) {
        assertEquals(i, order.placeOf(numbers[i]));
      }
    }
    assertThrows(IllegalArgumentException.class, () -> Permutation.of(0, 1, 1));
  }

  @Test
  void largeNumbersToo() {
    for (long size : new long[] {1L << 40, (1L << 40) + 1, Long.MAX_VALUE / 4}) {
      var order = Permutation.of(size, 5, 1);
      for (long i = 0; i < 1000; i++) {
        long at = order.at(size - 1 - i);
        assertTrue(at >= 0 && at < size);
        assertEquals(size - 1 - i, order.placeOf(at));
      }
    }
  }

  /** Each number is equally often at each place, and after each other one. */
  @Test
  void ordersAreMixed() {
    int size = 10;
    int seeds = 20_000;
    var places = new int[size][size];
    var next = new int[size][size];
    for (int seed = 0; seed < seeds; seed++) {
      var order = Permutation.of(size, seed, 3);
      for (int i = 0; i < size; i++) {
        places[i][(int) order.at(i)]++;
        next[(int) order.at(i)][(int) order.at((i + 1) % size)]++;
      }
    }
    for (int i = 0; i < size; i++) {
      for (int j = 0; j < size; j++) {
        assertEquals(seeds / (double) size, places[i][j], 250);
        if (i != j) {
          assertEquals(seeds / (size - 1.0), next[i][j], 250);
        }
      }
    }
    var one = Permutation.of(1000, 1, 1);
    for (var other : List.of(Permutation.of(1000, 2, 1), Permutation.of(1000, 1, 2))) {
      assertTrue(LongStream.range(0, 1000).filter(i -> one.at(i) == other.at(i)).count() < 10);
    }
    assertNotEquals(one.at(0) + 1, one.at(1));
  }

  /** Pieces together have the rows of one piece, by both ways to find them. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3, 40, 999, 1000})
  void rowsDoNotDependOnPieces(int count) {
    var order = Permutation.of(1000, 4, 2);
    for (boolean others : new boolean[] {false, true}) {
      var drawn = new DrawnRows(order, 1000 - count, 1000, others);
      var whole = drawn.of(Cuts.even(1000, 1), 0);
      assertEquals(others ? 1000 - count : count, whole.length);
      for (var cuts : List.of(Cuts.even(1000, 7), Cuts.between(0, 0, 1, 990, 990, 1000))) {
        var of = drawn.cuts(cuts);
        var found = new ArrayList<Long>();
        for (int p = 0; p < cuts.pieces(); p++) {
          long first = cuts.first(p);
          assertEquals(found.size(), of.first(p));
          LongStream.of(drawn.of(cuts, p)).forEach(i -> found.add(first + i));
        }
        assertEquals(LongStream.of(whole).boxed().toList(), found);
      }
    }
  }
}
