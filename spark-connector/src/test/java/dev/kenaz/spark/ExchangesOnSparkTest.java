package dev.kenaz.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.distribute.Cuts;
import dev.kenaz.distribute.LocalPieces;
import dev.kenaz.distribute.PlanRunner;
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
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Plans that keep rows between stages, and move them: Spark gives what the interpreter gives over
 * the whole, and what one process gives over the same pieces. The programs are some of those of the
 * planner's own tests; with {@code -Dspark.programs=all} they are all that are divided. Arrays of m
 * rows are a second dataset.
 */
final class ExchangesOnSparkTest {
  private static final Path PROGRAMS =
      Path.of("../core-compiler/src/test/resources/distribute/programs");

  private static final Map<String, Long> SIZES =
      Map.of("n", 9L, "d", 3L, "k", 2L, "h", 4L, "m", 5L, "b", 6L, "v", 4L, "u", 3L);

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
          "Kendall's tau",
          "prices looked up by article",
          "page rank over edges",
          "corrections written into a row-long copy",
          "Gaussian kernel between rows and landmarks",
          "both datasets appended");

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

  /** How many jobs have run. */
  private static final AtomicInteger JOBS = new AtomicInteger();

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
    spark
        .sc()
        .addSparkListener(
            new SparkListener() {
              @Override
              public void onJobStart(SparkListenerJobStart start) {
                JOBS.incrementAndGet();
              }
            });
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
          if (head.endsWith("| divided") && wanted) {
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

  /** Columns of any types, each cut as its dataset is. */
  private record Columns(String key, ArrayList<WireValue> columns, ArrayList<Cuts> cuts)
      implements ShardSource {
    @Override
    public int shards() {
      return cuts.getFirst().pieces();
    }

    @Override
    public List<Value> load(int shard) {
      var all = new ArrayList<Value>();
      for (int c = 0; c < columns.size(); c++) {
        var of = cuts.get(c);
        var rows = ((ArrayValue) columns.get(c).read()).rows(of.first(shard), of.first(shard + 1));
        all.add(rows);
      }
      return all;
    }
  }

  /** A program with arguments. */
  private record Subject(
      SourceText text, CoreProgram core, Map<Var, Value> values, Map<String, Long> sizes) {
    static Subject of(Named program) {
      return of(program, SIZES);
    }

    static Subject of(Named program, Map<String, Long> sizes) {
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
                source,
                List.of(),
                entry.name(),
                dataset,
                true,
                Backend.INTERPRET,
                CompileOptions.UNLIMITED);
        var random = new SplittableRandom(7);
        var values = new HashMap<Var, Value>();
        function.params().forEach(p -> values.put(p, argument(p, random, sizes)));
        return new Subject(text, core, values, sizes);
      }
    }

    private static boolean isColumn(Var v) {
      return v.type() instanceof Type.Array a
          && a.shape().getFirst() instanceof Var n
          && (n.name().equals("n") || n.name().equals("m"));
    }

    private static Value argument(Var p, SplittableRandom random, Map<String, Long> sizes) {
      if (p.type().equals(Type.I64) && sizes.containsKey(p.name())) {
        return ScalarValue.i64(sizes.get(p.name()));
      }
      var shape = p.type().dims().stream().mapToLong(dim -> size(dim, sizes)).toArray();
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

    private static long size(Atom dim, Map<String, Long> sizes) {
      return dim instanceof Const(var c) ? c.asLong() : sizes.get(((Var) dim).name());
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

    /** How the datasets are cut if this is how the rows of n are; others in proportion. */
    private List<Cuts> cuts(long... cuts) {
      long last = Math.max(1, cuts[cuts.length - 1]);
      var all = new ArrayList<Cuts>();
      for (var space : text.plan().pieces().datasets()) {
        long rows = sizes.get(space.rows().name());
        var of = Arrays.stream(cuts).map(c -> c * rows / last).toArray();
        of[cuts.length - 1] = rows;
        all.add(Cuts.between(of));
      }
      return all;
    }

    List<Value> here(long... cuts) {
      var spaces = cuts(cuts);
      var source = LocalPieces.whole(text.plan(), columns(), spaces);
      return new LocalPieces(source, spaces, text.caller(1)).results(text.plan(), replicated());
    }

    SparkEngine engine(long... cuts) {
      var spaces = cuts(cuts);
      var ofColumns = new ArrayList<Cuts>();
      for (int c = 0; c < columns().size(); c++) {
        ofColumns.add(spaces.get(text.plan().datasetOf(c)));
      }
      var key = text.key() + spaces;
      var shards = new Columns(key, new ArrayList<>(WireValue.of(columns())), ofColumns);
      return new SparkEngine(
          new SparkRunner(spark, shards, 1 << 20), text, spaces, RowSink.COLLECT);
    }

    List<Value> onSpark(long... cuts) {
      return onSpark(engine(cuts));
    }

    private List<Value> onSpark(SparkEngine engine) {
      try (engine) {
        return engine.results(text.plan(), text.caller(1), replicated());
      }
    }

    /** The same, where pieces ask for all rows that they read by numbers. */
    List<Value> asking(long... cuts) {
      var engine = engine(cuts);
      engine.asksForRows();
      return onSpark(engine);
    }

    boolean readsByNumbers() {
      return text.plan().steps().toString().contains("Fetch[");
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
      var all = new ArrayList<>(List.of(subject.onSpark(cuts)));
      if (cuts.length > 2 && subject.readsByNumbers()) {
        all.add(subject.asking(cuts));
      }
      for (var got : all) {
        assertSame(subject.whole(), got, tolerance);
        assertSame(subject.here(cuts), got, tolerance);
      }
      assertEquals(Map.of(), spark.getPersistentRDDs(), "executors keep nothing");
    }
  }

  /** A stage of stored rows fails on one piece, and something else or nothing needs them. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "let ys = scan (+) 0 (map (\\k -> xs[k - 1]) ks) in map (/ f64.sum ys) ys",
        "let ys = FAILING in map (\\i -> ys[(i + 1) % n]) (iota n)",
        "let ys = FAILING in map (\\k -> ys[k % n]) ks",
        "let ys = FAILING in hist (+) 0 n ks ys",
        "let ys = FAILING in if f64.sum xs > 1e9 then reverse ys else xs",
        "let ys = FAILING in (loop zs = xs for _i < 12i64 do rotate 1 zs, ys[n - 1])",
        "loop ys = copy xs for i < 30i64 do map (\\k -> ys[(k * i) / 5]) ks",
      })
  void whatFailsIsToldAndLeavesNothing(String body) {
    var failing = "map2 (\\k x -> xs[k] + xs[k + k * k - 1] + x) ks xs";
    var subject = Subject.of(own("fails", body.replace("FAILING", failing)));
    for (var cuts : List.of(new long[] {0, 9}, new long[] {0, 0, 4, 9})) {
      var error = assertThrows(UserError.class, () -> subject.onSpark(cuts));
      var here = assertThrows(UserError.class, () -> subject.here(cuts));
      assertEquals(here.diagnostics(), error.diagnostics());
      assertEquals(Map.of(), spark.getPersistentRDDs());
    }
  }

  /** Stages and exchanges run when the driver needs something that depends on them. */
  @ParameterizedTest
  @CsvSource({
    "radix sort, 4",
    "rows in a long loop, 46",
    "rows that a loop only moves, 9",
    "as many bins as rows, 1",
    "neighbours, 1",
    "rows in a branch, 2"
  })
  void fewJobsRun(String name, int jobs) throws Exception {
    var subject = Subject.of(own(name, OWN.get(name)));
    spark.sc().listenerBus().waitUntilEmpty(10_000);
    JOBS.set(0);
    subject.onSpark(0, 4, 7, 9);
    spark.sc().listenerBus().waitUntilEmpty(10_000);
    assertEquals(jobs, JOBS.get());
  }

  /** What one run of a job leaves doesn't matter to the next. */
  @Test
  void anEngineRunsAPlanAgain() {
    var subject = Subject.of(own("again", OWN.get("radix sort")));
    var plan = subject.text().plan();
    try (var engine = subject.engine(0, 5, 9)) {
      for (int i = 0; i < 2; i++) {
        var runs = new PlanRunner(plan, engine, subject.text().caller(1));
        var results = runs.results(subject.replicated(), engine::rows);
        assertSame(subject.whole(), results, 0);
      }
    }
    assertEquals(Map.of(), spark.getPersistentRDDs());
  }

  /** Of two datasets, one or both have fewer rows than there are pieces, or none. */
  @ParameterizedTest
  @CsvSource({"9,0", "0,5", "0,0", "2,1", "1,9"})
  void datasetsMayBeSmallerThanTheirPieces(long n, long m) {
    var program =
        new Named(
            "two tables",
            """
            entry main [n][m] (xs: [n]f64) (ks: [n]i64) (rates: [m]f64)
                : ([n]f64, [m]f64, f64, []f64) =
              let at k = if k < m then rates[k] else 0.5
              let taxed = map2 (\\x k -> x * at k) xs ks
              in (taxed, hist (+) 0 m ks taxed, f64.sum rates, filter (> 0) (rates ++ taxed))
            """);
    var sizes = new HashMap<>(SIZES);
    sizes.put("n", n);
    sizes.put("m", m);
    var subject = Subject.of(program, sizes);
    assertEquals(List.of(), subject.text().plan().gathered());
    var cuts = new long[] {0, 0, n / 2, n, n};
    assertSame(subject.whole(), subject.onSpark(cuts), 1e-8);
    assertSame(subject.here(cuts), subject.asking(cuts), 1e-8);
  }
}
