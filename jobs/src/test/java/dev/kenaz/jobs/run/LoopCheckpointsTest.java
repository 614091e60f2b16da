package dev.kenaz.jobs.run;

import static dev.kenaz.error.ErrorCode.K7103;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.arrow.ArrowData;
import dev.kenaz.arrow.ArrowOutput;
import dev.kenaz.arrow.ArrowPieces;
import dev.kenaz.distribute.LocalPieces;
import dev.kenaz.distribute.PlanObserver;
import dev.kenaz.distribute.PlanRunner;
import dev.kenaz.distribute.PlanState;
import dev.kenaz.distribute.RowFiles;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.Screen;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.DatasetCall;
import dev.kenaz.pipeline.PiecewiseEntry;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.pipeline.StepCaller;
import dev.kenaz.spark.RowSink;
import dev.kenaz.spark.SourceText;
import dev.kenaz.spark.SparkData;
import dev.kenaz.spark.SparkStart;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs end after a checkpoint, and others go on, in this process and on Spark: what they give is
 * the same to the last bit as if nothing had happened.
 */
final class LoopCheckpointsTest {
  private static final CompileOptions OPTIONS = CompileOptions.of(Backend.INTERPRET);

  private static final Map<String, String> PROGRAMS = new LinkedHashMap<>();

  static {
    PROGRAMS.put(
        "labels along edges",
        """
        let at = map (% n) ks
        let (ls, _, rounds) =
          loop (ls, goes, rounds) = (iota n, true, 0i64) while goes do
            let ms = map2 (\\l a -> i64.min l ls[a]) ls at
            let ms = reduce_by_index (copy ms) i64.min i64.highest at ms
            in (ms, !(and (map2 (==) ls ms)), rounds + 1)
        in (ls, rounds)
        """);
    PROGRAMS.put(
        "boosting",
        """
        let bin = map (% 4) ks
        let (rs, losses) =
          loop (rs, losses) = (copy xs, replicate 5 0f64) for i < 5i64 do
            let sums = hist (+) 0 4 bin rs
            let counts = hist (+) 0 4 bin (map (const 1f64) rs)
            let means = map2 (\\s c -> s / f64.max 1 c) sums counts
            let rs = map2 (\\r b -> r - 0.3 * means[b]) rs bin
            in (rs, losses with [i] = f64.sum (map (** 2) rs))
        in (losses, rs)
        """);
    PROGRAMS.put(
        "radix sort",
        """
        loop ys = copy ks for b < 5i64 do
          let bits = map (\\y -> (y >> b) & 1) ys
          let zeros = scan (+) 0 (map (1 -) bits)
          let ones = scan (+) 0 bits
          let total = i64.sum (map (1 -) bits)
          let at = map3 (\\c z o -> if c == 0 then z - 1 else total + o - 1) bits zeros ones
          in scatter (replicate n 0) at ys
        """);
    PROGRAMS.put(
        "power iteration",
        """
        let weights = scan (+) 0 (map f64.exp xs)
        let v = loop v = map (const 1f64) xs for _i < 6i64 do
          let w = map3 (\\x k a -> a * v[k % n] + 0.1 * x) weights ks xs
          let norm = f64.sqrt (f64.sum (map (** 2) w))
          in map (/ norm) w
        in (v, map2 (*) v weights)
        """);
    PROGRAMS.put(
        "loops in a branch and in loops, over what a filter leaves",
        """
        let ys = filter (> 0) xs
        let m = length ys
        let zs = if m > 1 then
            loop zs = copy ys for i < 3i64 do
              let s = f64.sum zs
              let as = loop as = zs for j < 2 + i do
                map (\\k -> as[(k + j) % length as] + s) (indices as)
              in map2 (\\a z -> a - 0.5 * z) as zs
          else ys
        in (zs, f64.sum zs, m)
        """);
    PROGRAMS.put(
        "a loop of the driver's values alone",
        """
        let w = loop w = [0.5, 1] for _i < 4i64 do
          let s = f64.sum (map2 (\\x k -> x * w[k % 2]) xs ks) in map (\\a -> a - 0.01 * s) w
        in (w, map (* w[0]) xs)
        """);
  }

