package dev.kenaz.jobs.bench;

import dev.kenaz.dataset.AdBenchFile;
import dev.kenaz.dataset.BytesFile;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Reads data in ADBench's formats as arguments for the programs. */
final class AdBench {
  private AdBench() {}

  /** Returns the text of a file in the resources, {@code programs/adbench/NAME.txt}. */
  static String resource(String name) {
    var resource = "/dev/kenaz/jobs/programs/adbench/" + name + ".txt";
    try (var in = AdBench.class.getResourceAsStream(resource)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static AdBenchFile read(String text) {
    return AdBenchFile.read(
        BytesFile.of("data of ADBench", text), name -> BytesFile.of(name, resource(name)));
  }

  /** Returns columns of tables, each named as in {@code points.x}. */
  private static List<Value> columns(AdBenchFile file, String... names) {
    return Arrays.stream(names).map(n -> (Value) column(file, n)).toList();
  }

  private static ArrayValue column(AdBenchFile file, String name) {
    var parts = name.split("\\.");
    return file.tables().get(parts[0]).get(parts[1]);
  }

  /** Returns the arguments alphas, means, icf, points, gamma and m. */
  static List<Value> gmm(String text) {
    var in = read(text);
    var all = new ArrayList<>(columns(in, "alphas.alpha", "means.mean", "icf.icf", "points.x"));
    all.add(column(in, "wishart.gamma").scalar(0));
    all.add(column(in, "wishart.m").scalar(0));
    return all;
  }

  /** Returns the cameras, the points, the weights, which camera saw which point, and where. */
  static List<Value> ba(String text) {
    var in = read(text);
    var cameras = column(in, "observations.camera").toLongArray();
    var points = column(in, "observations.point").toLongArray();
    var seen = new long[2 * cameras.length];
    for (int i = 0; i < cameras.length; i++) {
      seen[2 * i] = cameras[i];
      seen[2 * i + 1] = points[i];
    }
    return List.of(
        column(in, "cameras.camera"),
        column(in, "points.point"),
        column(in, "observations.weight"),
        ArrayValue.ofLongs(seen, cameras.length, 2),
        column(in, "observations.feature"));
  }

  /** Returns the main parameters, the extra parameters, the state and the text. */
  static List<Value> dLstm(String text) {
    var in = read(text);
    var main = column(in, "main.main");
    var state = column(in, "state.state");
    long layers = main.dim(0) / 2;
    return List.of(
        main.reshape(layers, 2, 4, main.dim(1) / 4),
        column(in, "extra.extra"),
        state.reshape(layers, 2, state.dim(1)),
        column(in, "sequence.x"));
  }

  /**
   * Returns the model, the vertex or triangle with which each point is compared, the points and the
   * parameters.
   */
  static List<Value> hand(String text, boolean complicated) {
    var in = read(text);
    var all =
        new ArrayList<>(
            columns(
                in,
                "bones.parent",
                "bones.base",
                "bones.inverse",
                "vertices.position",
                "vertices.weights"));
    long bones = column(in, "bones.parent").dim(0);
    for (int i : new int[] {1, 2}) {
      all.set(i, ((ArrayValue) all.get(i)).reshape(bones, 4, 4));
    }
    if (complicated) {
      all.add(column(in, "triangles.corners"));
    }
    all.addAll(columns(in, "points.vertex", "points.point", "theta.theta"));
    if (complicated) {
      all.add(column(in, "points.us"));
    }
    return all;
  }
}
