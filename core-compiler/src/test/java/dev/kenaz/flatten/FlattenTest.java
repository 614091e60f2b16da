package dev.kenaz.flatten;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.kenaz.error.Limitation;
import dev.kenaz.error.UserError;
import dev.kenaz.interpret.Interpreter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Printer;
import dev.kenaz.ir.RandomPrograms;
import dev.kenaz.ir.SmallerPrograms;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Verifier;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.programs.ProgramChecks;
import dev.kenaz.segir.SegBody;
import dev.kenaz.segir.SegExp;
import dev.kenaz.spec.TestSpec;
import dev.kenaz.testing.Seeds;
import dev.kenaz.testing.Shrinking;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueComparison;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.parallel.Execution;

/** What is flattened, above all for a GPU, means what it meant, whichever versions run. */
@Execution(CONCURRENT)
final class FlattenTest {
  private static final Path ROOT = Path.of("src/test/resources/programs");

  /** Whatever can be distributed. */
  private static final FlattenOptions ALL = new FlattenOptions(true, false, 0, 0, 1, 0, 0);

  /** All points are few, and all rows are long. */
  private static final FlattenOptions FEW = new FlattenOptions(false, true, 0, 0, 1000, 0, 1 << 20);

  /** A program flattened and back, once for all its inputs. */
  private record Flattened(CoreProgram program, Unflatten.Choice choice, CoreProgram flat) {
    static List<Flattened> of(CoreProgram program) {
      return Stream.concat(
              Stream.of(Unflatten.Choice.values()).map(c -> of(program, ALL, c)),
              Stream.of(of(program, FEW, Unflatten.Choice.NARROW)))
          .toList();
    }

    private static Flattened of(
        CoreProgram program, FlattenOptions options, Unflatten.Choice choice) {
      var seg = Pipelines.parallel(options).apply(program);
      seg.functions().forEach(f -> versionsAreParallel(f.body()));
      var flat = Unflatten.of(seg, program, choice);
      try {
        Verifier.verify(flat, "flatten");
      } catch (RuntimeException e) {
        throw new AssertionError(text(choice + " " + e, program, flat), e);
      }
      return new Flattened(program, choice, flat);
    }

    void check(String entry, List<Value> arguments, List<Value> expected) {
      try {
        var actual = Interpreter.call(flat, entry, arguments);
        ValueComparison.difference(expected, actual, 1e-5)
            .ifPresent(d -> fail(text(d, program, flat)));
      } catch (RuntimeException e) {
        throw new AssertionError(text(choice + " " + e, program, flat), e);
      }
    }
  }

  private static void check(CoreProgram program, String entry, List<Value> arguments) {
    check(program, Flattened.of(program), entry, arguments);
  }

  private static void check(
      CoreProgram program, List<Flattened> flattened, String entry, List<Value> arguments) {
    List<Value> expected;
    try {
      expected = Interpreter.call(program, entry, arguments);
    } catch (RuntimeException e) {
      return; // a program that fails may do anything
    }
    flattened.forEach(f -> f.check(entry, arguments, expected));
  }

  /** Whichever version is chosen, something in it is parallel; but for what only decides. */
  private static void versionsAreParallel(SegBody body) {
    for (var stm : body.stms()) {
      if (stm.exp() instanceof SegExp.Versions(_, var wide, var narrow)
          && !stm.pattern().getFirst().type().equals(Type.BOOL)) {
        assertTrue(operators(wide).findAny().isPresent());
        assertTrue(operators(narrow).findAny().isPresent());
      }
      inside(stm.exp()).forEach(FlattenTest::versionsAreParallel);
    }
  }

  private static Stream<SegBody> inside(SegExp exp) {
    return switch (exp) {
      case SegExp.Plain _, SegExp.Par _ -> Stream.of();
      case SegExp.Branch(_, var then, var otherwise) -> Stream.of(then, otherwise);
      case SegExp.Iterate(_, _, var body) -> Stream.of(body);
      case SegExp.Accumulate(_, _, var body) -> Stream.of(body);
      case SegExp.Versions(_, var wide, var narrow) -> Stream.of(wide, narrow);
    };
  }

  /** The seg-ops in order of the text, with how many dimensions they have. */
  private static Stream<String> operators(SegBody body) {
    return body.stms().stream()
        .flatMap(
            s ->
                s.exp() instanceof SegExp.Par(var op)
                    ? Stream.of(op.getClass().getSimpleName() + op.space().dims().size())
                    : inside(s.exp()).flatMap(FlattenTest::operators));
  }

