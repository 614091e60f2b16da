package dev.kenaz.jobs.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.jobs.config.ConfigReader;
import dev.kenaz.jobs.train.OutputFolder.Existing;
import dev.kenaz.spark.KenazKey;
import dev.kenaz.value.Value;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs that train several models at once: restarts and grids. */
final class TrainTogetherTest extends TrainTesting {
  /** Opens another Spark in which each run is a job, so that jobs can be counted. */
  @BeforeAll
  static void openForCounting() {
    spark.close();
    System.setProperty(KenazKey.STAY.key(), "false");
    try {
      open();
    } finally {
      System.clearProperty(KenazKey.STAY.key());
    }
  }

  private static final String CENTRES =
      """
      type model [k] = [k][2]f64
      def init [n] (x: [n][2]f64) (k: i64) (seed: i64) : model [k] =
        map (\\i -> map (+ f64.i64 (seed + i) * 0.01) x[(seed * 7 + i * 13) % n]) (iota k)
      def distance (p: [2]f64) (c: [2]f64) = f64.sum (map2 (\\p c -> (p - c) ** 2) p c)
      def loss [n][k] (m: model [k]) (x: [n][2]f64) (y: [n]f64) : f64 =
        f64.sum (map2 (\\p y -> f64.minimum (map (distance p) m) + 0 * y) x y) / f64.i64 n
      """;

  private static final String ADAM = "\"optimiser\": { \"name\": \"adam\" }, \"iterations\": 6";

  private List<Value> modelOf(int number) {
    return ModelFolder.open(folder.resolve("out/model-" + number)).orElseThrow().model();
  }

  private String settings(int model) {
    return document().trained().get(model).settings().toString();
  }

  /** Two options, a hyperparameter that changes sizes, and seeds: twelve models. */
  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void eachModelOfAGridIsTheSameAsAlone(int pieces) throws IOException {
    partitions = pieces;
    var grid =
        """
        , "models": { "restarts": 2, "grid":
          { "optimiser.rate": [0.3, 0.01], "parameters.k": [1, 2, 5] } }
        """;
    var end = train(CENTRES, ADAM + grid);
    var models = new ArrayList<List<Value>>();
    var configs = new ArrayList<ObjectNode>();
    for (int i = 1; i <= 12; i++) {
      models.add(modelOf(i));
      var document = ModelFolder.open(folder.resolve("out/model-" + i)).orElseThrow().document();
      configs.add((ObjectNode) document.config());
      assertFalse(document.config().has("models"));
    }
    assertEquals("{\"optimiser.rate\":0.3,\"parameters.k\":1,\"seed\":2}", settings(1));
    assertEquals("{\"optimiser.rate\":0.01,\"parameters.k\":5,\"seed\":1}", settings(10));
    assertEquals(12, models.stream().distinct().count());
    assertEquals(
        document().trained().stream().mapToDouble(Trained::loss).min().orElseThrow(),
        document().loss());
    assertTrue(models.contains(end.model()));
    assertTrue(document().config().has("models"));
    for (int i = 0; i < 12; i++) {
      var alone = configs.get(i).put("output", "alone-" + i);
      var job = new TrainJob(ConfigReader.train(alone, "job"), alone, folder, _ -> {});
      assertEquals(models.get(i), job.run(Existing.REFUSE, spark).model(), "model " + (i + 1));
    }
  }

  /** Counts the jobs of Spark. */
  private static int jobs(Work work) throws Exception {
    var count = new AtomicInteger();
    var listener =
        new SparkListener() {
          @Override
          public void onJobStart(SparkListenerJobStart start) {
            count.incrementAndGet();
          }
        };
    spark.sc().listenerBus().waitUntilEmpty(10_000);
    spark.sc().addSparkListener(listener);
    work.run();
    spark.sc().listenerBus().waitUntilEmpty(10_000);
    spark.sc().removeSparkListener(listener);
    return count.get();
  }

  private interface Work {
    void run() throws Exception;
  }

  @Test
  void modelsShareTheirJobs() throws Exception {
    var job = ADAM + ", \"parameters\": { \"k\": 3 }";
    int one = jobs(() -> train(CENTRES, job));
    int eight = jobs(() -> train(CENTRES, job + ", \"models\": { \"restarts\": 8 }"));
    assertTrue(eight <= one, eight + " jobs of eight models, and " + one + " of one");
    int apart =
        jobs(() -> train(CENTRES, job + ", \"models\": { \"restarts\": 8, \"together\": 1 }"));
    assertEquals(8 * one - 7, apart, "the data are summarised once");
    assertTrue(said.contains("models 1 to 8 of 8") && said.contains("model 8 of 8"));
  }

