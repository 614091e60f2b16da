package dev.kenaz.dataset;

import static dev.kenaz.dataset.FormatTesting.assertFault;
import static dev.kenaz.dataset.FormatTesting.rows;
import static dev.kenaz.error.ErrorCode.K6124;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.arrow.DatasetGenerate;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Generated rows depend on the seed alone, and have the distributions that are promised. */
final class GeneratedRowsTest {
  static Stream<RowKind> kinds() {
    return kinds(1);
  }

  private static Stream<RowKind> kinds(long seed) {
    return Stream.of(
        new DatasetGenerate.Blobs(100, 3, 4, seed, 1, Prim.F16, true),
        new DatasetGenerate.Blobs(100, 3, 4, seed, 1, Prim.F32, false),
        new RowKinds.Regression(100, seed, 3, 0.1, Prim.F64),
        new RowKinds.Classification(100, seed, 3, 4, Prim.F32),
        new RowKinds.Ratings(100, seed, 20, 10, 2, 0.1, Prim.F32),
        new RowKinds.Sequences(100, seed, 30, 5),
        new RowKinds.Graph(100, seed, 50, 1),
        new RowKinds.Histogram(100, seed, 7),
        new RowKinds.Sparse(100, seed, 40, 3, Prim.F32));
  }

  private static List<List<Object>> all(RowKind kind, int files) {
    var source = new GeneratedRows(kind, files);
    var all = new ArrayList<List<Object>>();
    IntStream.range(0, source.parts()).forEach(part -> all.addAll(rows(source.open(part))));
    return all;
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void rowsDontDependOnTheFiles(RowKind kind) {
    var one = all(kind, 1);
    assertEquals(100, one.size());
    assertEquals(one, all(kind, 7));
    assertEquals(one, all(kind, 1000));
    var names = kind.schema().getFields().stream().map(f -> f.getName()).toList();
    assertEquals(names.size(), new HashSet<>(names).size());
  }

  @Test
  void rowsDependOnTheSeed() {
    var some = kinds(1).toList();
    var others = kinds(2).toList();
    for (int i = 0; i < some.size(); i++) {
      assertNotEquals(all(some.get(i), 1), all(others.get(i), 1), some.get(i).toString());
    }
  }

  /** The mean of y times x is the coefficient, since coordinates are independent. */
  @Test
  void regressionHasItsCoefficients() {
    var kind = new RowKinds.Regression(50_000, 3, 2, 0.1, Prim.F64);
    var w = kind.coefficients();
    var sums = new double[2];
    for (var row : all(kind, 2)) {
      for (int j = 0; j < 2; j++) {
        sums[j] += (double) ((List<?>) row.get(0)).get(j) * (double) row.get(1) / 50_000;
      }
    }
    assertEquals(w[0], sums[0], 0.05);
    assertEquals(w[1], sums[1], 0.05);
    assertEquals(w[0] + "," + w[1], kind.schema().getCustomMetadata().get("coefficients"));
  }

  /** The first node's share of a power law is known. */
  @Test
  void graphsHaveAPowerLaw() {
    var counts = new HashMap<Object, Integer>();
    for (var row : all(new RowKinds.Graph(20_000, 1, 1000, 1), 3)) {
      counts.merge(row.get(0), 1, Integer::sum);
    }
    double share = Math.log(2) / Math.log(1001);
    assertEquals(share, counts.get(0L) / 20_000.0, 0.01);
    assertTrue(counts.keySet().stream().allMatch(n -> (long) n >= 0 && (long) n < 1000));
  }

  /** They are those of configs/paper/histograms.fut: value 0 of make 4i64 10i64 there. */
  @Test
  void histogramsAreThoseOfTheProgram() {
    var rows = all(new RowKinds.Histogram(1000, 1, 10), 1);
    assertEquals(List.of(0L, 0.5f + number(1000)), rows.get(0));
    assertEquals(List.of((long) (number(7) * 10f) % 10, 0.5f + number(1007)), rows.get(7));
    var bins = new int[10];
    rows.forEach(r -> bins[(int) (long) r.get(0)]++);
    assertTrue(IntStream.of(bins).allMatch(n -> n > 60 && n < 140));
  }

  private static float number(long i) {
    var x = java.math.BigInteger.valueOf(i).multiply(unsigned("9e3779b97f4a7c15")).mod(TWO_64);
    x = x.xor(x.shiftRight(31)).multiply(unsigned("bf58476d1ce4e5b9")).mod(TWO_64);
    return x.shiftRight(40).floatValue() / 16777216;
  }

  private static final java.math.BigInteger TWO_64 = java.math.BigInteger.ONE.shiftLeft(64);

  private static java.math.BigInteger unsigned(String hexadecimal) {
    return new java.math.BigInteger(hexadecimal, 16);
  }

  @Test
  void sparseRowsAreSortedAndSequencesInTheirVocabulary() {
    for (var row : all(new RowKinds.Sparse(200, 1, 60, 10, Prim.F64), 1)) {
      var indices = ((List<?>) row.get(1)).stream().map(i -> (Long) i).toList();
      assertEquals(indices.stream().sorted().distinct().toList(), indices);
      assertEquals(indices.size(), ((List<?>) row.get(2)).size());
      assertTrue(indices.getLast() < 60 && !indices.isEmpty() && indices.size() <= 20);
    }
    var lengths = new HashMap<Integer, Integer>();
    for (var row : all(new RowKinds.Sequences(2000, 1, 8, 4), 1)) {
      var tokens = (List<?>) row.get(0);
      lengths.merge(tokens.size(), 1, Integer::sum);
      assertTrue(tokens.stream().allMatch(t -> (int) t >= 0 && (int) t < 8));
    }
    assertEquals(8, lengths.size());
  }

  /** Low rank shows in a matrix of ratings without noise: all its 2 x 2 minors are zero. */
  @Test
  void ratingsHaveTheirRank() {
    var matrix = new HashMap<List<Object>, Double>();
    for (var row : all(new RowKinds.Ratings(500, 1, 3, 3, 1, 0, Prim.F64), 1)) {
      matrix.put(row.subList(0, 2), (double) row.get(2));
    }
    assertEquals(9, matrix.size());
    for (long i = 1; i < 3; i++) {
      for (long j = 1; j < 3; j++) {
        double minor =
            matrix.get(List.of(0L, 0L)) * matrix.get(List.of(i, j))
                - matrix.get(List.of(0L, j)) * matrix.get(List.of(i, 0L));
        assertEquals(0, minor, 1e-12);
      }
    }
  }

  @Test
  void impossibleKindsAreErrors() {
    assertFault(K6124, "can't make", () -> new RowKinds.Regression(1, 1, 0, 1, Prim.F32));
    assertFault(K6124, "can't make", () -> new RowKinds.Regression(1, 1, 1, 1, Prim.I32));
    assertFault(K6124, "1 classes", () -> new RowKinds.Classification(1, 1, 2, 1, Prim.F32));
    assertFault(K6124, "about 5 of 8 features", () -> new RowKinds.Sparse(1, 1, 8, 5, Prim.F32));
    assertFault(K6124, "files", () -> new GeneratedRows(new RowKinds.Graph(1, 1, 1, 1), 0));
    assertEquals(List.of(), all(new RowKinds.Histogram(0, 1, 3), 4));
    assertEquals(Map.of("bins", "3"), new RowKinds.Histogram(0, 1, 3).schema().getCustomMetadata());
  }
}
