package dev.kenaz.spark;

import static dev.kenaz.error.ErrorCode.K8001;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.distribute.Cuts;
import dev.kenaz.distribute.LocalPieces;
import dev.kenaz.distribute.PlanRunner;
import dev.kenaz.error.Limitation;
import dev.kenaz.error.UserError;
import dev.kenaz.interpret.Interpreter;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueComparison;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Plans that keep rows between stages, and move them: Spark gives what the interpreter gives over
 * the whole, and what one process gives over the same pieces. The programs are some of those of the
 * planner's own tests; with {@code -Dspark.programs=all} they are all that have one dataset and are
 * divided.
 */
final class ExchangesOnSparkTest {
  private static final Path PROGRAMS =
      Path.of("../core-compiler/src/test/resources/distribute/programs");

  private static final Map<String, Long> SIZES =
      Map.of("n", 9L, "d", 3L, "k", 2L, "h", 4L, "b", 6L, "v", 4L, "u", 3L);

  private static final boolean ALL = "all".equals(System.getProperty("spark.programs"));

  /** The beginnings of names of programs: each has an exchange or rows that are kept. */
  private static final List<String> SELECTED =
      List.of(
          "mean and deviation of the rows that remain",
          "compaction by scan and scatter",
          "events of one kind, and the time between them",
          "boosting of stumps on residuals",
          "hard labels carried until they no longer change",
          "state machine of a door",
          "Kendall's tau");

  private static final Map<String, String> OWN = new LinkedHashMap<>();

  static {
    OWN.put("neighbours", "map (\\i -> xs[(i + 1) % n] - xs[i]) (iota n)");
    OWN.put("slices", "map2 (\\a b -> b / (a + 10)) xs[:n - 1] xs[1:]");
    OWN.put("reverse and append", "reverse (xs ++ map (* 2) xs)");
    OWN.put("as many bins as rows", "reduce_by_index (replicate n 0) (+) 0 ks xs");
    OWN.put(
        "gradient through a gather", "vjp (\\v -> f64.sum (map (\\k -> v[k % n] ** 2) ks)) xs 1");
    OWN.put("rows of another row", "map (\\k -> map (\\j -> xs[(k + j) % n]) (iota 2)) ks");
    OWN.put(
        "radix sort",
        """
        loop ys = copy ks for b < 3i64 do
          let bits = map (\\y -> (y >> b) & 1) ys
          let zeros = scan (+) 0 (map (1 -) bits)
          let ones = scan (+) 0 bits
          let total = i64.sum (map (1 -) bits)
          let at = map3 (\\c z o -> if c == 0 then z - 1 else total + o - 1) bits zeros ones
          in scatter (replicate n 0) at ys
        """);
    OWN.put(
        "rows in a long loop",
        "loop ys = copy xs for i < 45i64 do let m = f64.sum ys in map (\\y -> y - 0.001 * m) ys");
    OWN.put(
        "rows that a loop only moves",
        "loop ys = copy xs for _i < 25i64 do map (\\i -> ys[(i + 2) % n]) (iota n)");
    OWN.put(
        "one row after the other",
        """
        let (s, ys) =
          loop (s, ys) = (0.5, replicate n 0) for i < n do
            let t = f64.sin (s + xs[i]) in (t, ys with [i] = t * f64.i64 ks[i])
        in (s, f64.sum ys, ys)
        """);
    OWN.put(
        "rows in a branch",
        "if f64.sum xs > 0 then scan (+) 0 xs else map (\\i -> xs[n - 1 - i]) (iota n)");
  }

  private static JavaSparkContext spark;

  @BeforeAll
  static void start() {
    spark =
        new JavaSparkContext(
            new SparkConf()
                .setMaster("local[2]")
                .setAppName("test")
                .set("spark.ui.enabled", "false")
                .set("spark.driver.bindAddress", "127.0.0.1")
                .set("spark.driver.host", "127.0.0.1"));
  }

  @AfterAll
  static void stop() {
    spark.stop();
  }