  @TempDir static Path shared;
  @TempDir Path folder;
  private static JavaSparkContext spark;

  @BeforeAll
  static void start() {
    var table = new LinkedHashMap<String, Value>();
    table.put("x", ArrayValue.ofDoubles(new double[] {0.1, -2, 3, 0.7, -0.3, 1, 4, 0.01, 2.5}));
    table.put("k", ArrayValue.ofLongs(new long[] {3, 8, 21, 6, 0, 7, 30, 1, 13}));
    ArrowOutput.write(shared.resolve("d.arrow"), table, false);
    spark = SparkStart.open("test", Optional.of("local[2]"));
  }

  @AfterAll
  static void stop() {
    spark.stop();
  }

  static Stream<String> programs() {
    return PROGRAMS.keySet().stream();
  }

  /** The end of a run by something that is none of its own faults. */
  private static final class Killed extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /** Ends the run when it has written so many states, or just before it would write the last. */
  private record Ending(RunProgress progress, int[] left, boolean before) implements PlanObserver {
    @Override
    public boolean takes(long iterations) {
      return progress.takes(iterations);
    }

    @Override
    public RowFiles place() {
      return progress.place();
    }

    @Override
    public void take(PlanState state) {
      left[0]--;
      if (left[0] == 0 && before) {
        throw new Killed();
      }
      progress.take(state);
      if (left[0] == 0) {
        throw new Killed();
      }
    }

    @Override
    public Optional<PlanState> goesOnFrom() {
      return progress.goesOnFrom();
    }
  }

  /** A run of a program, compiled anew. */
  private record Run(String program, int pieces, boolean onSpark) {
    private static final List<String> ROWS = List.of("xs", "ks");

    List<Value> go(Path kept, boolean resume, int states, boolean before) {
      var text = "entry main [n] (xs: [n]f64) (ks: [n]i64) =\n" + PROGRAMS.get(program).indent(2);
      var source = ProgramSource.of("main.fut", text);
      var entry = PiecewiseEntry.plan(source, "main", ROWS, OPTIONS).program();
      var file = shared.resolve("d.arrow").toString();
      var caller = new StepCaller(OPTIONS);
      var call = new DatasetCall(source, List.of(), entry, ROWS, OPTIONS, caller, List.of());
      var data = ArrowData.of("xs", file, "x").and("ks", file, "k").open(call);
      var arguments = entry.replicated(data.kept(), data.shapes(), List.of());
      var choice = new LoopCheckpoints.Choice(kept, 1, resume);
      try (var checkpoints = LoopCheckpoints.open(choice, new TreeMap<>())) {
        var progress =
            new RunProgress(entry.plan(), Optional.of(checkpoints), Screen.lines(_ -> {}));
        var observer = new Ending(progress, new int[] {states}, before);
        List<Value> results;
        if (onSpark) {
          var there = SourceText.of(source, entry, ROWS, OPTIONS);
          try (var engine =
              SparkData.engine(spark, there, data, OptionalInt.of(pieces), RowSink.COLLECT)) {
            results =
                new PlanRunner(there.plan(), engine, there.caller(1), observer)
                    .results(arguments, engine::rows);
          }
        } else {
          var columns = new ArrowPieces(data, data.pieces(OptionalInt.of(pieces), 1));
          results =
              new LocalPieces(columns, columns.cuts(), caller)
                  .results(entry.plan(), arguments, observer);
        }
        checkpoints.discard();
        return results;
      }
    }

    List<Value> whole(Path kept) {
      return go(kept, false, Integer.MAX_VALUE, false);
    }

    void killed(Path kept, int states, boolean before) {
      assertThrows(Killed.class, () -> go(kept, false, states, before));
    }
  }

