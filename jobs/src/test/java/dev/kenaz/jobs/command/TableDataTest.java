package dev.kenaz.jobs.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.arrow.ArrowOutput;
import dev.kenaz.jobs.ExitStatus;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code kenaz run --data} over what Spark reads: what it gives over the same rows in files. */
final class TableDataTest {
  @TempDir static Path folder;

  @BeforeAll
  static void write() throws IOException {
    Files.writeString(
        folder.resolve("p.fut"),
        """
        entry main [n][m] (xs: [n][2]f64) (ys: [n]i64) (rates: [m]f64) (k: f64) : (f64, [n]f64, i64) =
          let all = map2 (\\x y -> k * x[0] + x[1] * rates[y % m]) xs ys
          in (f64.sum all, all, n)
        """);
    var table = new LinkedHashMap<String, Value>();
    table.put("a", ArrayValue.ofDoubles(new double[] {1, 3, 5, 7, 9}));
    table.put("b", ArrayValue.ofDoubles(new double[] {0.5, 4, 6, 8, 1}));
    table.put("y", ArrayValue.ofLongs(new long[] {1, 2, 3, 4, 5}));
    ArrowOutput.write(folder.resolve("d.arrow"), table, false);
    Files.writeString(folder.resolve("r.csv"), "rate,name\n0.5,a\n2.25,b\n3,c\n");
  }

  private static Told run(String... data) {
    var args = new ArrayList<>(List.of("run", folder.resolve("p.fut").toString()));
    for (var d : data) {
      args.add(d.replace("@", folder.toString()));
    }
    var told = Told.reading("2f64", args.toArray(String[]::new));
    var err = told.err().replaceAll("(?m)^stage \\d+ of .* s\n", "");
    return new Told(told.status(), told.out(), err);
  }

  private static final String RATES =
      "--data=rates={\"format\": \"csv\", \"path\": \"@/r.csv\","
          + " \"options\": {\"header\": \"true\", \"inferSchema\": \"true\"}}:rate";

  private static final String QUERY = "{\"sql\": \"select *, a + b from arrow.`@/d.arrow`\"}";

  @ParameterizedTest
  @ValueSource(strings = {"--pieces=1", "--pieces=3"})
  void theResultsAreThoseOfFiles(String pieces) throws IOException {
    var rates = new LinkedHashMap<String, Value>();
    rates.put("rate", ArrayValue.ofDoubles(new double[] {0.5, 2.25, 3}));
    ArrowOutput.write(folder.resolve("rates.arrow"), rates, true);
    var plain =
        run(
            "--data=xs=@/d.arrow:a,b",
            "--data=ys=@/d.arrow:y",
            "--data=rates=@/rates.arrow",
            pieces,
            "--spark");
    assertEquals(ExitStatus.OK, plain.status(), plain.err());
    var tables =
        run("--data=xs=" + QUERY + ":a,b", "--data=ys=" + QUERY + ":y", RATES, pieces, "--spark");
    assertEquals(plain, tables);
    var mixed =
        run("--data=xs=@/d.arrow:a,b", "--data=ys=" + QUERY + ":y", RATES, pieces, "--spark");
    assertEquals(plain, mixed);
  }

  @Test
  void rowsWithNullsAreLeftOutOfATable() {
    var holes = "{\"sql\": \"select if(a = 3, null, a) a, b, y from arrow.`@/d.arrow`\"}";
    var xs = "--data=xs=" + holes + ":a,b";
    var ys = "--data=ys=" + holes + ":y";
    var refused = run(xs, ys, RATES, "--spark");
    assertTrue(refused.err().contains("K6106"), refused.err());
    var told = run(xs, ys, RATES, "--nulls=drop", "--spark");
    assertEquals(ExitStatus.OK, told.status(), told.err());
    assertTrue(told.out().endsWith("4i64\n"), told.out());
    var two = run(xs, "--data=ys=@/d.arrow:y", RATES, "--nulls=drop", "--spark");
    assertTrue(two.err().contains("K8002"), two.err());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '^',
      textBlock =
          """
          {"sql": "select y from arrow.`@/d.arrow` order by y"}:y | --spark | K6117
          {"sql": "select array(y) y from arrow.`@/d.arrow`"}:elements(y) | --spark | K6117
          {"table": "nowhere"}:y | --spark | K6114
          {"sql": "select y from arrow.`@/d.arrow`"}:z | --spark | K6104
          {"sql": "select 'a' y from arrow.`@/d.arrow`"}:y | --spark | K6105
          {"tabel": "x"}:y | --spark | K7006
          {"table": "x", "sql": "select 1"}:y | --spark | K7006
          {"path": "@/d.arrow"}:y | --spark | K7006
          {"sql": "select 1"}:y | --pieces=2 | give --spark
          """)
  void faultsAreTold(String place, String option, String message) {
    var told = run("--data=xs=@/d.arrow:a,b", "--data=ys=" + place, RATES, option);
    assertTrue(told.err().contains(message), told.err());
  }
}
