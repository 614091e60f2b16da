package dev.kenaz.jobs.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code peers.py} has others compute is what our programs compute, gradients included. */
final class PeersTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path folder;

  /**
   * A function of peers.py.
   *
   * @param given its arguments
   * @param before arguments that our program has before the one of that index
   */
  private record Peer(
      String program,
      String primal,
      String derivative,
      List<ArrayValue> given,
      int index,
      List<Value> before) {
    List<Value> arguments() {
      var all = new ArrayList<Value>(given);
      all.addAll(index, before);
      return all;
    }

    /** The derivative's results, without the function's where it gives them too. */
    List<Value> expected(String entry) {
      var options = CompileOptions.of(Backend.INTERPRET);
      try (var program = Compiler.compile(BenchCase.source(this.program), options)) {
        return program.entry(entry).call(arguments());
      }
    }
  }

  private static Map<String, Peer> peers() {
    var draw = new Draw();
    var all = new LinkedHashMap<String, Peer>();
    var mixture =
        List.of(
            draw.f64(-1, 1, 3),
            draw.f64(0, 1, 3, 5),
            draw.f64(-1, 1, 3, 15),
            draw.f64(-1, 1, 9, 5));
    List<Value> prior = List.of(ScalarValue.f64(1), ScalarValue.i64(0));
    all.put("gmm", new Peer("gmm", "gmm", "gmm_ad", mixture, 4, prior));
    var points = List.of(draw.f32(0, 1, 50, 4), draw.f32(0, 1, 3, 4));
    all.put(
        "kmeans",
        new Peer("kmeans-dense", "kmeans_dense", "kmeans_dense_newton", points, 0, List.of()));
    // each row has a column once
    var columns = ArrayValue.ofLongs(new long[] {0, 3, 5, 1, 2, 0, 5, 4, 2, 3, 1, 4}, 12);
    var rows = ArrayValue.ofLongs(new long[] {0, 3, 5, 8, 12}, 5);
    var sparse = List.of(draw.f32(1, 5, 12), columns, rows, draw.f32(0, 5, 2, 6));
    all.put(
        "sparse",
        new Peer("kmeans-sparse", "kmeans_sparse", "kmeans_sparse_newton", sparse, 0, List.of()));
    var net = new ArrayList<>(List.of(draw.f32(-1, 1, 6, 3, 4), draw.f32(-1, 1, 6, 3, 4)));
    for (var shape : new long[][] {{4, 5, 4}, {4, 5, 5}, {4, 5}, {4, 5}, {4}}) {
      net.add(draw.f32(-0.5, 0.5, shape));
    }
    List<Value> start = List.of(draw.f32(0, 0, 3, 5), draw.f32(0, 0, 3, 5));
    all.put("lstm", new Peer("lstm", "lstm", "lstm_ad", net, 2, start));
    return all;
  }

  @Test
  void computeTheSame() throws IOException, InterruptedException {
    var peers = peers();
    var said = said(peers);
    assumeFalse(said.isEmpty(), "neither PyTorch nor JAX here");
    said.properties()
        .forEach(
            who -> {
              assertEquals(peers.size(), who.getValue().size(), who.getKey());
              peers.forEach((name, peer) -> same(name, peer, who.getValue().get(name)));
            });
  }

  private static void same(String name, Peer peer, JsonNode said) {
    var value = (ScalarValue) peer.expected(peer.primal()).getFirst();
    near(name, value.asDouble(), said.get(0).asDouble());
    var derivative = peer.expected(peer.derivative());
    var gradients = derivative.subList(derivative.size() - said.get(1).size(), derivative.size());
    for (int i = 0; i < gradients.size(); i++) {
      var expected = ((ArrayValue) gradients.get(i)).toDoubleArray();
      var actual = new ArrayList<Double>();
      numbers(said.get(1).get(i), actual);
      assertEquals(expected.length, actual.size(), name);
      for (int k = 0; k < expected.length; k++) {
        near(name + ", gradient " + i + " at " + k, expected[k], actual.get(k));
      }
    }
  }

  private static void near(String what, double expected, double actual) {
    assertTrue(
        Math.abs(expected - actual) <= 1e-4 * Math.max(0.1, Math.abs(expected)),
        () -> what + ": " + actual + " instead of " + expected);
  }

  private static void numbers(JsonNode node, List<Double> into) {
    if (node.isArray()) {
      node.forEach(n -> numbers(n, into));
    } else {
      into.add(node.asDouble());
    }
  }

  /** What the script prints. */
  private JsonNode said(Map<String, Peer> peers) throws IOException, InterruptedException {
    var script = folder.resolve("peers.py");
    try (var in = PeersTest.class.getResourceAsStream("/dev/kenaz/jobs/bundle/peers.py")) {
      Files.write(script, in.readAllBytes());
    }
    var data = new LinkedHashMap<String, List<Object>>();
    peers.forEach((name, p) -> data.put(name, p.given().stream().map(PeersTest::json).toList()));
    var file = folder.resolve("data.json");
    JSON.writeValue(file.toFile(), data);
    var out = folder.resolve("out.json").toFile();
    try {
      new ProcessBuilder("python3", script.toString(), "--values", file.toString())
          .redirectOutput(out)
          .redirectError(ProcessBuilder.Redirect.INHERIT)
          .start()
          .waitFor();
    } catch (IOException e) {
      return JSON.createObjectNode(); // there is no python3
    }
    return JSON.readTree(out);
  }

  private static Object json(ArrayValue a) {
    return List.of(a.prim().text(), nested(a));
  }

  private static Object nested(Value v) {
    return switch (v) {
      case ScalarValue s -> s.prim() == Prim.I64 ? (Object) s.bits() : s.asDouble();
      case ArrayValue a -> {
        var rows = new ArrayList<Object>();
        for (long i = 0; i < a.dim(0); i++) {
          rows.add(nested(a.at(i)));
        }
        yield rows;
      }
    };
  }
}