  /** A program and its name. */
  record Named(String name, String text) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Named> programs() throws IOException {
    var all = new ArrayList<Named>();
    OWN.forEach((name, body) -> all.add(own(name, body)));
    try (var files = Files.list(PROGRAMS)) {
      for (var file : files.sorted().toList()) {
        for (var block : Files.readString(file).split("(?m)^== ")) {
          var head = block.lines().findFirst().orElse("");
          boolean wanted = ALL || SELECTED.stream().anyMatch(head::startsWith);
          if (head.endsWith("| divided") && wanted && !block.contains("[m]")) {
            all.add(new Named(head.split(" \\| ")[0], block.substring(head.length() + 1)));
          }
        }
      }
    }
    return all.stream();
  }

  private static Named own(String name, String body) {
    return new Named(
        name,
        "entry main [n] (xs: [n]f64) (ks: [n]i64) =\n  " + body.strip().replace("\n", "\n  "));
  }

  /** Columns of any types, cut where asked. */
  private record Columns(String key, ArrayList<WireValue> columns, long[] cuts)
      implements ShardSource {
    @Override
    public int shards() {
      return cuts.length - 1;
    }

    @Override
    public List<Value> load(int shard) {
      return columns.stream()
          .<Value>map(c -> ((ArrayValue) c.read()).rows(cuts[shard], cuts[shard + 1]))
          .toList();
    }
  }

  /** A program with arguments. */
  private record Subject(SourceText text, CoreProgram core, Map<Var, Value> values) {
    static Subject of(Named program) {
      var source = ProgramSource.of("main.fut", program.text());
      var options = CompileOptions.of(Backend.INTERPRET);
      try (var whole = Compiler.compile(source, options)) {
        var core = whole.core();
        var entry = core.entries().getFirst();
        var function = core.function(entry.function());
        var dataset = new TreeSet<Integer>();
        int at = entry.sizeParams();
        for (int i = 0; i < entry.params().size(); i++) {
          if (isColumn(function.params().get(at))) {
            dataset.add(i);
          }
          at += entry.params().get(i).type().flat().size();
        }
        var text =
            new SourceText(
                source, entry.name(), dataset, true, Backend.INTERPRET, CompileOptions.UNLIMITED);
        var random = new SplittableRandom(7);
        var values = new HashMap<Var, Value>();
        function.params().forEach(p -> values.put(p, argument(p, random)));
        return new Subject(text, core, values);
      }
    }

    private static boolean isColumn(Var v) {
      return v.type() instanceof Type.Array a
          && a.shape().getFirst() instanceof Var n
          && n.name().equals("n");
    }

    private static Value argument(Var p, SplittableRandom random) {
      if (p.type().equals(Type.I64) && SIZES.containsKey(p.name())) {
        return ScalarValue.i64(SIZES.get(p.name()));
      }
      var shape = p.type().dims().stream().mapToLong(Subject::size).toArray();
      var prim = p.type().elemPrim();
      var numbers =
          prim.isFloat()
              ? random.doubles(ArrayValue.count(shape), -2, 2).toArray()
              : random
                  .longs(ArrayValue.count(shape), 0, prim == Prim.BOOL ? 2 : 5)
                  .asDoubleStream()
                  .toArray();
      return p.type().isScalar()
          ? ScalarValue.ofDouble(prim, numbers[0])
          : ArrayValue.ofDoubles(prim, numbers, shape);
    }

    private static long size(Atom dim) {
      return dim instanceof Const(var c) ? c.asLong() : SIZES.get(((Var) dim).name());
    }

    private List<Var> params() {
      return core.function(core.entries().getFirst().function()).params();
    }

    List<Value> whole() {
      var entry = core.entries().getFirst();
      var arguments = params().subList(entry.sizeParams(), params().size()).stream();
      return Interpreter.call(core, entry.name(), arguments.map(values::get).toList());
    }

    List<Value> columns() {
      return params().stream().filter(Subject::isColumn).map(values::get).toList();
    }

