package dev.kenaz.jobs.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.jobs.ExitStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code kenaz run --rows} and {@code kenaz plan}. */
final class PiecesTest {
  private static final String ARGUMENTS = "[[1,2],[3,4],[5,6],[7,8],[9,1]] [1,2,3,4,5] [2,-1]";

  @TempDir Path folder;
  private String program;

  @BeforeEach
  void write() throws IOException {
    var text =
        """
        def dot [d] (w: [d]i32) (x: [d]i32) : i32 = i32.sum (map2 (*) w x)
        def cost [n][d] (xs: [n][d]i32) (ys: [n]i32) (w: [d]i32) : i32 =
          i32.sum (map2 (\\x y -> let e = dot w x - y in e * e) xs ys)
        entry fit [n][d] (xs: [n][d]i32) (ys: [n]i32) (w: [d]i32) : ([d]i32, i64, [n]i32) =
          let w = loop w for _i < 3i64 do map (\\a -> (a + cost xs ys w) % 17) w
          in (w, n, map2 (\\x y -> dot w x - y) xs ys)
        entry sum [n] (ps: [n]{a: i32, b: i32}) : i32 = i32.sum (map (\\p -> p.a * p.b) ps)
        entry sums [n] (xs: [n]i32) : [n]i32 =
          map (\\x -> let s = scan (+) 0 (map (* x) xs) in s[n / 2]) xs
        entry squares (n: i64) (k: i64) : (i64, [n]i64) =
          let xs = tabulate n (\\i -> i * i % k) in (i64.sum xs, xs)
        """;
    program = Files.writeString(folder.resolve("p.fut"), text).toString();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"--pieces=1", "--pieces=3", "--pieces=9", "--cuts=0,5", "--cuts=0,0,2,5,5"})
  void piecesGiveWhatTheWholeGives(String pieces) {
    var whole = Told.reading(ARGUMENTS, "run", program, "-e", "fit");
    assertEquals(ExitStatus.OK, whole.status(), whole.err());
    for (var backend : new String[] {"jvm", "interpret"}) {
      var parts =
          Told.reading(
              ARGUMENTS, "run", program, "-e", "fit", "--rows=xs,ys", pieces, "--backend", backend);
      assertEquals(whole, parts);
    }
  }

  @Test
  void thePassesOfAPlanAreListedMeasuredAndPrinted() {
    var listed = Told.run("dev", program, "-e", "fit", "--rows=xs,ys", "--passes");
    assertTrue(listed.out().contains("\nplan  "), listed.toString());
    var timed = Told.run("dev", program, "-e", "fit", "--rows=xs,ys", "--time", "--verify");
    assertTrue(timed.out().matches("(?s).*\nplan +1 times.*"), timed.toString());
    var plan = Told.run("dev", program, "-e", "fit", "--rows=xs,ys", "--after=plan").out();
    assertTrue(plan.contains("\n    stage 0\n"), plan);
    assertTrue(plan.contains("\n      def stage0 "), plan);
    assertTrue(plan.contains("\n  for _i"), plan);
    var wrong = Told.run("dev", program, "-e", "fit", "--rows=zs", "--passes");
    assertEquals(ExitStatus.USER_ERROR, wrong.status());
  }

  @Test
  void aDatasetOfRecordsIsOneParameter() {
    var told =
        Told.reading("[1,2,3] [4,5,6]", "run", program, "-e", "sum", "--rows=ps", "--pieces=2");
    assertEquals(new Told(ExitStatus.OK, "32i32\n", ""), told);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "1", "11"})
  void aDatasetMayBeANumberOfRows(String rows) {
    var whole = Told.reading(rows + " 7", "run", program, "-e", "squares");
    assertEquals(ExitStatus.OK, whole.status(), whole.err());
    var parts =
        Told.reading(rows + " 7", "run", program, "-e", "squares", "--rows=n", "--pieces=4");
    assertEquals(whole, parts);
  }

  @Test
  void aNegativeNumberOfRowsIsTheProgramsFault() {
    var told = Told.reading("-1 7", "run", program, "-e", "squares", "--rows=n", "--pieces=4");
    assertEquals(ExitStatus.USER_ERROR, told.status(), told.err());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "2 | fit | --rows=xs,zs | its parameters are xs, ys, w",
        "2 | fit | --rows=xs | parameter ys has the dataset's number of rows",
        "2 | fit | --rows=w,xs,ys | has the rows of another column inside",
        "64 | fit | --rows=xs,xs | --rows names the parameter xs twice",
        "64 | fit | --rows= | a parameter has no name",
        "64 | fit | --pieces=3 | --pieces and --cuts need --rows",
        "64 | fit | --cuts=0,5 | --pieces and --cuts need --rows",
        "2 | fit | --rows=xs,ys --cuts=0,4 | end with row 4, but there are 5 rows",
        "64 | fit | --rows=xs,ys --cuts=0,3,2,5 | cut 2 comes after 3",
        "64 | fit | --rows=xs,ys --cuts=1,5 | cuts begin with 0",
        "64 | fit | --rows=xs,ys --cuts=0,5 --pieces=2 | give one of them",
        "64 | fit | --rows=xs,ys --pieces=0 | must be a number from 1",
        "2 | fitt | --rows=xs | did you mean fit?",
      })
  void whatMakesNoSenseIsTold(int status, String entry, String options, String message) {
    var args = Stream.concat(Stream.of("run", program, "-e", entry), Stream.of(options.split(" ")));
    var told = Told.reading(ARGUMENTS, args.toArray(String[]::new));
    assertEquals(status, told.status(), told.err());
    assertTrue(told.err().contains(message), told.err());
  }

  @Test
  void whatIsNotDividedRunsInOnePlaceWithAWarning() {
    var told = Told.reading("[1,2,3,4,5]", "run", program, "-e=sums", "--rows=xs", "--pieces=3");
    assertEquals(ExitStatus.OK, told.status(), told.err());
    assertEquals("[6i32, 12i32, 18i32, 24i32, 30i32]\n", told.out());
    assertTrue(told.err().contains("warning[K8001]"), told.err());
    assertTrue(told.err().contains("all rows of xs are brought to"), told.err());
    var plan = Told.run("plan", program, "-e=sums", "--rows=xs", "--sizes=n=1000");
    assertTrue(plan.out().contains("gathers  xs.2: [n]i32  4.00 kB to the driver"), plan.out());
  }

  @Test
  void datasetsOfDifferentLengthsAreNoDataset() {
    var told = Told.reading("[[1,2]] [1,2] [1,2]", "run", program, "-e", "fit", "--rows=xs,ys");
    assertTrue(told.err().contains("K6302"), told.err());
  }

  @Test
  void aPlanTellsWhatMovesAndIsDrawn() throws Exception {
    var picture = folder.resolve("plan.svg");
    var told =
        Told.run(
            "plan",
            program,
            "-e=fit",
            "--rows=xs,ys",
            "--sizes=n=1e9,d=64",
            "--pieces=100",
            "-o=" + picture);
    assertEquals(ExitStatus.OK, told.status(), told.err());
    assertTrue(told.out().contains("256 GB, 2.56 GB a piece"), told.out());
    assertTrue(told.out().contains("loop, 3 times"), told.out());
    assertTrue(
        told.out().startsWith("fit: 2 stages over 100 pieces; to and from them "), told.out());
    var document =
        DocumentBuilderFactory.newDefaultInstance().newDocumentBuilder().parse(picture.toFile());
    assertEquals("svg", document.getDocumentElement().getTagName());
    assertTrue(Files.readString(picture).contains("stage 1, on every piece"));
    var other = Told.run("plan", program, "-e=fit", "--rows=xs,ys", "-o=plan.png");
    assertEquals(ExitStatus.USAGE, other.status(), other.err());
    assertTrue(other.err().contains("plan.png doesn't end in .svg"), other.err());
  }

  @Test
  void aPlanTellsWhereTheProgramHasLoopsBranchesAndExchanges() throws Exception {
    var file = folder.resolve("places.fut");
    Files.writeString(
        file,
        """
        entry main [n] (xs: [n]f64) (ks: [n]i64) =
          let ys = loop ys = copy xs for _i < 4i64 do
            map (\\k -> ys[k % n] + 1) ks
          in if f64.sum ys > 3 then ys[1:] ++ ys[:1] else hist (+) 0 n ks ys
        """);
    var told = Told.run("plan", file.toString(), "--rows=xs,ks");
    var places = told.out().replace(file.toString(), "FILE").lines().map(String::strip).toList();
    for (var line :
        List.of(
            "loop, 4 times, for ys, at FILE:2:12",
            "pieces fetch rows of ys by the numbers in number, at FILE:3:5",
            "if t, at FILE:4:6",
            "pieces send values to the rows that ks names, at FILE:4:51")) {
      assertTrue(places.contains(line), told::out);
    }
  }

  @Test
  void whatIsNotKnownStaysInTheFormula() {
    var told = Told.run("plan", program, "-e=fit", "--rows=xs,ys", "--sizes=d=64");
    assertTrue(told.out().contains("ys: [n]i32     n·4 B"), told.out());
    assertTrue(told.out().startsWith("fit: 2 stages over 1000 pieces; "), told.out());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "n=1e400 | is no whole number",
        "n=0.5 | is no whole number",
        "n=-1 | is no whole number",
        "n=x | is no whole number",
        "q=1 | has no size or integer parameter q",
      })
  void sizesAreWholeNumbersOfKnownNames(String sizes, String message) {
    var told = Told.run("plan", program, "-e=fit", "--rows=xs,ys", "--sizes=" + sizes);
    assertEquals(ExitStatus.USER_ERROR, told.status());
    assertTrue(told.err().contains(message), told.err());
  }

  /** The page's program, and what the page says that its plan is. */
  @Test
  void thePageShowsWhatIsPrinted() throws IOException {
    var page = Files.readString(Path.of("../docs/distribution.md"));
    var blocks = page.split("```\n");
    var file = Files.writeString(folder.resolve("regression.fut"), blocks[1]);
    var command = blocks[3].lines().findFirst().orElseThrow().split(" ");
    assertEquals("$", command[0]);
    var args = List.of(command).subList(2, command.length).toArray(String[]::new);
    args[1] = file.toString();
    var told = Told.run(args);
    var printed = told.out().replace(file.toString(), "regression.fut");
    assertEquals(blocks[3], String.join(" ", command) + "\n" + printed);
  }
}