  private static String flattened(String text) {
    var program = Optimised.text(text);
    var seg = Pipelines.parallel(FlattenOptions.gpu()).apply(program);
    return String.join(" ", operators(seg.functions().getFirst().body()).toList());
  }

  /** First the outer map alone, then everything. */
  @Test
  void nestedReductionsAndMapsAreDistributed() {
    assertEquals(
        "SegMap1 SegRed2 SegRed2 SegMap2",
        flattened(
            """
            entry main [n][m] (xss: [n][m]f32) =
              map (\\xs -> let m = f32.maximum xs
                          let es = map (\\x -> f32.exp (x - m)) xs
                          in map (/ f32.sum es) es) xss
            """));
  }

  @Test
  void nestedScansAndHistogramsAreOverTheNest() {
    assertEquals(
        "SegMap1 SegScan2", flattened("entry main [n][m] (xss: [n][m]f32) = map (scan (+) 0) xss"));
    assertEquals(
        "SegMap1 SegHist2",
        flattened("entry main [n][m] (xss: [n][m]i64) = map (\\xs -> hist (+) 0 10 xs xs) xss"));
  }

  @Test
  void loopsChangePlacesWithMaps() {
    assertEquals(
        "SegMap1 SegMap2",
        flattened(
            """
            entry main [n][m] (k: i64) (xss: [n][m]f32) =
              map (\\xs -> loop ys = xs for _i < k do map f32.sin ys) xss
            """));
  }

  /**
   * Points take different sides of a branch: after the conditions, the order of the points and the
   * two sides, their rows are put together, if neither side has all points.
   */
  @Test
  void branchesThatDifferAreOverTheirOwnPoints() {
    assertEquals(
        "SegMap1 SegMap1 SegScan1 SegScatter1 SegScan2 SegMap2 SegMap1 SegMap2",
        flattened(
            """
            entry main [n][m] (xss: [n][m]f32) =
              map (\\xs -> if xs[0] > 1 then scan (+) 0 xs else map f32.sin xs) xss
            """));
  }

  /** Parts of the same places are overwritten at all points at once, one by one. */
  @Test
  void partsAreOverwrittenAtAllPoints() {
    assertEquals(
        "SegMap1 SegMap2 SegMap2",
        flattened(
            """
            entry main [n] (d: i64) (c: i64) (xs: [n]f64): [n][]f64 =
              map (\\x -> let a = replicate c 0.0 with [0:d] = replicate d (2 * x)
                          in copy a with [d:c] = replicate (c - d) x) xs
            """));
  }

  @Test
  void aMatrixProductIsOneSpace() {
    assertEquals(
        "SegMap2 SegRed3",
        flattened(
            """
            entry main [n][m][k] (a: [n][m]f32) (b: [m][k]f32) =
              map (\\r -> map (\\c -> f32.sum (map2 (*) r c)) (transpose b)) a
            """));
  }

  /** In a map: levels of a tree, each of them all products at once; or all columns. */
  @Test
  void operatorsOnArraysInMapsAreDistributed() {
    var mm =
        "(\\a b -> map (\\r -> map (\\c -> f32.sum (map2 (*) r c)) (transpose b)) a)"
            + " (replicate k (replicate k 1)) x) xs";
    var head = "entry main [l][n][k] (xs: [l][n][k][k]f32) = map (\\x -> ";
    assertEquals("SegMap1 SegMap4 SegRed5", flattened(head + "reduce " + mm));
    // up and down
    assertEquals("SegMap1 SegMap4 SegRed5 SegMap4 SegRed5", flattened(head + "scan " + mm));
    assertEquals(
        "SegMap1 SegMap2 SegScan3 SegMap2 SegRed3",
        flattened(
            """
            entry main [l][n][m] (xs: [l][n][m]f32) =
              map (\\x -> reduce (map2 (+)) (replicate m 0) (map (scan (+) 0) x)) xs
            """));
  }

  /** Each element of a row is updated by a thread of its own. */
  @Test
  void updatesOfRowsAreOverTheirElements() {
    var rows = "[n][m] (d: *[][m]f32) (is: [n]i64) (xs: [n][m]f32) = ";
    var zeros = "(replicate m 0)";
    assertEquals(
        "SegMap2",
        flattened(
            "entry main "
                + rows
                + "reduce_by_index d (map2 (+)) "
                + zeros
                + " is (map (map f32.sin) xs)"));
    assertEquals(
        "SegMap2", flattened("entry main " + rows + "scatter d is (map (map f32.sin) xs)"));
    assertEquals(
        "SegHist1 SegMap2",
        flattened(
            "entry main [n][m] (k: i64) (is: [n]i64) (xs: [n][m]f32) = reduce_by_index (replicate k"
                + " (0, replicate m 0)) (\\(a, v) (b, w) -> (a + b, map2 (+) v w)) (0, "
                + zeros
                + ") is (zip (replicate n 1i32) xs)"));
    assertEquals(
        "SegMap1 SegMap3",
        flattened(
            "entry main [l][n][m] (d: *[l][][m]f32) (is: [l][n]i64) (xs: [l][n][m]f32) ="
                + " map3 (\\d is xs -> reduce_by_index (copy d) (map2 (+)) "
                + zeros
                + " is xs) d is xs"));
  }