  @Test
  void groupsGiveTheSameModels() throws IOException {
    var job = ADAM + ", \"parameters\": { \"k\": 3 }, \"validation\": { \"split\": 0.2 }";
    var whole = train(CENTRES, job + ", \"models\": { \"restarts\": 5 }");
    var trained = document().trained();
    assertNotNull(trained.getFirst().validation());
    var groups = train(CENTRES, job + ", \"models\": { \"restarts\": 5, \"together\": 2 }");
    assertEquals(whole.model(), groups.model());
    assertEquals(trained, document().trained());
    assertTrue(said.contains("models 3 to 4 of 5") && said.contains("model 5 of 5"));
  }

  /** Executors need room for the rows of all folds; with less, there are fewer at the same time. */
  @Test
  void foldsShareTheirJobs() throws Exception {
    var job =
        ADAM + ", \"parameters\": { \"k\": 3 }, \"validation\": { \"folds\": %d, \"final\": %b }";
    int two = jobs(() -> train(CENTRES, job.formatted(2, false)));
    int six = jobs(() -> train(CENTRES, job.formatted(6, false)));
    assertEquals(two, six);
    assertTrue(said.contains("folds 1 to 6 of 6"), said.toString());
    var models = foldModels(6);
    assertEquals(6, models.stream().distinct().count());
    var conf = spark.sc().conf();
    var room = "spark.kenaz.cache";
    conf.set(room, 200 * 24 * 4 + 99 + "b");
    try {
      train(CENTRES, job.formatted(6, true));
      assertTrue(said.contains("folds 4 to 6 of 6"), said.toString());
      assertEquals(models, foldModels(6));
      conf.set(room, "1k");
      int apart = jobs(() -> train(CENTRES, job.formatted(6, false)));
      assertTrue(said.contains("fold 6 of 6"), said.toString());
      assertTrue(apart > 4 * six, apart + " jobs, and " + six);
      assertEquals(models, foldModels(6));
    } finally {
      conf.remove(room);
    }
  }

  private List<List<Value>> foldModels(int count) {
    var models = new ArrayList<List<Value>>();
    for (int i = 1; i <= count; i++) {
      models.add(ModelFolder.open(folder.resolve("out/fold-" + i)).orElseThrow().model());
    }
    return models;
  }

  @Test
  void batchesOfSeveralModels() throws IOException {
    for (int pieces : new int[] {1, 3}) {
      partitions = pieces;
      var job =
          """
          "optimiser": { "name": "adam", "rate": 0.1 }, "parameters": { "k": 3 }, "passes": 3,
          "batch": { "rows": 30 }\
          """;
      said.clear();
      train(CENTRES, job + ", \"models\": { \"restarts\": 3 }");
      assertTrue(said.stream().anyMatch(l -> l.startsWith("model-2  pass   3  loss")), "" + said);
      for (int seed = 1; seed <= 3; seed++) {
        var one = modelOf(seed);
        train(CENTRES, job + ", \"seed\": " + seed);
        assertEquals(one, ModelFolder.open(folder.resolve("out")).orElseThrow().model());
        train(CENTRES, job + ", \"models\": { \"restarts\": 3 }");
      }
    }
  }

