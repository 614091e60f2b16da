package dev.kenaz.jobs.train;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.options.Backend;
import dev.kenaz.pipeline.ProgramSource;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What may be a job's program, and what is told of one that may not. */
final class JobProgramTest {
  private static final String RIDGE =
      """
      type model [d] = { weights: [d]f64, bias: f64 }
      def init [n][d] (x: [n][d]f64) (seed: i64) : model [d] =
        { weights = replicate d (f64.i64 seed), bias = 0 }
      def value [d] (m: model [d]) (x: [d]f64) = f64.sum (map2 (*) m.weights x) + m.bias
      def loss [n][d] (lambda: f64) (m: model [d]) (x: [n][d]f64) (y: [n]f64) : f64 =
        f64.sum (map2 (\\x y -> (value m x - y) ** 2) x y) + lambda * f64.sum m.weights
      def step [n][d] (x: [n][d]f64) (m: model [d]) : model [d] =
        m with bias = f64.sum (map (value m) x)
      def predict [n][d] (m: model [d]) (x: [n][d]f64) : [n]f64 = map (value m) x
      def metrics [n][d] (m: model [d]) (x: [n][d]f64) : { mean: f64, rows: i64 } =
        { mean = f64.sum (map (value m) x), rows = n }
      """;

  private static JobProgram program(String text) {
    var columns = new LinkedHashSet<>(List.of("x", "y"));
    return JobProgram.of(ProgramSource.of("job.fut", text), columns, Set.of("lambda"));
  }

  private static void compiles(JobProgram program) {
    JobEntries.of(program, program.text().ownStep(), Backend.JVM).close();
    program.requireSameTypes();
  }

  @Test
  void findsFunctionsAndTypes() {
    var program = program(RIDGE);
    compiles(program);
    assertEquals(
        Set.of("init", "loss", "step", "metrics", "predict"), program.functions().keySet());
    assertEquals(List.of("mean", "rows"), program.metrics());
    assertEquals(Set.of("seed", "lambda"), program.hyperparameters());
    assertEquals(2, program.model().flat().size());
    assertEquals("f64", program.lossType().text());
  }

  private static JobProgram program(Map<String, String> files) {
    var columns = new LinkedHashSet<>(List.of("x", "y"));
    return JobProgram.of(new ProgramSource("job.fut", files), columns, Set.of("lambda"));
  }

