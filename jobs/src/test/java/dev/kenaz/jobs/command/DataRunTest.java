package dev.kenaz.jobs.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.arrow.ArrowDataset;
import dev.kenaz.arrow.ArrowOutput;
import dev.kenaz.jobs.ExitStatus;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Value;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code kenaz run --data}: a program over the columns of Arrow files. */
final class DataRunTest {
  private static final String WEIGHTS = "[2,-1] 3i64";

  /** What {@code fit} is given on standard input to compute the same without files. */
  private static final String ALL = "[[1,2],[3,4],[5,6],[7,8],[9,1]] [1,2,3,4,5] [2,-1] 3i64";

  @TempDir static Path shared;
  @TempDir Path folder;

  @BeforeAll
  static void write() throws IOException {
    Files.writeString(
        shared.resolve("p.fut"),
        """
        def dot [d] (w: [d]i32) (x: [d]i32) : i32 = i32.sum (map2 (*) w x)
        def cost [n][d] (xs: [n][d]i32) (ys: [n]i32) (w: [d]i32) : i32 =
          i32.sum (map2 (\\x y -> let e = dot w x - y in e * e) xs ys)
        entry fit [n][d] (xs: [n][d]i32) (ys: [n]i32) (w: [d]i32) (k: i64)
            : ([d]i32, i64, [n]i32, [n][d]i32) =
          let w = loop w for _i < k do map (\\a -> (a + cost xs ys w) % 17) w
          in (w, n, map2 (\\x y -> dot w x - y) xs ys, xs)
        entry total [n] (xs: [n]f64) : f64 = f64.sum xs
        entry least [n] (xs: [n]f64) : f64 = reduce f64.min f64.inf xs
        entry total32 [n] (xs: [n]f32) : f32 = f32.sum xs
        entry records [n] (ps: [n]{x: i32, c: i8}) (ts: [n](i32, bool)) : (i32, i32) =
          (i32.sum (map2 (\\p t -> if t.1 then p.x * t.0 else i32.i8 p.c) ps ts), i32.i64 n)
        entry cube [n] (xs: [n][2][2]f64) : f64 = f64.sum (flatten_3d xs)
        entry cubes [n] (ys: [n]i32) : [n][2][2]i32 =
          map (\\y -> replicate 2 (replicate 2 y)) ys
        entry sized (n: i64) (xs: [n]f64) (k: i64) : i64 = i64.f64 (f64.sum xs) * n + k
        entry turned [n] (ys: [n]i32) (k: i64) : [n]i32 =
          loop zs = copy ys for _i < k do map (\\i -> zs[(i + 1) % n]) (iota n)
        entry sums [n] (ys: [n]i32) : [n]i32 =
          map (\\x -> let s = scan (+) 0 (map (* x) ys) in s[n / 2]) ys
        entry joined [n][m] (keys: [n]i64) (rates: [m]i32) (amounts: [n]i32) (k: i32)
            : ([n]i32, [m]i32, i32, i64) =
          let at key = if key <= m then k * rates[key - 1] else 0
          let taxed = map2 (\\key a -> a * at key) keys amounts
          in (taxed, hist (+) 0 m (map (+ -1) keys) taxed, i32.sum rates, n)
        entry positive [n][m] (count: [n]i64) (v: [m]f32) : ([n]i64, i64) =
          let ends = scan (+) 0 count
          let some = map2 (\\e c -> loop s = 0 for j in e - c..<e do s + i64.bool (v[j] > 0)) ends count
          in (some, i64.sum some)
        entry squares (k: i32) (n: i64) : (i32, [n]i32) =
          let ys = map (\\i -> k * i32.i64 i) (iota n) in (i32.sum ys, map (** 2) ys)
        entry both [m] (n: i64) (rates: [m]i32) : ([n]i32, i32) =
          (map (\\i -> rates[i % m]) (iota n), i32.sum rates)
        """);
    var table = new LinkedHashMap<String, Value>();
    table.put("a", ArrayValue.ofInts(new int[] {1, 3, 5, 7, 9}));
    table.put("b", ArrayValue.ofLongs(new long[] {2, 4, 6, 8, 1}));
    table.put("ab", ArrayValue.ofInts(new int[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 1}, 5, 2));
    table.put("y", ArrayValue.ofDoubles(new double[] {1, 2, 3, 4, 5}));
    table.put("f", ArrayValue.ofDoubles(new double[] {1, 2, 0.1, 4, 5}));
    table.put("nan", ArrayValue.ofDoubles(new double[] {1, 2, 3, Double.NaN, 5}));
    table.put("far", ArrayValue.ofDoubles(new double[] {1, 1e300, 3, 4, 5}));
    table.put("t", ArrayValue.ofBooleans(new boolean[] {true, false, true, true, false}));
    table.put("c", ArrayValue.ofLongs(Prim.I8, new long[] {1, 2, 3, 4, 5}));
    table.put("x", ArrayValue.ofInts(new int[] {1, 1, 2, 2, 3}));
    table.put("big", ArrayValue.ofLongs(new long[] {1, (1L << 53) + 1, 3, 4, 5}));
    ArrowOutput.write(shared.resolve("d.arrow"), table, false);
    var four = new LinkedHashMap<String, Value>();
    four.put("y", ArrayValue.ofInts(new int[] {1, 2, 3, 4}));
    ArrowOutput.write(shared.resolve("four.arrow"), four, false);
    four.put("y", ArrayValue.ofInts(new int[0]));
    ArrowOutput.write(shared.resolve("none.arrow"), four, false);
    // A folder whose second file has no rows.
    parts("1 2 3", "", "4 5");
  }