    /** The plan's variables are others than the program's. */
    List<Value> replicated() {
      return text.plan().replicated().stream()
          .map(v -> params().stream().filter(p -> p.name().equals(v.name())).findFirst())
          .map(p -> values.get(p.orElseThrow()))
          .toList();
    }

    List<Value> here(long... cuts) {
      return new LocalPieces(columns(), Cuts.between(cuts), text.caller(1))
          .results(text.plan(), replicated());
    }

    List<Value> onSpark(long... cuts) {
      var shards =
          new Columns(
              text.key() + Arrays.toString(cuts), new ArrayList<>(WireValue.of(columns())), cuts);
      var runner = new SparkRunner(spark, shards, 1 << 20);
      try (var engine = new SparkEngine(runner, text, Cuts.between(cuts), RowSink.COLLECT)) {
        return engine.results(text.plan(), text.caller(1), replicated());
      }
    }
  }

  private static void assertSame(List<Value> expected, List<Value> got, double tolerance) {
    var difference = ValueComparison.difference(expected, got, tolerance);
    assertTrue(difference.isEmpty(), difference::toString);
  }

  @ParameterizedTest
  @MethodSource("programs")
  void sparkAgreesWithOneProcessAndWithTheWhole(Named program) {
    var subject = Subject.of(program);
    boolean keeps = !subject.text().plan().goesOnFromDriver();
    assertTrue(keeps || ALL, "executors have rows between stages");
    double tolerance = program.text().contains("f32") ? 1e-3 : 1e-8;
    for (var cuts : List.of(new long[] {0, 9}, new long[] {0, 0, 4, 4, 7, 9})) {
      var got = subject.onSpark(cuts);
      assertSame(subject.whole(), got, tolerance);
      assertSame(subject.here(cuts), got, tolerance);
      assertEquals(Map.of(), spark.getPersistentRDDs(), "executors keep nothing");
    }
  }

  /** A stage of stored rows fails on one piece. */
  @Test
  void whatFailsIsToldAndLeavesNothing() {
    var body = "let ys = scan (+) 0 (map (\\k -> xs[k - 1]) ks) in map (/ f64.sum ys) ys";
    var subject = Subject.of(own("fails", body));
    var error = assertThrows(UserError.class, () -> subject.onSpark(0, 4, 9));
    var here = assertThrows(UserError.class, () -> subject.here(0, 4, 9));
    assertEquals(here.diagnostics(), error.diagnostics());
    assertEquals(Map.of(), spark.getPersistentRDDs());
  }

  /** What one run of a job leaves doesn't matter to the next. */
  @Test
  void anEngineRunsAPlanAgain() {
    var subject = Subject.of(own("again", OWN.get("radix sort")));
    var plan = subject.text().plan();
    var cuts = new long[] {0, 5, 9};
    var shards = new Columns("again", new ArrayList<>(WireValue.of(subject.columns())), cuts);
    var runner = new SparkRunner(spark, shards, 1 << 20);
    try (var engine =
        new SparkEngine(runner, subject.text(), Cuts.between(cuts), RowSink.COLLECT)) {
      for (int i = 0; i < 2; i++) {
        var runs = new PlanRunner(plan, engine, subject.text().caller(1));
        var results = runs.results(subject.replicated(), engine::rows);
        assertSame(subject.whole(), results, 0);
      }
    }
    assertEquals(Map.of(), spark.getPersistentRDDs());
  }

  @Test
  void datasetsOfDifferentNumbersOfRowsAreRefused() {
    var source =
        ProgramSource.of(
            "main.fut", "entry main [n][m] (xs: [n]f64) (ys: [m]f64) = f64.sum xs - f64.sum ys");
    var text = new SourceText(source, "main", Set.of(0, 1), Backend.INTERPRET);
    var runner = new SparkRunner(spark, new Numbers(4, 2), 1 << 20);
    var error =
        assertThrows(Limitation.class, () -> new SparkEngine(runner, text, new long[] {2, 2}));
    assertEquals(K8001, error.diagnostic().code());
    assertTrue(error.getMessage().contains("different numbers of rows"), error.getMessage());
  }
}