  /**
   * Functions of files that the program opens count, and a later definition hides an earlier one.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "open import \"ridge\"",
        "open import \"between\"",
        "module m = import \"ridge\"\nopen m",
        "open { open import \"ridge\" def unused = 1 }",
        "open import \"ridge\"\ndef predict [n] (x: [n][2]f64) (m: model [2]) = map (value m) x",
      })
  void functionsMayBeInOpenedFiles(String text) {
    var between = "open import \"ridge\"\nlocal def unused = 2\n";
    var program = program(Map.of("job.fut", text, "ridge.fut", RIDGE, "between.fut", between));
    compiles(program);
    assertEquals(
        Set.of("init", "loss", "step", "metrics", "predict"), program.functions().keySet());
    boolean own = text.contains("def predict");
    var first = program.function("predict").arguments().getFirst().name();
    assertEquals(own ? "x" : "kenaz_model", first);
  }

  /** What makes no sense is told by the compiler, whatever is opened. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "open import \"job\"",
        "module m = m\nopen m",
        "open nothing",
        "open import \"ridge\" open ridge"
      })
  void whatCantBeOpenedIsAFault(String text) {
    var files = Map.of("job.fut", text, "ridge.fut", RIDGE);
    assertThrows(UserError.class, () -> program(files));
  }

  @Test
  void functionsThatTheProgramHidesAreToldOf() {
    var hidden = Map.of("job.fut", "import \"ridge\"", "ridge.fut", RIDGE);
    var fault = assertThrows(UserError.class, () -> program(hidden)).diagnostics().getFirst();
    assertEquals(ErrorCode.K7402, fault.code());
    assertTrue(fault.hints().toString().contains("write open import"), fault.hints().toString());
    var made = "module f (X: {}) = { def init = 1f64 }\nmodule m = f {}\nopen m";
    var other = assertThrows(UserError.class, () -> program(made)).diagnostics().getFirst();
    assertTrue(other.hints().toString().contains("opened in line 3"), other.hints().toString());
  }

  /** Each is init and the rest of a program with the same loss of x, y and lambda otherwise. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "def init : f64 = 0\n"
            + "def step (m: f64) x y (lambda: f64) = m + f64.sum x[0] + f64.sum y * lambda",
        "def init = [1f32, 2]\ndef step [n] (m: [2]f32) (x: [n][2]f32) (y: [n]f32) (lambda: f32) ="
            + " (map (+ (f32.sum y * lambda)) (map2 (+) m x[0]), f32.sum m)",
        "def init (seed: i64) : (i64, [2]f64) = (seed, [0, 1])\n"
            + "def step (m: (i64, [2]f64)) (x: []f64) (y: []i64) (lambda: [2]f64) ="
            + " (m.0 + i64.sum y, map2 (+) lambda (map (+ f64.sum x) m.1))",
        "type shape = #circle f64 | #square [2]f64 | #none\n"
            + "def init : shape = #circle 1\n"
            + "def loss (m: shape) (x: []f64) (y: []f64) (lambda: bool) : f64 =\n"
            + "  if lambda then f64.sum x + f64.sum y else match m case #circle r -> r\n"
            + "  case #square s -> f64.sum s case #none -> 0\n"
            + "def step (_x: []f64) (m: shape) : shape = m",
        "def init [n] (x: [n](f64, i64)) (y: []bool) = map (\\(a, b) -> {a, b}) (take 3 x)\n"
            + "def step [n] (lambda: i64) (m: [3]{a: f64, b: i64}) (x: [n](f64, i64)) (_y: [n]bool)"
            + " = map (\\r -> r with b = r.b + lambda + i64.sum (map (.1) x)) m",
        "def constant = 3f64\n"
            + "def init = constant\n"
            + "def step (m: f64) (_x: []f64) (_y: []f64) (_lambda: f64) : (f64, f64) = (constant,"
            + " m)",
        "def init (x: [](f64, f64)) = length x\ndef step m x (y: []u8) (lambda: u8) ="
            + " m + length (x: [](f64, f64)) + i64.u8 lambda + i64.u8 (u8.sum y)",
      })
  void modelsOfAnyType(String text) {
    // Parameters go by name; underscores in front are part of a name.
    var plain = text.replace("_x", "x").replace("_y", "y").replace("_lambda", "lambda");
    assertDoesNotThrow(() -> compiles(program(plain)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          (lambda: f64) (m | (lamda: f64) (m | K7402 | 5 | lamda, m of loss
          (y: [n]f64) : f64 | (z: [n]f64) : f64 | K7402 | 5 | no column and no hyperparameter m, z of loss
          def init [n][d] (x: [n][d]f64) | def init [n][d] (xx: [n][d]f64) | K7402 | 2 | hyperparameter xx of init
          def init | def start | K7402 | 1 | no function init
          def loss [n][d] (lambda: f64) | def los [n][d] (lambda: f64) | K7403 | 0 | names "y", but
          f64.sum m.weights | f64.sum m.weights > 0 | K2 | 6 |
          (y: [n]f64) : f64 = | (y: [n]f64) : (f64, f64) = (1, 2) def loss0 [n][d] (lambda: f64) (m: model [d]) (x: [n][d]f64) (y: [n]f64) : f64 = | K7402 | 5 | loss gives (f64, f64), not a number
          rows: i64 } = | rows: [1]i64 } = { mean = 1, rows = [n] } def metrics0 [n][d] (m: model [d]) (x: [n][d]f64) : { mean: f64, rows: i64 } = | K7402 | 10 | metrics gives {mean: f64, rows: []i64}
          predict [n][d] (m: model [d]) (x: [n][d]f64) : [n]f64 = map (value m) x | predict [n][d] (m: model [d]) (x: [n][d]f64) : f64 = m.bias | K7402 | 9 | predict gives f64, not arrays
          predict [n][d] (m: model [d]) (x: [n][d]f64) : [n]f64 = map (value m) x | predict [n] (m: f64) (x: [n][]f64) : [n]f64 = map (\\_ -> m) x | K7402 | 9 | predict doesn't take the model that init gives
          predict [n][d] (m: model [d]) (x: [n][d]f64) : [n]f64 = map (value m) x | predict [n][d] (_m: model [d]) (x: [n][d]f32) : [n]f32 = map (.[0]) x | K7402 | 2 | init takes x as [][]f64, but predict takes it as [][]f32
          def init [n][d] (x: [n][d]f64) | def init 'a [n][d] (x: [n]a) (y: [n][d]f64) | K7402 | 0 | "init" is in the type
          predict [n][d] (m: model [d]) (x: | predict [n][d] (x: | K7402 | 9 | predict takes no model
          """)
  void faultsAreTold(String from, String to, String code, int line, String part) {
    assertTrue(RIDGE.contains(from), from);
    var text = RIDGE.replace(from, to);
    var failure = assertThrows(UserError.class, () -> compiles(program(text)));
    var first = failure.diagnostics().getFirst();
    assertTrue(first.code().name().startsWith(code), first.toString());
    assertEquals(line, first.span().line(), first.toString());
    assertTrue(part == null || first.message().contains(part), first.toString());
    assertTrue(!first.message().contains("kenaz_"), first.toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[d] (m: model [d]) = m | takes two models",
        "[d] (x: model [d]) (m: model [d]) = m | takes two models",
        "[d] (a: model [d]) (b: model [d]) (lambda: f64) = a | takes two models",
        "[d] (a: model [d]) (b: model [d]) = (a, b.bias) | which are different models",
        "[d] (a: model [d]) (b: (i64, model [d])) = b | doesn't take the model that init gives"
      })
  void otherReparametrisationsAreFaults(String text, String part) {
    var program = RIDGE + "def reparametrise " + text;
    var failure = assertThrows(UserError.class, () -> compiles(program(program)));
    var first = failure.diagnostics().getFirst();
    assertEquals(ErrorCode.K7402, first.code(), first.toString());
    assertEquals(12, first.span().line(), first.toString());
    assertTrue(first.message().contains(part), first.toString());
  }

  @Test
  void misspeltNamesHaveHints() {
    var text = RIDGE.replace("lambda", "lamda");
    var faults = assertThrows(UserError.class, () -> program(text)).diagnostics();
    assertEquals(
        "the configuration has \"lambda\": is it lamda?", faults.getFirst().hints().getFirst());
    assertEquals(ErrorCode.K7403, faults.getLast().code());
    assertEquals(List.of("did you mean \"lamda\"?"), faults.getLast().hints());
  }
}
