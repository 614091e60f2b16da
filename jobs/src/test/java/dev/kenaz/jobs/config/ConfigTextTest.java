package dev.kenaz.jobs.config;

import static dev.kenaz.error.ErrorCode.K7002;
import static dev.kenaz.error.ErrorCode.K7003;
import static dev.kenaz.error.ErrorCode.K7004;
import static dev.kenaz.error.ErrorCode.K7006;
import static dev.kenaz.error.ErrorCode.K7007;
import static dev.kenaz.error.ErrorCode.K7501;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.HiddenText;
import dev.kenaz.jobs.sweep.SweepJob;
import java.io.IOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How configurations are written: comments, includes, settings of a command line, variables. */
final class ConfigTextTest {
  private static final String JOB =
      """
      // A job.
      {
        "program": "builtin:kmeans", /* k-means
          in f32 */
        "data": { "path": "d.arrow", "columns": { "points": ["a", "b",] } },
        "parameters": { "k": 3 },
        "optimiser": { "name": "adam", "rate": 0.5, "schedule": { "warm_up": 3 } },
        "output": "out", // not "there"
      }
      """;

  @TempDir Path folder;

  private Path write(String name, String text) throws IOException {
    var file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }

  private static JsonNode read(Path file, String... settings) {
    return ConfigReader.document(file, Stream.of(settings).map(Settings.Setting::read).toList());
  }

  private static void fails(ErrorCode code, String message, Executable read) {
    var d = assertThrows(UserError.class, read).diagnostics().getFirst();
    assertEquals(code, d.code(), d.message());
    assertTrue((d.message() + d.hints()).contains(message), d.message() + d.hints());
  }

