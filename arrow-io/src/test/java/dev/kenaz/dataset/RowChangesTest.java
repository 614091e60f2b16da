package dev.kenaz.dataset;

import static dev.kenaz.error.ErrorCode.K6104;
import static dev.kenaz.error.ErrorCode.K6108;
import static dev.kenaz.error.ErrorCode.K6130;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.arrow.Progress;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.value.Prim;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.types.pojo.Field;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is done with rows on their way is right, and the same for any number of threads. */
final class RowChangesTest {
  private static final String TABLE =
      """
      id,x,s,day,ok,big
      1,0.5,AA,2026-01-01,true,3000000000
      2,-1.5,B B,2026-02-01,false,4000000000
      3,nan,,2026-03-01,true,5
      4,2.5,AA,NA,false,4294967295
      """;

  @TempDir private Path folder;

  private RowSource table() throws IOException {
    return csv(TABLE, Map.of("big", new CsvType.Number(Prim.U32)));
  }

  private static FirstPass pass(int threads) {
    return new FirstPass(threads, Progress.NONE);
  }

  private RowSource csv(String text, Map<String, CsvType> types) throws IOException {
    var file = DataFile.of(Files.writeString(Files.createTempFile(folder, "t", ".csv"), text));
    return new CsvFiles(List.of(file), CsvOptions.DEFAULT.withTypes(types));
  }

  private static void assertFault(ErrorCode code, String part, Executable action) {
    var e = assertThrows(UserError.class, action);
    assertEquals(code, e.diagnostics().getFirst().code(), e.getMessage());
    assertTrue(e.getMessage().contains(part), e.getMessage());
  }

  private static List<String> rows(RowSource source) {
    var rows = new ArrayList<String>();
    for (int part = 0; part < source.parts(); part++) {
      try (var reader = source.open(part)) {
        assertEquals(source.schema(), reader.schema());
        for (var batch = reader.next(); batch != null; batch = reader.next()) {
          for (int i = 0; i < batch.getRowCount(); i++) {
            int row = i;
            rows.add(
                batch.getFieldVectors().stream()
                    .map(v -> String.valueOf(v.getObject(row)))
                    .toList()
                    .toString());
          }
        }
      }
    }
    return rows;
  }

  private static List<String> types(RowSource source) {
    return source.schema().getFields().stream().map(Field::toString).toList();
  }

