package dev.kenaz.flatten;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.segir.SegPrinter;
import org.junit.jupiter.api.Test;

/** What decides the size of a block of elements, which several kernels handle one after another. */
final class BlocksTest {
  private static final String LOSS =
      """
      def loss [n] (w: [10][300]f64) (x: [n][300]f64) : f64 =
        let of_row x = f64.sum (map f64.exp (map (\\w -> f64.sum (map2 (*) w x)) w))
        in f64.sum (map of_row x)
      """;
  private static final String VALUE = LOSS + "entry main [n] w (x: [n][300]f64) = loss w x";
  private static final String GRADIENT =
      LOSS + "entry main [n] w (x: [n][300]f64) = vjp (\\w -> loss w x) w 1";

  /** The gradient multiplies by the rows twice: for the value, and for the sums over them. */
  @Test
  void rowsThatAreReadTwiceShouldStayInTheCache() {
    assertEquals(1, count(GRADIENT, 1, "mul 8i64 300i64"));
    assertEquals(0, count(VALUE, 1, "mul 8i64 300i64"));
  }

  @Test
  void aThreadHasSmallerBlocksThanThreadsThatShareThem() {
    assertEquals(1, count(VALUE, 1, "quot 1572864i64"));
    assertEquals(0, count(VALUE, 1, "quot 16777216i64"));
    assertEquals(1, count(VALUE, 2, "quot 1572864i64"));
    assertEquals(1, count(VALUE, 2, "quot 16777216i64"));
  }

  /** There are four blocks for each thread where that makes them smaller. */
  @Test
  void threadsHaveSmallerBlocksWhereThereWouldBeFew() {
    assertEquals(0, count(VALUE, 1, "min fit_[0-9]+ share_[0-9]+"));
    assertEquals(1, count(VALUE, 2, "min fit_[0-9]+ share_[0-9]+"));
    assertEquals(1, count(VALUE, 2, "add n_[0-9]+ 8i64"));
  }

  /** Each thread with blocks of its own has a copy of what it adds to, and keeps a block. */
  @Test
  void copiesAndBlocksOfThreadsHaveALimit() {
    assertEquals(1, count(GRADIENT, 2, "le copied_[0-9]+ 134217728i64"));
    assertEquals(1, count(GRADIENT, 4, "le copied_[0-9]+ 67108864i64"));
    assertEquals(1, count(GRADIENT, 4, "le kept_[0-9]+ 67108864i64"));
  }

  /** Rows of results have to be put together, so all threads do a block. */
  @Test
  void threadsShareBlocksOfMappedRows() {
    var program =
        LOSS.substring(0, LOSS.indexOf("in f64.sum"))
            + "in map of_row x entry main [n] (w: [10][300]f64) (x: [n][300]f64) = loss w x";
    program = program.replace(": f64 =", "=");
    assertEquals(0, count(program, 2, "quot 1572864i64"));
    assertEquals(1, count(program, 2, "quot 16777216i64"));
  }

  private static int count(String program, int workers, String what) {
    var options = FlattenOptions.jvm(workers);
    var seg = Pipelines.parallel(options).apply(Optimised.text(program));
    return SegPrinter.print(seg).split(what, -1).length - 1;
  }
}
