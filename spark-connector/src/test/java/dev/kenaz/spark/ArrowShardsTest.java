package dev.kenaz.spark;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.kenaz.arrow.ArrowOutput;
import dev.kenaz.arrow.ReadOptions;
import dev.kenaz.error.UserError;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ArrowShardsTest {
  @TempDir Path folder;

  /** Two files of 5 and 2 rows: x counts up, y counts down. */
  private void write() {
    file("a.arrow", 0, 5);
    file("b.arrow", 5, 7);
  }

  private void file(String name, int from, int to) {
    var columns = new LinkedHashMap<String, ArrayValue>();
    var x = IntStream.range(from, to).mapToDouble(i -> i).toArray();
    var y = IntStream.range(from, to).mapToDouble(i -> -i).toArray();
    columns.put("x", ArrayValue.ofDoubles(x, x.length));
    columns.put("y", ArrayValue.ofDoubles(y, y.length));
    ArrowOutput.write(folder.resolve(name), columns, false);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7, 11})
  void shardsAreTheRowsInOrder(int shards) {
    write();
    var source = ArrowShards.of(folder.toString(), ReadOptions.columns("y", "x"), Prim.F32, shards);
    assertEquals(shards, source.shards());
    var rows =
        IntStream.range(0, shards)
            .mapToObj(s -> (ArrayValue) source.load(s).getFirst())
            .peek(m -> assertEquals(2, m.dim(1)))
            .flatMapToDouble(m -> Arrays.stream(m.toDoubleArray()))
            .toArray();
    assertArrayEquals(new double[] {0, 0, -1, 1, -2, 2, -3, 3, -4, 4, -5, 5, -6, 6}, rows);
  }

  @Test
  void keyTellsDataApart() {
    write();
    var all = ReadOptions.columns("x", "y");
    var one = ArrowShards.of(folder.toString(), all, Prim.F32, 2).key();
    assertEquals(one, ArrowShards.of(folder.toString(), all, Prim.F32, 2).key());
    assertNotEquals(one, ArrowShards.of(folder.toString(), all, Prim.F32, 3).key());
    assertNotEquals(one, ArrowShards.of(folder.toString(), all, Prim.F64, 2).key());
    assertNotEquals(
        one, ArrowShards.of(folder.toString(), ReadOptions.columns("y", "x"), Prim.F32, 2).key());
  }

  @Test
  void wrongColumnIsTold() {
    write();
    assertThrows(
        UserError.class,
        () -> ArrowShards.of(folder.toString(), ReadOptions.columns("z"), Prim.F32, 2));
  }
}