  private static RowSource changed(RowSource source, RowChange change) {
    return new ChangedSource(source, change);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          x > 0                              | 1 4
          x != 0.5                           | 2 3 4
          x <= 0.5 and ok == false           | 2
          s == 'B B'                         | 2
          s >= 'AB' and id < 4               | 2
          s is null                          | 3
          day is not null and s is not null  | 1 2
          day > 2026-01-15                   | 2 3
          id == 2.5                          |
          id >= 2.5                          | 3 4
          big > 3500000000                   | 2 4
          big == 4294967295                  | 4
          ok == true                         | 1 3
          id < 1e30 and id > -1e99           | 1 2 3 4
          id == 30e-1                        | 3
          big >= 5e0 and big < 1e99999       | 1 2 3 4
          """)
  void conditionsChooseRows(String condition, String ids) throws IOException {
    var some = changed(table(), new SomeRows.Where(RowCondition.of(condition)));
    var expected = ids == null ? List.<String>of() : List.of(ids.split(" "));
    assertEquals(expected, rows(some).stream().map(r -> r.substring(1, r.indexOf(','))).toList());
  }

  @Test
  void conditionsThatMakeNoSenseAreErrors() throws IOException {
    var table = table();
    assertFault(K6130, "\"x\" is no condition", () -> RowCondition.of("x"));
    assertFault(K6130, "is no condition", () -> RowCondition.of("x > 1 or x < 0"));
    assertFault(K6104, "\"idd\"", () -> types(where(table, "idd > 3")));
    assertFault(K6130, "can't be compared", () -> types(where(table, "x == 'a'")));
    assertFault(K6130, "can't be compared", () -> types(where(table, "s == a")));
    assertFault(K6130, "is no number", () -> types(where(table, "id == true")));
  }

  private static RowSource where(RowSource source, String condition) {
    return changed(source, new SomeRows.Where(RowCondition.of(condition)));
  }

  @Test
  void castsAreExactOrErrors() throws IOException {
    var types =
        Map.<String, CsvType>of(
            "id",
            new CsvType.Number(Prim.F32),
            "big",
            CsvType.TEXT,
            "day",
            CsvType.TEXT,
            "ok",
            new CsvType.Number(Prim.U8));
    var cast = changed(table(), new CastColumns(types));
    assertEquals(
        List.of(
            "id: FloatingPoint(SINGLE) not null",
            "x: FloatingPoint(DOUBLE) not null",
            "s: Utf8",
            "day: Utf8",
            "ok: Int(8, false) not null",
            "big: Utf8 not null"),
        types(cast));
    var back = changed(cast, new CastColumns(Map.of("big", new CsvType.Number(Prim.I64))));
    assertEquals("[1.0, 0.5, AA, 2026-01-01, 1, 3000000000]", rows(back).getFirst());
    assertFault(
        K6108,
        "column \"x\" is 0.5 in row 0, which is no i32",
        () -> rows(changed(table(), new CastColumns(number("x", Prim.I32)))));
    assertFault(
        K6108,
        "column \"big\" is 3000000000 in row 0, which is no i32",
        () -> rows(changed(table(), new CastColumns(number("big", Prim.I32)))));
    assertFault(
        K6130,
        "can't become date",
        () -> types(changed(table(), new CastColumns(Map.of("id", CsvType.DATE)))));
  }

  @Test
  void decimalsAreCastExactly() throws IOException {
    var numbers = where(table(), "x < 1000");
    var price = Map.<String, CsvType>of("x", new CsvType.Decimal(6, 2));
    var decimals = changed(numbers, new CastColumns(price));
    assertEquals("x: Decimal(6, 2, 128) not null", types(decimals).get(1));
    assertEquals("[1, 0.50, AA", rows(decimals).getFirst().toString().substring(0, 12));
    var text = changed(decimals, new CastColumns(Map.of("x", CsvType.TEXT)));
    var tenths = changed(text, new CastColumns(Map.of("x", new CsvType.Decimal(3, 1))));
    assertEquals(rows(numbers), rows(changed(tenths, new CastColumns(number("x", Prim.F64)))));
    var whole = changed(numbers, new CastColumns(Map.of("id", new CsvType.Decimal(9, 3))));
    assertEquals(rows(numbers), rows(changed(whole, new CastColumns(number("id", Prim.I64)))));
    assertFault(
        K6108,
        "column \"x\" is 0.50 in row 0, which is no i64",
        () -> rows(changed(decimals, new CastColumns(number("x", Prim.I64)))));
    assertFault(
        K6108,
        "column \"x\" is 0.5 in row 0, which is no decimal(3,0)",
        () -> rows(changed(numbers, new CastColumns(Map.of("x", new CsvType.Decimal(3, 0))))));
  }

  private static Map<String, CsvType> number(String name, Prim prim) {
    return Map.of(name, new CsvType.Number(prim));
  }

  private RowSource numbers(int files) throws IOException {
    var all = new ArrayList<DataFile>();
    for (int f = 0; f < files; f++) {
      var text = new StringBuilder("id,x,s\n");
      for (int i = 0; i < 3000; i++) {
        int id = f * 3000 + i;
        text.append("%d,%s,n%d\n".formatted(id, id * 0.25, id % 10));
      }
      all.add(DataFile.of(Files.writeString(folder.resolve("n" + f + ".csv"), text)));
    }
    return new CsvFiles(all, CsvOptions.DEFAULT);
  }

  @Test
  void standardisedColumnsHaveMeanZeroAndDeviationOne() throws IOException {
    var source =
        changed(numbers(3), new GroupedColumns(List.of(new GroupedColumns.Group("v", "id", "x"))));
    var one = Standardised.of(source, List.of("v"), pass(1));
    assertEquals(rows(one), rows(Standardised.of(source, List.of("v"), pass(4))));
    double[] sum = new double[2];
    double[] squares = new double[2];
    for (var row : rows(one)) {
      var list = row.substring(2, row.indexOf(']')).split(",");
      for (int i = 0; i < 2; i++) {
        double x = Double.parseDouble(list[i]);
        sum[i] += x;
        squares[i] += x * x;
      }
    }
    assertArrayEquals(new double[] {0, 0}, sum, 1e-8);
    assertArrayEquals(new double[] {9000, 9000}, squares, 1e-6);
    double mean = 8999 / 2.0;
    var told = one.schema().getCustomMetadata().get(Standardised.KEY + "v");
    assertTrue(told.startsWith("{\"mean\":[" + mean + ","), told);
    assertFault(
        K6130,
        "which can't be standardised",
        () -> Standardised.of(numbers(1), List.of("s"), pass(1)));
  }

  /** Who waits for a pass over all rows is told why, and how far it is. */
  @Test
  void passesBeforeRowsAreMovedAreTold() throws IOException {
    var told = new ArrayList<String>();
    var progress =
        new Progress() {
          @Override
          public void at(long rows, double fraction) {
            told.add(rows + " rows");
          }

          @Override
          public void pass(String why) {
            told.add(why);
          }
        };
    var standardised = Standardised.of(table(), List.of("id"), new FirstPass(1, progress));
    var coded = DictionaryColumns.of(standardised, List.of("s"), new FirstPass(1, progress));
    try (var _ = ShuffledRows.of(coded, 3, folder.resolve("out"), new FirstPass(1, progress))) {
      assertEquals(
          List.of(
              "means and deviations",
              "4 rows",
              "different strings",
              "4 rows",
              "random order",
              "4 rows"),
          told);
    }
  }

  @Test
  void stringsBecomePlacesInASortedList() throws IOException {
    var coded = DictionaryColumns.of(table(), List.of("s"), pass(2));
    assertEquals("s: Int(32, true) not null", types(coded).get(2));
    var codes = rows(coded).stream().map(r -> r.split(", ")[2]).toList();
    assertEquals(List.of("0", "1", "-1", "0"), codes);
    assertEquals(
        "[\"AA\",\"B B\"]", coded.schema().getCustomMetadata().get(DictionaryColumns.KEY + "s"));
    assertFault(K6130, "not strings", () -> DictionaryColumns.of(table(), List.of("id"), pass(1)));
  }

  @Test
  void aSampleDependsOnTheSeedOnly() throws IOException {
    var source = numbers(2);
    var some = rows(changed(source, new SomeRows.Sample(0.25, 7)));
    assertEquals(some, rows(changed(source, new SomeRows.Sample(0.25, 7))));
    assertNotEquals(some, rows(changed(source, new SomeRows.Sample(0.25, 8))));
    // Six standard deviations of a binomial distribution.
    assertEquals(1500, some.size(), 6 * Math.sqrt(6000 * 0.25 * 0.75));
    assertTrue(rows(source).containsAll(some));
  }

  @Test
  void aShuffleHasAllRowsInAnotherOrder() throws IOException {
    var source = numbers(3);
    var plain = rows(source);
    List<String> first;
    try (var shuffled = ShuffledRows.of(source, 3, folder.resolve("out"), pass(1))) {
      first = rows(shuffled);
    }
    try (var again = ShuffledRows.of(source, 3, folder.resolve("out"), pass(3))) {
      assertEquals(first, rows(again));
    }
    assertNotEquals(plain, first);
    var sorted = new ArrayList<>(first);
    Collections.sort(sorted);
    Collections.sort(plain);
    assertEquals(plain, sorted);
    try (var left = Files.list(folder)) {
      assertEquals(3, left.count());
    }
    // The first rows are from all places: their mean is near that of all.
    double mean =
        first.subList(0, 1000).stream()
            .mapToInt(r -> Integer.parseInt(r.substring(1, r.indexOf(','))))
            .average()
            .orElseThrow();
    assertEquals(4499.5, mean, 6 * 9000 / Math.sqrt(12 * 1000));
  }

  @Test
  void sharesHaveEachRowOnce() throws IOException {
    var source = numbers(2);
    var shares = List.of(new RowOutput.Share("train", 0.75), new RowOutput.Share("test", 0.25));
    for (var threads : new int[] {1, 3}) {
      var target = folder.resolve("split" + threads);
      var output =
          new RowOutput(
              target, true, 0, ".arrow", ArrowFile::new, shares, 5, false, false, threads, "");
      assertEquals(6000, Transfer.run(source, output, Progress.NONE).rows());
    }
    var train = written("split1/train");
    var test = written("split1/test");
    assertEquals(train, written("split3/train"));
    assertEquals(4500, train.size(), 6 * Math.sqrt(6000 * 0.25 * 0.75));
    var both = new ArrayList<>(train);
    both.addAll(test);
    Collections.sort(both);
    var all = rows(source);
    Collections.sort(all);
    assertEquals(all, both);
  }

  private List<String> written(String name) {
    var found =
        Validation.folder(DatasetFolder.of(folder.resolve(name)), ArrowReader::open, Progress.NONE);
    assertTrue(found.manifest());
    return rows(
        new FileSource(
            SourceFiles.resolve(List.of(folder.resolve(name).toString())), ArrowReader::open));
  }

  @Test
  void columnsAreChosenGroupedAndRenamed() throws IOException {
    var plan =
        new RowPlan(
            List.of(),
            new GroupedColumns(List.of(new GroupedColumns.Group("v", "id", "x"))),
            List.of("ok", "x", "s"),
            Map.of("v", "w"));
    var file = DataFile.of(Files.writeString(folder.resolve("p.csv"), TABLE));
    var opened = new ArrayList<List<String>>();
    var source =
        plan.of(
            names -> {
              opened.add(names);
              return new CsvFiles(List.of(file), CsvOptions.DEFAULT.withColumns(names));
            },
            false);
    assertEquals(List.of(List.of(), List.of("ok", "id", "x", "s")), opened);
    assertEquals("[true, [1.0,0.5], AA]", rows(source).getFirst());
    assertEquals(
        List.of("ok", "w", "s"), source.schema().getFields().stream().map(Field::getName).toList());
  }

  @Test
  void aProgramComputesColumnsRowByRow() throws IOException {
    var text =
        """
        entry scaled [n] (x: [n]f64) (id: [n]i32) : {y: [n]f32, pair: [n][2]i64} =
          {y = map f32.f64 x, pair = map (\\i -> [i64.i32 i, 2]) id}
        entry x [n] (x: [n]f64) : [n]f64 = map (+ 1) x
        entry centred [n] (x: [n]f64) : [n]f64 =
          let mean = f64.sum x / f64.i64 n in map (\\a -> a - mean) x
        entry total [n] (x: [n]f64) : f64 = f64.sum x
        """;
    var file = Files.writeString(folder.resolve("p.fut"), text);
    try (var scaled = ProgramColumns.of(file, "scaled")) {
      var made = changed(table(), scaled);
      var names = made.schema().getFields().stream().map(Field::getName).toList();
      assertEquals(List.of("id", "x", "s", "day", "ok", "big", "pair", "y"), names);
      assertTrue(rows(made).getFirst().endsWith(", [1,2], 0.5]"), rows(made).getFirst());
    }
    try (var x = ProgramColumns.of(file, "x")) {
      var made = changed(numbers(2), x);
      var expected =
          rows(numbers(2)).stream()
              .map(r -> r.split(", "))
              .map(r -> Arrays.asList(r[0], String.valueOf(Double.parseDouble(r[1]) + 1), r[2]))
              .map(r -> String.join(", ", r))
              .toList();
      assertEquals(expected, rows(made));
    }
    assertFault(K6130, "depends on other rows", () -> ProgramColumns.of(file, "centred"));
    assertFault(K6130, "which is no column", () -> ProgramColumns.of(file, "total"));
  }
}