  @Test
  void commentsAndTrailingCommas() throws IOException {
    var job = ConfigReader.readTrain(write("job.json", JOB));
    assertEquals("builtin:kmeans", job.program());
    assertEquals(List.of("a", "b"), job.data().names("points"));
    fails(ErrorCode.K7001, "not JSON", () -> read(write("bad.json", "{ \"a\": 1,, }")));
    fails(ErrorCode.K7001, "not JSON", () -> read(write("open.json", "{ /* \"a\": 1 }")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          optimiser.rate=0.25    | /optimiser/rate | 0.25
          optimiser.schedule.decay=1e-3 | /optimiser/schedule/decay | 0.001
          parameters={"k": 4}    | /parameters/k | 4
          data.columns.points=["c"] | /data/columns/points/0 | "c"
          data.path=more/x.arrow | /data/path | "more/x.arrow"
          data.path="7"          | /data/path | "7"
          data.path=a=b          | /data/path | "a=b"
          data.path=1e5x         | /data/path | "1e5x"
          data.path=             | /data/path | ""
          checkpoint.every=3     | /checkpoint/every | 3
          optimiser=null         | /optimiser | ``
          """)
  void settingsOfTheCommandLine(String setting, String path, String value) throws IOException {
    var at = read(write("job.json", JOB), setting).at(path);
    assertEquals(value, at.isMissingNode() ? "" : at.toString());
  }

  @Test
  void settingsThatMakeNoSense() throws IOException {
    var file = write("job.json", JOB);
    for (var s : List.of("rate", "=1", ".a=1", "a..b=1", "a.=1")) {
      fails(K7501, "names no setting", () -> read(file, s));
    }
    fails(K7501, "data.path is no object", () -> read(file, "data.path.x=1"));
    fails(K7006, "too large", () -> read(file, "optimiser.rate=1e400"));
    fails(
        K7003,
        "did you mean \"optimiser\"",
        () -> ConfigReader.train(read(file, "optimizer.rate=1"), "job"));
    fails(
        K7003,
        "did you mean \"nulls\"",
        () -> ConfigReader.train(read(file, "data.null=drop"), "job"));
    fails(
        K7004,
        "must be an integer",
        () -> ConfigReader.train(read(file, "iterations=many"), "job"));
  }

  /** Later documents win, and paths start from where they are written. */
  @Test
  void includes() throws IOException {
    write(
        "common/base.json",
        JOB.replace("builtin:kmeans", "p.fut").replace("{ \"k\": 3 }", "{ \"k\": 3, \"l\": 1 }"));
    write(
        "common/more/size.json",
        "{ \"data\": { \"path\": \"big.arrow\" }, \"parameters\": { \"l\": 2 } }");
    write("common/both.json", "{ \"include\": [\"base.json\", \"more/size.json\"], \"seed\": 5 }");
    var file =
        write(
            "jobs/job.json",
            """
            { "include": "../common/both.json", "parameters": { "k": 9 },
              "optimiser": { "schedule": null }, "output": "mine" }
            """);
    var all = read(file);
    assertFalse(all.has("include"));
    assertEquals("../common/p.fut", all.get("program").asText());
    assertEquals("../common/more/big.arrow", all.at("/data/path").asText());
    assertEquals("[\"a\",\"b\"]", all.at("/data/columns/points").toString());
    assertEquals("{\"k\":9,\"l\":2}", all.get("parameters").toString());
    assertEquals("{\"name\":\"adam\",\"rate\":0.5}", all.get("optimiser").toString());
    assertEquals(5, all.get("seed").asInt());
    assertEquals("mine", all.get("output").asText());
    assertEquals("p", read(file, "program=p").get("program").asText());
    write("jobs/here.json", "{ \"include\": \"job.json\", \"program\": \"builtin:x\" }");
    assertEquals("builtin:x", read(folder.resolve("jobs/here.json")).get("program").asText());
    assertEquals("mine", read(folder.resolve("jobs/here.json")).get("output").asText());
  }

  @Test
  void includesThatMakeNoSense() throws IOException {
    var a = write("a.json", "{ \"include\": \"x/b.json\" }");
    write("x/b.json", "{ \"include\": [\"c.json\"] }");
    var c = write("x/c.json", "{ \"include\": \"../a.json\" }");
    fails(K7006, "a.json includes b.json includes c.json includes a.json", () -> read(a));
    Files.writeString(c, "{ \"include\": \"no.json\" }");
    fails(K7002, "x/no.json", () -> read(a));
    Files.writeString(c, "[1]");
    fails(K7004, "is no object", () -> read(a));
    Files.writeString(c, "{ \"include\": 1 }");
    fails(K7004, "$.include", () -> read(a));
    // The same file twice is no cycle.
    Files.writeString(c, "{ \"seed\": 1 }");
    Files.writeString(a, "{ \"include\": [\"x/b.json\", \"x/c.json\", \"x/b.json\"] }");
    assertEquals(1, read(a).get("seed").asInt());
  }

  private static JsonNode resolved(String text) throws IOException {
    var variables =
        Map.of(
            "DATA", "/geheim/häuser", "KEY", "s3cr\"t", "EMPTY", "", "ODD", "/geheim//x/../two/");
    return Environment.resolved(new ObjectMapper().readTree(text), "job", variables::get);
  }

  @Test
  void variables() throws IOException {
    var all =
        resolved(
            """
            { "a": "${env:DATA}/x", "b": ["${env:KEY}", 1], "c": "${env:NONE:-other}-${env:DATA}",
              "d": "${env:EMPTY:-}", "e": "${HOME} $DATA", "${env:DATA}": "${env:ODD}" }
            """);
    assertEquals("/geheim/häuser/x", all.get("a").asText());
    assertEquals("s3cr\"t", all.get("b").get(0).asText());
    assertEquals("other-/geheim/häuser", all.get("c").asText());
    assertEquals("", all.get("d").asText());
    assertEquals("${HOME} $DATA", all.get("e").asText());
    assertEquals("in ${env:DATA}/y.fut", HiddenText.without("in /geheim/häuser/y.fut"));
    assertEquals("by ${env:KEY}.", HiddenText.without("by s3cr\"t."));
    assertEquals("can't read ${env:ODD}/z", HiddenText.without("can't read /geheim/two/z"));
    fails(
        K7007,
        "job: $.x.y[0] needs the environment variable NONE",
        () -> resolved("{\"x\": {\"y\": [\"${env:NONE}\"]}}"));
    fails(K7007, "write a default: ${env:EMPTY:-default}", () -> resolved("[\"${env:EMPTY}\"]"));
    fails(K7006, "without a name", () -> resolved("[\"${env:}\"]"));
    fails(K7006, "without a name", () -> resolved("[\"${env:DATA\"]"));
  }

  @Test
  void sweepsHaveSettingsTooAndKeepVariables() throws IOException {
    write("job.json", JOB);
    var file =
        write(
            "sweep/s.json",
            """
            { "include": "base.json",
              "grid": { "seed": [1, 2], "data.path": ["${env:NO_SUCH_KENAZ:-x.arrow}"] } }
            """);
    write("sweep/base.json", "{ \"job\": \"../job.json\", \"output\": \"o\" }");
    var settings =
        Stream.of("job.iterations=7", "grid.seed=[1, 2, 3]", "output=there")
            .map(Settings.Setting::read);
    var sweep = SweepJob.read(file, settings.toList(), _ -> {}, _ -> {});
    assertEquals(3, sweep.cells().size());
    var cell = sweep.cells().getFirst().document();
    assertEquals(7, cell.get("iterations").asInt());
    assertEquals("${env:NO_SUCH_KENAZ:-x.arrow}", cell.at("/data/path").asText());
    assertTrue(sweep.output().path().endsWith("sweep/there"));
    var inline =
        write(
            "inline.json",
            "{ \"job\": { \"include\": \"job.json\", \"seed\": 4 }, \"grid\": { \"parameters.k\":"
                + " [2] }, \"output\": \"o\" }");
    cell = SweepJob.read(inline, _ -> {}, _ -> {}).cells().getFirst().document();
    assertEquals("{\"k\":2}", cell.get("parameters").toString());
    assertEquals(4, cell.get("seed").asInt());
  }

  /** The schemas have the keys of the records that read them: no more, and no fewer. */
  @Test
  void schemasHaveTheKeysOfTheRecords() throws IOException {
    var json = new ObjectMapper();
    var train = json.readTree(Path.of("../configs/schema/train.schema.json").toFile());
    assertKeys("train", train, TrainConfig.class, Set.of("$schema", "include"));
    var sweep = json.readTree(Path.of("../configs/schema/sweep.schema.json").toFile());
    assertKeys("sweep", sweep, SweepConfig.class, Set.of("$schema", "include"));
  }

  private static void assertKeys(String at, JsonNode schema, Class<?> type, Set<String> others) {
    var expected = new TreeSet<>(others);
    boolean open = false;
    for (var c : type.getRecordComponents()) {
      var other = c.getAccessor().getAnnotation(JsonProperty.class);
      var name = other == null ? c.getName() : other.value();
      if (isOpen(type, c)) {
        open = true;
        continue;
      }
      expected.add(name);
      var nested = record(c.getGenericType());
      if (nested != null) {
        assertKeys(at + "." + name, schema.at("/properties/" + name), nested, Set.of());
      }
    }
    var found = new TreeSet<String>();
    schema.path("properties").fieldNames().forEachRemaining(found::add);
    assertEquals(expected, found, at);
    assertEquals(open, !schema.path("additionalProperties").isBoolean(), at + " is closed");
  }

  private static boolean isOpen(Class<?> type, RecordComponent c) {
    return Arrays.stream(type.getDeclaredConstructors())
            .flatMap(k -> Arrays.stream(k.getParameters()))
            .anyMatch(
                p -> p.getName().equals(c.getName()) && p.isAnnotationPresent(JsonAnySetter.class))
        || c.getAccessor().isAnnotationPresent(JsonAnySetter.class);
  }

  /** Returns the record that a component is or may be; null if it is none. */
  private static Class<?> record(Type type) {
    return switch (type) {
      case Class<?> c when c.isRecord() -> c;
      case ParameterizedType p when p.getRawType() == Optional.class ->
          record(p.getActualTypeArguments()[0]);
      default -> null;
    };
  }
}