  private static void parts(String... files) {
    for (int i = 0; i < files.length; i++) {
      var numbers = Stream.of(files[i].split(" ")).filter(s -> !s.isEmpty());
      var column = ArrayValue.ofInts(numbers.mapToInt(Integer::parseInt).toArray());
      var table = new LinkedHashMap<String, Value>();
      table.put("y", column);
      ArrowOutput.write(shared.resolve("parts/" + i + ".arrow"), table, false);
    }
  }

  private static Told run(String input, String entry, String... options) {
    var args = new ArrayList<>(List.of("run", shared.resolve("p.fut").toString(), "-e", entry));
    for (var o : options) {
      args.add(o.replace("@", shared.toString()));
    }
    var told = Told.reading(input, args.toArray(String[]::new));
    // A slow machine tells how far it has come, and which messages Spark no longer passes on.
    var err =
        told.err()
            .replaceAll("(?m)^stage \\d+ of .* s\n", "")
            .replaceAll(
                "(?m)^java.util.concurrent.RejectedExecutionException: Task Future.*\n(\tat .*\n)*",
                "");
    return new Told(told.status(), told.out(), err);
  }

  private static final String[] FIT = {"--data=xs=@/d.arrow:a,b", "--data=ys=@/d.arrow:y"};

  private static String[] fit(String... more) {
    return Stream.concat(Stream.of(FIT), Stream.of(more)).toArray(String[]::new);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--data=xs=@/d.arrow:a,b --data=ys=@/d.arrow:y",
        "--data=ys=@/parts --data=xs=@/d.arrow:ab --pieces=4",
        "--data=xs=@/d.arrow:ab --data=ys=@/parts/[0-9].arrow:y --pieces=9 --backend=interpret",
        "--data=xs=@/d.arrow:ab --data=ys=@/parts --spark",
        "--data=xs=@/d.arrow:a,b --data=ys=@/d.arrow:y --pieces=7 --spark=local[2]",
      })
  void columnsGiveWhatTheirNumbersGive(String options) {
    var whole = run(ALL, "fit");
    assertEquals(ExitStatus.OK, whole.status(), whole.err());
    assertEquals(whole, run(WEIGHTS, "fit", options.split(" ")));
  }

  @Test
  void recordsAndTuplesAreColumns() {
    var named = run("", "records", "--data=ps=@/d.arrow:c,x", "--data=ts=@/d.arrow:a,t");
    assertEquals(new Told(ExitStatus.OK, "32i32\n5i32\n", ""), named);
    var all = run("", "records", "--data=ps=@/d.arrow", "--data=ts=@/d.arrow:a,t", "--pieces=2");
    assertEquals(named, all);
  }

  @Test
  void recordsLeaveColumnsThatAreNoNumbers() throws IOException {
    var json =
        Files.writeString(
            folder.resolve("d.json"),
            """
            {"name": "a", "x": 3, "words": [1, 2], "c": 4}
            {"name": "b", "x": 5, "words": [], "c": 6}
            """);
    var data = folder.resolve("all.arrow");
    assertEquals(ExitStatus.OK, Told.run("dataset", "import", json + "", data + "").status());
    var program =
        Files.writeString(
            folder.resolve("r.fut"),
            "entry main [n] (ps: [n]{x: i32, c: i8}) = map (\\p -> p.x * i32.i8 p.c) ps");
    var told = Told.run("run", program + "", "--data=ps=" + data, "--pieces=2");
    assertEquals(new Told(ExitStatus.OK, "[12i32, 30i32]\n", ""), told);
  }

  @ParameterizedTest
  @ValueSource(strings = {"--pieces=3", "--spark=local[2]"})
  void longResultsBecomeDataThatCanBeReadBack(String option) {
    var out = folder.resolve("out");
    var told = run(WEIGHTS, "fit", fit("--out=" + out, option));
    var lines = run(ALL, "fit").out().lines().toList();
    assertEquals(String.join("\n", lines.subList(0, 2)) + "\n", told.out(), told.err());
    assertTrue(told.err().contains("result 3: 5 rows in " + out.resolve("result3")), told.err());
    var again = run("[2,-1] 0i64", "fit", FIT[0], "--data=ys=" + out.resolve("result3"));
    assertEquals(ExitStatus.OK, again.status(), again.err());
    assertEquals(5, ArrowDataset.open(out.resolve("result4").toString()).toMatrix(Prim.I32).dim(0));
    assertEquals(
        ArrayValue.ofLongs(new long[] {5}),
        ArrowDataset.open(out.resolve("result2.arrow").toString()).toVector(Prim.I64));
    var taken = run(WEIGHTS, "fit", fit("--out=" + out, option));
    assertEquals(ExitStatus.USER_ERROR, taken.status());
    assertTrue(taken.err().contains("K6110"), taken.err());
    assertEquals(told, run(WEIGHTS, "fit", fit("--out=" + out, option, "--overwrite")));
    try (var left = Files.list(folder)) {
      assertEquals(List.of(out), left.toList());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void whatFailsLeavesNoResults() {
    var out = folder.resolve("out");
    var told = run("", "total", "--data=xs=@/d.arrow:nan", "--out=" + out);
    assertEquals(ExitStatus.USER_ERROR, told.status());
    assertFalse(Files.exists(out));
  }

  @Test
  void dataIsNotReplacedByItsResults() throws IOException {
    var data = Files.createDirectory(folder.resolve("data"));
    Files.copy(shared.resolve("four.arrow"), data.resolve("y.arrow"));
    var told = run("", "sums", "--data=ys=" + data, "--out=" + data, "--overwrite", "--pieces=2");
    assertEquals(ExitStatus.USER_ERROR, told.status());
    assertTrue(told.err().contains("would replace the data"), told.err());
    assertTrue(Files.exists(data.resolve("y.arrow")));
  }

  @Test
  void nansAreNumbersIfThatIsSaid() {
    var kept = run("", "least", "--data=xs=@/d.arrow:nan", "--nans=keep", "--pieces=2");
    assertEquals(new Told(ExitStatus.OK, run("[1,2,3,f64.nan,5]", "least").out(), ""), kept);
  }

  @Test
  void floatsAreRounded() {
    assertEquals(
        new Told(ExitStatus.OK, run("[1,2,0.1,4,5]", "total32").out(), ""),
        run("", "total32", "--data=xs=@/d.arrow:f", "--pieces=2"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "2 | total | --data=xs=@/nowhere.arrow:y | no such file or folder",
        "2 | total | --data=xs=@/d.arrow:yy | has no column \"yy\"",
        "2 | total | --data=xs=@/d.arrow:a,b | takes one column of numbers, but these are chosen",
        "2 | total | --data=xs=@/d.arrow:ab | ab ([2]i32)",
        "2 | total | --data=xs=@/d.arrow:nan | \"nan\" is NaN in row 3, for the parameter xs",
        "2 | total | --data=xs=@/d.arrow:nan --spark | is NaN in row 3, for the parameter xs",
        "2 | total | --data=xs=@/d.arrow:big | is no f64, for the parameter xs",
        "2 | total32 | --data=xs=@/d.arrow:far | f64 is no f32, for the" + " parameter xs",
        "2 | total32 | --data=xs=@/d.arrow:big | row 1: 9007199254740993i64 is no f32",
        "2 | sums | --data=ys=@/d.arrow:f | \"f\", row 2: 0.1f64 is no i32, for the parameter ys",
        "2 | cube | --data=xs=@/d.arrow:a,b | has 3 dimensions; columns have one or two",
        "2 | cubes | --data=ys=@/d.arrow:a --out=@/o | a column takes two at most",
        "2 | records | --data=ps=@/d.arrow:x,a --data=ts=@/d.arrow:a,t | its fields are c, x",
        "2 | records | --data=ps=@/d.arrow --data=ts=@/d.arrow:a | needs 2 columns",
        "2 | fit | --data=xs=@/d.arrow:ab --data=ys=@/four.arrow | 5 rows for the parameter xs",
        "2 | fit | --data=xs=@/d.arrow:ab --data=zs=@/d.arrow:y | has no parameter zs",
        "2 | fit | --data=xs=@/d.arrow:ab,a --data=ys=@/d.arrow:y | as a row of column xs says",
        "2 | fitt | --data=xs=@/d.arrow:ab | did you mean fit?",
        "64 | fit | --data=xs=@/d.arrow:ab --data=xs=@/d.arrow:ab | the parameter xs twice",
        "64 | fit | --data=xs=@/d.arrow:a,a --data=ys=@/d.arrow:y | a column of xs twice",
        "2 | fit | --data=xs=@/d.arrow:ab --rows=ys | name its columns: --data ys=PATH:COLUMN",
        "2 | fit | --rows=xs,ys --spark | the rows of xs are no argument: with --data and --spark",
        "2 | fit | --data=xs=@/d.arrow:ab | parameter ys has the dataset's number of rows",
        "2 | squares | --rows=k --spark | parameter k of type i32 can't be a dataset",
        "64 | squares | --rows=n --spark --cuts=0,3 | with --spark there is --pieces N",
        "64 | fit | --data=xs=@/d.arrow:ab --cuts=0,5 | with --data there is --pieces N",
        "64 | fit | --data=xs | write PARAMETER=PATH",
        "64 | fit | --data==x.arrow | write PARAMETER=PATH",
        "64 | fit | --data= | write PARAMETER=PATH",
        "64 | fit | --data=xs=@/d.arrow:a,,b | a column has no name",
        "64 | fit | --spark | --spark needs --data",
        "64 | fit | --out=o | --out needs --data or --rows",
        "64 | fit | --overwrite --data=xs=@/d.arrow | --overwrite is for --out",
        "64 | fit | --nulls=drop | are for --data",
        "64 | fit | --nulls=keep --data=xs=@/d.arrow | expected one of",
        "64 | fit | --checkpoint=c | --checkpoint DIR and --every K go together",
        "64 | fit | --checkpoint=c --every=2 | --checkpoint needs --data or --rows",
        "64 | fit | --data=xs=@/d.arrow --resume | --resume needs --checkpoint",
        "64 | fit | --data=xs=@/d.arrow --checkpoint=c --every=0 | must be a number from 1",
      })
  void whatMakesNoSenseIsTold(int status, String entry, String options, String message) {
    var told = run(WEIGHTS, entry, options.split(" "));
    assertEquals(status, told.status(), told.err());
    assertTrue(told.err().contains(message), told.err());
    assertEquals("", told.out());
  }

  @Test
  void argumentsAreThoseBesideTheData() {
    var told = run(ALL, "fit", FIT);
    assertEquals(ExitStatus.USER_ERROR, told.status());
    assertTrue(told.err().contains("besides its data, takes 2 values"), told.err());
    var three = run("[1,2,3] 3i64", "fit", FIT);
    assertTrue(three.err().contains("K6302"), three.err());
  }

  /** Lists of any lengths are whole in each piece. */
  @Test
  void listsAreTheirElementsAndLengths() {
    var beats = Path.of("../configs/data/beats-1k.arrow").toString();
    var count = "count=" + beats + ":lengths(x)";
    var v = "v=" + beats + ":elements(x)";
    var one = run("", "positive", "--data", count, "--data", v, "--pieces", "1");
    assertEquals(0, one.status(), one.err());
    assertTrue(one.out().length() > 4000, one.out());
    for (var more : List.of("--pieces 7", "--pieces 1500", "--pieces 3 --spark local[2]")) {
      var words = new java.util.ArrayList<>(List.of("--data", v, "--data", count));
      words.addAll(List.of(more.split(" ")));
      var told = run("", "positive", words.toArray(String[]::new));
      assertEquals(one.out(), told.out(), told.err());
    }
    var both = run("", "positive", "--data", count, "--data", v, "--nulls", "drop");
    assertTrue(both.err().contains("can't be left out where"), both.err());
    var plain = run("", "positive", "--data", count, "--data", "v=" + beats + ":x");
    assertTrue(plain.err().contains("elements(x), one list after the other"), plain.err());
  }

  @Test
  void theNumberOfRowsMayBeAParameter() {
    for (var option : List.of("--pieces=2", "--spark=local[2]")) {
      var told = run("5i64 1i64", "sized", "--data=xs=@/d.arrow:y", option);
      assertEquals(new Told(ExitStatus.OK, "76i64\n", ""), told);
    }
    var wrong = run("4i64 1i64", "sized", "--data=xs=@/d.arrow:y");
    assertEquals(ExitStatus.USER_ERROR, wrong.status());
    assertTrue(wrong.err().contains("n of sized is 4i64, but the data has 5 rows"), wrong.err());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"--pieces=1", "--pieces=3", "--pieces=9 --spark=local[2]", "--spark=local[2]"})
  void datasetsHaveNumbersOfRowsOfTheirOwn(String options) {
    var whole = run("[1,3,5,7,9] [1,2,3,4] [1,1,2,2,3] 10", "joined");
    var orders = "--data=keys=@/d.arrow:a --data=amounts=@/d.arrow:x ";
    var data = orders + "--data=rates=@/four.arrow " + options;
    assertEquals(whole, run("10", "joined", data.split(" ")));
    var none = run("[1,3,5,7,9] empty([0]i32) [1,1,2,2,3] 10", "joined");
    assertEquals(ExitStatus.OK, none.status(), none.err());
    var noRates = orders + "--data=rates=@/none.arrow " + options;
    assertEquals(none, run("10", "joined", noRates.split(" ")));
    var out = folder.resolve("out");
    var written = run("10", "joined", (data + " --out=" + out).split(" "));
    assertTrue(written.err().contains("result 1: 5 rows in "), written.err());
    assertTrue(written.err().contains("result 2: 4 rows in "), written.err());
    assertEquals("10i32\n5i64\n", written.out());
    var taken = ArrowDataset.open(out.resolve("result2").toString()).toVector(Prim.I32);
    assertEquals(whole.out().lines().toList().get(1), taken.toString());
  }

  @Test
  void rowsOfOneDatasetMustAgree() {
    var orders = "--data=keys=@/d.arrow:a --data=rates=@/d.arrow:a --data=amounts=@/four.arrow";
    for (var option : List.of(" --pieces=2", " --spark=local[2]")) {
      var told = run("10", "joined", (orders + option).split(" "));
      assertEquals(ExitStatus.USER_ERROR, told.status());
      var message = "5 rows for the parameter keys, but 4 for amounts";
      assertTrue(told.err().contains(message), told.err());
    }
  }

  @Test
  void aDatasetMayBeANumberOfRows() {
    for (var option : List.of("--pieces=3", "--spark=local[2]", "--spark=local[2] --pieces=7")) {
      for (var input : List.of("3 5", "3 0", "3 100000")) {
        var whole = run(input, "squares");
        assertEquals(whole, run(input, "squares", ("--rows=n " + option).split(" ")));
      }
      var negative = run("3 -5", "squares", ("--rows=n " + option).split(" "));
      assertEquals(ExitStatus.USER_ERROR, negative.status());
      assertTrue(negative.err().contains("n of squares is a number of rows"), negative.err());
      var data = "--rows=n --data=rates=@/four.arrow " + option;
      assertEquals(run("6 [1,2,3,4]", "both"), run("6", "both", data.split(" ")));
    }
  }

  @Test
  void whatIsNotDividedIsToldAndComputed() {
    for (var option : List.of("--pieces=2", "--spark=local[2]")) {
      var told = run("", "sums", "--data=ys=@/parts", option);
      assertEquals("[6i32, 12i32, 18i32, 24i32, 30i32]\n", told.out(), told.err());
      assertTrue(told.err().contains("warning[K8001]"), told.err());
    }
  }

  /** Two batches, with a null in either column, and a batch without rows between them. */
  private Path withNulls() throws IOException {
    var file = folder.resolve("nulls.arrow");
    try (var allocator = new RootAllocator();
        var x = new Float8Vector("x", allocator);
        var pairs = FixedSizeListVector.empty("p", 2, allocator);
        var channel =
            FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      var cells =
          (IntVector)
              pairs.addOrGetVector(FieldType.nullable(new ArrowType.Int(32, true))).getVector();
      var table = VectorSchemaRoot.of(x, pairs);
      try (var writer = new ArrowFileWriter(table, null, channel)) {
        for (int rows : new int[] {4, 0, 3}) {
          x.reset();
          pairs.reset();
          for (int i = 0; i < rows; i++) {
            x.setSafe(i, i + 1);
            pairs.setNotNull(i);
            cells.setSafe(2 * i, 10 * i);
            cells.setSafe(2 * i + 1, 1);
          }
          if (rows == 4) {
            x.setNull(1);
            cells.setNull(7);
          }
          table.setRowCount(rows);
          writer.writeBatch();
        }
      }
    }
    return file;
  }

  @Test
  void rowsWithNullsAreLeftOutOfAllParameters() throws IOException {
    var file = withNulls();
    var data = new String[] {"--data=xs=" + file + ":p", "--data=ys=" + file + ":x"};
    var refused = run(WEIGHTS, "fit", data);
    assertEquals(ExitStatus.USER_ERROR, refused.status());
    assertTrue(refused.err().contains("null in row 3, for the parameter xs"), refused.err());
    var whole = run("[[0,1],[20,1],[0,1],[10,1],[20,1]] [1,3,1,2,3] " + WEIGHTS, "fit");
    for (var option : List.of("--pieces=1", "--pieces=3", "--nans=error", "--spark=local[2]")) {
      assertEquals(whole, run(WEIGHTS, "fit", data[0], data[1], "--nulls=drop", option));
    }
    var out = folder.resolve("out");
    var files = run(WEIGHTS, "fit", data[0], data[1], "--nulls=drop", "--pieces=7", "--out=" + out);
    assertTrue(files.err().contains("result 3: 5 rows in "), files.err());
  }

  // Checkpoints

  private String[] kept(String... more) {
    return fit(
        Stream.concat(
                Stream.of("--checkpoint=" + folder.resolve("kept"), "--every=50"), Stream.of(more))
            .toArray(String[]::new));
  }

  private Path state() {
    return folder.resolve("kept/loops.checkpoint");
  }

  /** Runs the command in a process of its own until it has kept a state, and kills it. */
  private void kill(String entry, String input, String... options) throws Exception {
    var command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java"));
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(a -> !a.startsWith("-agentlib") && !a.startsWith("-javaagent"))
        .forEach(command::add);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), "dev.kenaz.jobs.Main"));
    command.addAll(List.of("run", shared.resolve("p.fut").toString(), "-e", entry));
    Stream.of(options).map(o -> o.replace("@", shared.toString())).forEach(command::add);
    command.add("-i=" + Files.writeString(folder.resolve("input"), input));
    var log = folder.resolve("log").toFile();
    var process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log).start();
    while (!Files.exists(state())) {
      assertFalse(process.waitFor(5, TimeUnit.MILLISECONDS), () -> "ended before it kept a state");
    }
    process.destroyForcibly().waitFor();
  }

  @Test
  void aKilledRunGoesOnAndEndsAsIfNothingHadHappened() throws Exception {
    var long1 = "[2,-1] 30000i64";
    kill("fit", long1, kept());
    var other = run(long1, "fit", kept());
    assertEquals(ExitStatus.USER_ERROR, other.status());
    assertTrue(other.err().contains("K7101"), other.err());
    refused("another argument", "[2,-1] 30001i64", "fit", kept("--resume"));
    refused("another argument", "[2,-2] 30000i64", "fit", kept("--resume"));
    refused("another dataset", long1, "fit", kept("--resume", "--nans=keep"));
    var state = Files.readAllBytes(state());
    var damaged = state.clone();
    damaged[state.length - 40] ^= 1;
    Files.write(state(), damaged);
    refused("is not a whole checkpoint", long1, "fit", kept("--resume"));
    Files.write(state(), Arrays.copyOf(state, state.length - 7));
    refused("is not a whole checkpoint", long1, "fit", kept("--resume"));
    Files.write(state(), state);
    var resumed = run(long1, "fit", kept("--resume", "--pieces=2"));
    assertEquals(ExitStatus.OK, resumed.status(), resumed.err());
    assertTrue(resumed.err().startsWith("resuming after iteration "), resumed.err());
    var whole = run(long1, "fit", fit());
    assertEquals(whole.out(), resumed.out());
    assertFalse(Files.exists(state()), "what isn't needed any more is removed");
  }

  private void refused(String why, String input, String entry, String... options) {
    var told = run(input, entry, options);
    assertEquals(ExitStatus.USER_ERROR, told.status(), told.err());
    assertTrue(told.err().contains(why), told.err());
  }

  @Test
  void aRunWithoutALoopHasNothingToKeep() {
    var kept = folder.resolve("kept");
    var told =
        run("", "total", "--data=xs=@/d.arrow:y", "--checkpoint=" + kept, "--every=1", "--resume");
    assertEquals("15.0f64\n", told.out(), told.err());
    assertTrue(told.err().contains("no loop of total has stages"), told.err());
  }

  /** The rows that pieces keep are in files of their own. */
  @Test
  void aKilledRunGoesOnWithTheRowsOfItsPieces() throws Exception {
    var iterations = "4001i64";
    var options = List.of("--data=ys=@/parts", "--checkpoint=" + folder.resolve("kept"));
    var three = with(options, "--every=50", "--pieces=3");
    kill("turned", iterations, three);
    var again = with(List.of(three), "--resume");
    var two = with(options, "--every=50", "--pieces=2", "--resume");
    refused(
        "another division into pieces, another number of pieces (3)", iterations, "turned", two);
    var program = Files.readString(shared.resolve("p.fut"));
    Files.writeString(shared.resolve("p.fut"), program + "-- changed");
    refused("another program", iterations, "turned", again);
    Files.writeString(shared.resolve("p.fut"), program);
    Path part;
    try (var all = Files.walk(folder.resolve("kept"))) {
      part = all.filter(f -> f.endsWith("part-00002")).findFirst().orElseThrow();
    }
    var aside = Files.move(part, folder.resolve("aside"));
    refused("part-00002: no such file", iterations, "turned", again);
    Files.move(aside, part);
    var resumed = run(iterations, "turned", again);
    assertTrue(resumed.err().startsWith("resuming after iteration "), resumed.err());
    assertEquals(run("[1,2,3,4,5] " + iterations, "turned").out(), resumed.out());
    try (var left = Files.walk(folder.resolve("kept"))) {
      assertEquals(List.of(), left.filter(Files::isRegularFile).toList());
    }
  }

  private static String[] with(List<String> options, String... more) {
    return Stream.concat(options.stream(), Stream.of(more)).toArray(String[]::new);
  }

  @Test
  void argumentsInPiecesHaveCheckpointsToo() {
    var kept = "--checkpoint=" + folder.resolve("kept");
    var told = run(ALL, "fit", "--rows=xs,ys", "--pieces=3", kept, "--every=1");
    assertEquals(run(ALL, "fit"), told);
  }
}