  private static List<String> names(Path folder) throws IOException {
    try (var files = Files.list(folder)) {
      return files.map(f -> f.getFileName().toString()).sorted().toList();
    }
  }

  /** Each run ends after one more checkpoint, or before it is complete. */
  private void interrupted(Run run) throws IOException {
    var whole = run.whole(folder.resolve("whole"));
    var kept = folder.resolve("kept");
    int runs = 0;
    Optional<List<Value>> results = Optional.empty();
    while (results.isEmpty()) {
      try {
        boolean before = runs % 3 == 2;
        results = Optional.of(run.go(kept, true, before ? 2 : 1, before));
      } catch (Killed _) {
        runs++;
      }
    }
    assertTrue(runs >= 3, "runs end after each checkpoint");
    assertEquals(whole, results.get());
    assertEquals(List.of(), Files.exists(kept) ? names(kept) : List.of(), "nothing is left");
  }

  @ParameterizedTest
  @MethodSource("programs")
  void runsGoOnInThisProcess(String program) throws IOException {
    interrupted(new Run(program, 3, false));
  }

  @ParameterizedTest
  @MethodSource("programs")
  void runsGoOnOnSpark(String program) throws IOException {
    interrupted(new Run(program, 3, true));
    assertEquals(Map.of(), spark.getPersistentRDDs(), "executors keep nothing");
  }

  /** What one process has written, Spark goes on from. */
  @Test
  void sparkGoesOnFromWhatAProcessWrote() {
    var here = new Run("radix sort", 3, false);
    here.killed(folder, 2, false);
    var results = new Run("radix sort", 3, true).go(folder, true, Integer.MAX_VALUE, false);
    assertEquals(here.whole(folder), results);
  }

  /** Rows that don't change are written once, and others replaced. */
  @Test
  void rowsThatStayTheSameAreWrittenOnce() throws IOException {
    var run = new Run("power iteration", 3, false);
    run.killed(folder, 1, false);
    var first = names(folder);
    run.killed(folder.resolve("other"), 3, false);
    var third = names(folder.resolve("other"));
    assertEquals(List.of("loops.checkpoint", "rows-1", "rows-2"), first);
    assertEquals(3, third.size(), third.toString());
    assertTrue(third.contains("rows-1") ^ third.contains("rows-2"), third.toString());
  }

  private void refused(Run run, String why) {
    var error = assertThrows(UserError.class, () -> run.go(folder, true, 9, false));
    assertEquals(K7103, error.diagnostics().getFirst().code());
    assertTrue(error.getMessage().contains(why), error.getMessage());
  }

  @Test
  void damagedFilesAreRefusedAndKept() throws IOException {
    var run = new Run("power iteration", 3, false);
    run.killed(folder, 2, false);
    List<Path> parts;
    try (var all = Files.walk(folder)) {
      parts = all.filter(f -> f.getFileName().toString().startsWith("part-")).sorted().toList();
    }
    assertEquals(6, parts.size(), "two values of three pieces");
    var aside = folder.resolve("aside");
    for (var part : parts) {
      var bytes = Files.readAllBytes(part);
      for (boolean onSpark : List.of(false, true)) {
        var again = new Run(run.program(), 3, onSpark);
        var damaged = bytes.clone();
        damaged[bytes.length / 2] ^= 1;
        Files.write(part, damaged);
        refused(again, part.getFileName() + " is not a whole checkpoint");
        Files.write(part, Arrays.copyOf(bytes, bytes.length - 1));
        refused(again, "is not a whole checkpoint");
        Files.move(part, aside, StandardCopyOption.REPLACE_EXISTING);
        refused(again, "no such file");
        Files.write(part, bytes);
      }
    }
    Files.delete(aside);
    var results = run.go(folder, true, Integer.MAX_VALUE, false);
    assertEquals(run.whole(folder), results);
    assertFalse(Files.exists(folder.resolve("rows-1")));
  }
}