  /** Seed 2 diverges, seed 3 has no first model, and seed 5 has no loss from its start on. */
  private static final String FAILING =
      """
      def init [n] (x: [n][2]f64) (seed: i64) : f64 =
        if seed == 3 then x[n + seed, 0] else if seed == 5 then f64.nan else f64.i64 seed
      def step [n] (m: f64) (x: [n][2]f64) (y: [n]f64) : (f64, f64) =
        (if m == 2 then f64.inf else m / 2, m + 0 * f64.sum y + 0 * f64.sum (map (.[0]) x))
      """
          .replace("(.[0])", "(\\r -> r[0])");

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 16})
  void aModelThatFailsIsLeftOut(int together) throws IOException {
    var more =
        "\"iterations\": 4, \"models\": { \"restarts\": 6, \"together\": %d }".formatted(together);
    var end = train(FAILING, more);
    assertEquals(1.0 / 16, number(end.model().getFirst()));
    var trained = document().trained();
    assertEquals(6, trained.size());
    assertEquals("the loss is Infinity in iteration 1", trained.get(1).failure());
    assertTrue(trained.get(2).failure().contains("out of bounds"), trained.get(2).failure());
    assertTrue(trained.get(4).failure().contains("NaN"), trained.get(4).failure());
    assertEquals(2, trained.stream().filter(t -> t.failure() == null).count());
    assertTrue(
        said.contains("warning: model-2 (seed=2) has failed: the loss is Infinity in iteration 1"),
        said.toString());
    assertFalse(Files.exists(folder.resolve("out/model-3")), "nothing was written");
    assertTrue(Files.readString(folder.resolve("out/model-2/events.jsonl")).contains("failed"));
    var again = new ArrayList<>(trained);
    assertEquals(end.model(), train(FAILING, more, Existing.RESUME).model());
    assertEquals(again, document().trained());
  }

  @Test
  void aJobFailsIfAllItsModelsDo() throws IOException {
    var all = FAILING.replace("seed == 3", "seed > 0");
    var more = "\"iterations\": 4, \"models\": { \"restarts\": 3 }";
    assertEquals(ErrorCode.K5001, code(() -> train(all, more, Existing.REFUSE)));
    assertFalse(Files.exists(folder.resolve("out")), "no folder");
    var later = FAILING.replace("m == 2", "m > 0");
    assertEquals(ErrorCode.K7301, code(() -> train(later, more, Existing.REFUSE)));
    assertEquals(ErrorCode.K7101, code(() -> train(FAILING, more, Existing.REFUSE)));
    train(FAILING, more, Existing.OVERWRITE);
  }

  private static final class Killed extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /** The job ends when a model comes to an iteration, as if it was killed. */
  @ParameterizedTest
  @CsvSource({"model-3, 5, 16", "model-1, 6, 16", "model-4, 0, 16", "model-3, 4, 2"})
  void aKilledJobGoesOn(String model, int iteration, int together) throws IOException {
    var more =
        ADAM
            + ", \"parameters\": { \"k\": 3 }, \"checkpoint\": { \"every\": 2 },"
            + " \"models\": { \"restarts\": 4, \"together\": %d }".formatted(together);
    var whole = train(CENTRES, more, Existing.OVERWRITE);
    var trained = document().trained();
    var document = (ObjectNode) new ObjectMapper().valueToTree(document().config());
    document.remove("seed");
    document.put("output", "killed");
    var config = ConfigReader.train(document, "job");
    var killed =
        new TrainJob(
            config,
            document,
            folder,
            e -> {
              if (e instanceof TrainEvent.OfModel(var name, TrainEvent.Iteration i)
                  && name.equals(model)
                  && i.iteration() == iteration) {
                throw new Killed();
              }
            });
    assertThrows(Killed.class, () -> killed.run(Existing.REFUSE, spark));
    var job = new TrainJob(config, document, folder, TrainConsole.lines(said::add));
    assertEquals(ErrorCode.K7101, code(() -> job.run(Existing.REFUSE, spark)));
    said.clear();
    assertEquals(whole.model(), job.run(Existing.RESUME, spark).model());
    if (iteration > 3) {
      assertTrue(said.stream().anyMatch(l -> l.startsWith(model + "  resuming after")), "" + said);
    }
    var there = ModelFolder.open(folder.resolve("killed")).orElseThrow();
    assertEquals(trained, there.document().trained());
  }

  @Test
  void whatAnEarlierTrainingLeftIsRemoved() throws IOException {
    var job = ADAM + ", \"parameters\": { \"k\": 2 }";
    train(CENTRES, job + ", \"models\": { \"restarts\": 4 }");
    Files.writeString(folder.resolve("out/model-4/notes.txt"), "mine");
    Files.createDirectories(folder.resolve("out/model-9"));
    Files.writeString(folder.resolve("out/model-9/model.json"), "mine");
    train(CENTRES, job + ", \"models\": { \"restarts\": 2 }");
    assertTrue(Files.exists(folder.resolve("out/model-2/model.json")));
    assertFalse(Files.exists(folder.resolve("out/model-3")));
    assertEquals(List.of("notes.txt"), names("out/model-4"));
    assertTrue(Files.exists(folder.resolve("out/model-9/model.json")), "no training made it");
    train(CENTRES, job + ", \"validation\": { \"folds\": 3 }");
    assertFalse(Files.exists(folder.resolve("out/model-1")));
    train(CENTRES, job);
    assertFalse(Files.exists(folder.resolve("out/fold-1")));
    assertFalse(Files.exists(folder.resolve("out/previous")));
  }

  private List<String> names(String path) throws IOException {
    try (var all = Files.list(folder.resolve(path))) {
      return all.map(p -> p.getFileName().toString()).toList();
    }
  }

  @Test
  void foldsMayBeAll() throws IOException {
    var job = ADAM + ", \"parameters\": { \"k\": 2 }, \"validation\": { \"folds\": 3%s }";
    train(CENTRES, job.formatted(""));
    double mean = document().folds().get("loss").mean();
    var end = train(CENTRES, job.formatted(", \"final\": false"));
    assertEquals(List.of(mean), end.losses());
    assertFalse(Files.exists(folder.resolve("out/model.json")));
    var file = FoldsFile.read(new OutputFolder(folder.resolve("out"))).orElseThrow();
    assertEquals(mean, file.folds().get("loss").mean());
    assertEquals(3, file.trained().size());
    var again = train(CENTRES, job.formatted(", \"final\": false"), Existing.RESUME);
    assertEquals(end.losses(), again.losses());
    assertEquals(
        ErrorCode.K7101,
        code(() -> train(CENTRES, job.formatted(", \"final\": false"), Existing.REFUSE)));
    train(CENTRES, job.formatted(""));
    assertFalse(Files.exists(folder.resolve("out/folds.json")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          "grid": { "optimiser.rat": [1] } | K7405
          "grid": { "parameters.q": [1] } | K7403
          "grid": { "seed": [1, 2] } | K7003
          "grid": { "data.path": ["a"] } | K7003
          "grid": { "output": ["a"] } | K7003
          "grid": {} | K7006
          "grid": { "optimiser.rate": [] } | K7006
          "grid": { "optimiser.rate": [0.1, 0.1] } | K7006
          "grid": { "optimiser.rate": 0.1 } | K7004
          "grid": { "optimiser.rate": ["x"] } | K7004
          "grid": { "parameters.k": [2.5] } | K7404
          "grid": { "iterations": [0.5] } | K7004
          "grid": { "passes": [2] } | K7006
          "grid": { "optimiser.rate": [1, 2] }, "restarts": 501 | K7006
          "grid": { "optimiser.name": ["adam", "adamm"] } | K7006
          "restarts": 1 | K7006
          "restarts": 2, "together": 0 | K7006
          "together": 3 | K7006
          """)
  void faultsOfTheConfigurationAreTold(String models, ErrorCode code) throws IOException {
    var job = ADAM + ", \"parameters\": { \"k\": 2 }, \"models\": { " + models + " }";
    assertEquals(code, code(() -> train(CENTRES, job, Existing.REFUSE)));
    assertFalse(Files.exists(folder.resolve("out")));
  }

  @Test
  void optimisersMayDiffer() throws IOException {
    var grid =
        """
        "parameters": { "k": 2 }, "iterations": 5, "models": { "grid": {
          "optimiser": [{ "name": "l-bfgs", "memory": 3 }, { "name": "adam", "rate": 0.1 }],
          "tolerance": [0, 0.5] } }
        """;
    train(CENTRES, grid);
    assertEquals(4, document().trained().size());
    assertNotEquals(modelOf(1), modelOf(3));
    assertTrue(said.stream().anyMatch(l -> l.contains("no component of the gradient")), "" + said);
  }

  /** A part of a program that comes with Kenaz is replaced, and the rest is kept. */
  @Test
  void aProgramOpensOneThatComesWithKenaz() throws IOException {
    var program =
        """
        open import "builtin:linear-f64"
        def metrics [n][d] (m: model [d]) (x: [n][d]f64) (y: [n]f64) : { bias: f64 } =
          { bias = m.bias + 0 * y[0] * x[0, 0] }
        """;
    train(program, "\"parameters\": { \"l2\": 0 }, \"iterations\": 1");
    assertEquals(7, document().metrics().get("bias").doubleValue(), 1e-6);
    var missing = program.replace("linear-f64", "linearr");
    assertEquals(ErrorCode.K7401, code(() -> train(missing, "\"iterations\": 1")));
  }

  @Test
  void moreCentresThanRows() throws IOException {
    write(3);
    train(
        CENTRES,
        ADAM + ", \"models\": { \"restarts\": 2, \"grid\": { \"parameters.k\": [3, 50] } }");
    assertEquals(4, document().trained().size());
  }

  @Test
  void programsThatTrainByThemselvesShareJobsToo() throws IOException {
    var program =
        """
        def train [n] (y: [n]f64) (seed: i64) (steps: i64) : f64 =
          loop m = f64.i64 seed for _i < steps do m - 0.01 * f64.sum (map (m -) y) / f64.i64 n
        def loss [n] (m: f64) (y: [n]f64) (x: [n][2]f64) =
          f64.sum (map2 (\\y r -> (m - y) ** 2 + 0 * r[0]) y x)
        """;
    var grid = "\"models\": { \"restarts\": 2, \"grid\": { \"parameters.steps\": [1, 3] } }";
    train(program, grid);
    var models = List.of(modelOf(1), modelOf(2), modelOf(3), modelOf(4));
    assertEquals(4, models.stream().distinct().count());
    train(program, "\"parameters\": { \"steps\": 3 }, \"seed\": 2");
    assertEquals(models.get(3), ModelFolder.open(folder.resolve("out")).orElseThrow().model());
  }
}