  /** A view, or a few operations, are repeated in each kernel and not kept. */
  @Test
  void whatIsCheapHasNoKernelOfItsOwn() {
    assertEquals(
        "SegMap1 SegRed2 SegMap2",
        flattened(
            """
            entry main [n][m] (xss: [n][m]f32) (ys: [n]f32) =
              map2 (\\xs y -> let z = y * 2
                             let s = f32.maximum (map (* z) xs)
                             in map (/ (s + z)) (reverse xs)) xss ys
            """));
  }

  /** Few constant points alone would leave a device idle. */
  @Test
  void fewPointsAreNotAllTheParallelismThereIs() {
    assertEquals("SegRed2", flattened("entry main [m] (xss: [3][m]f32) = map f32.sum xss"));
  }

  @Test
  void whatIsSmallStaysSequential() {
    assertEquals("SegMap1", flattened("entry main [n] (xss: [n][3]f32) = map f32.sum xss"));
  }

  /**
   * The longest length and all of them, if there are many points; then segments, with their
   * elements' owners, and the last sum of each; or the points alone.
   */
  @Test
  void rowsOfDifferentLengthsAreSegments() {
    var ends = " SegScan1 SegMap1 ";
    var owners = "SegScatter1 SegScan1 ";
    assertEquals(
        "SegRed1 SegMap1" + ends + owners + "SegScan1 SegMap1 SegMap1 SegMap1",
        flattened("entry main [n] (ns: [n]i64) = map (\\k -> i64.sum (map (* k) (iota k))) ns"));
  }

  /** Neighbouring threads copy neighbouring elements; short rows are not worth it. */
  @Test
  void rowsAtComputedIndicesAreCopiedElementByElement() {
    var rows = "entry main [n][m][d] (a: [n][d]f32) (is: [m]i64) = map (\\i -> a[i]) is";
    assertEquals("SegMap2", flattened(rows));
    var chosen = rows.replace("a[i]", "if i < 0 then replicate d 1 else a[i]");
    assertEquals("SegMap2", flattened(chosen));
    assertEquals("SegMap1", flattened(rows.replace("[m][d]", "[m]").replace("[d]", "[3]")));
  }

  private static String text(String what, CoreProgram before, CoreProgram after) {
    return what + "\nbefore:\n" + Printer.print(before) + "\nafter:\n" + Printer.print(after);
  }

  @Test
  void randomPrograms() {
    Seeds.check(120, seed -> checkRandom(seed, p -> p));
  }

  @Test
  void randomProgramsFused() {
    Seeds.check(80, seed -> checkRandom(seed, Pipelines.FUSED::apply));
  }

  private static void checkRandom(long seed, UnaryOperator<CoreProgram> prepared) {
    var sample = RandomPrograms.of(seed);
    Shrinking.check(
        sample.program(),
        SmallerPrograms::of,
        program -> check(prepared.apply(program), "main", sample.arguments()));
  }

  @TestFactory
  Stream<DynamicTest> programs() throws IOException {
    List<Path> files;
    try (var all = Files.walk(ROOT)) {
      files = all.filter(f -> f.toString().endsWith(".fut")).sorted().toList();
    }
    return files.stream().map(f -> dynamicTest(ROOT.relativize(f).toString(), () -> file(f)));
  }

  private static void file(Path file) throws IOException {
    CoreProgram program;
    try {
      program = Optimised.file(file);
    } catch (UserError | Limitation e) {
      return;
    }
    var flattened = Flattened.of(program);
    for (var spec : TestSpec.parse(file.toString(), Files.readString(file))) {
      if (spec.action() instanceof TestSpec.Run(var entries, var cases)) {
        for (var entry : entries) {
          for (var c : cases) {
            if (c.input() instanceof TestSpec.Literal(var text)) {
              var arguments = ProgramChecks.arguments(program, entry, text, file, c.line());
              check(program, flattened, entry, arguments);
            }
          }
        }
      }
    }
    assertEquals(
        program.entries().size(),
        Pipelines.parallel(FlattenOptions.jvm(2)).apply(program).functions().size());
  }
}
