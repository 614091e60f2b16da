package dev.kenaz.jobs.train;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.kenaz.arrow.ArrowOutput;
import dev.kenaz.cuda.runtime.GpuReport;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.Main;
import dev.kenaz.jobs.command.SubstituteGpu;
import dev.kenaz.jobs.train.OutputFolder.Existing;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Trainings on a GPU: nothing but the configuration says that they are. */
final class TrainGpuTest {
  private static final Path MODELS = Path.of("../configs/models").toAbsolutePath().normalize();
  private static final int ROWS = 60;

  @TempDir Path folder;

  /** Writes a job over two clouds of points, whose numbers are the classes. */
  private Path job(String name, String program, String settings, String backend)
      throws IOException {
    var random = new Random(2);
    var x = new double[ROWS * 2];
    var y = new long[ROWS];
    for (int i = 0; i < ROWS; i++) {
      y[i] = i % 2;
      x[2 * i] = (float) (3 * y[i] + random.nextGaussian()); // A model may compute with f32.
      x[2 * i + 1] = (float) (random.nextGaussian() - y[i]);
    }
    var columns = new LinkedHashMap<String, ArrayValue>();
    columns.put("x", ArrayValue.ofDoubles(x, ROWS, 2));
    columns.put("y", ArrayValue.ofLongs(y, ROWS));
    ArrowOutput.write(folder.resolve("data.arrow"), columns, true);
    var bound = program.equals("gmm") ? "\"x\": \"x\"" : "\"x\": \"x\", \"y\": \"y\"";
    return Files.writeString(
        folder.resolve(name + ".json"),
        """
        {
          "program": "%s",
          "data": { "path": "data.arrow", "columns": { %s } },
          %s,
          "spark": { "master": "local[1]", "partitions": 2, "backend": "%s" },
          "output": "%s"
        }
        """
            .formatted(MODELS.resolve(program + ".fut"), bound, settings, backend, name));
  }

  /** The substitute is a library of another process. */
  @Tag("slow")
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "logistic | 'threshold': 0.5, 'l2': 0.01 | 'optimiser': {'name': 'l-bfgs'}, 'iterations':"
            + " 4",
        "gmm | 'components': 2, 'floor': 0.001 | 'iterations': 3",
        "mlp | 'hidden': 3, 'classes': 2, 'scale': 1 | 'optimiser': {'name': 'adam', 'rate': 0.01},"
            + " 'batch': {'rows': 20}, 'passes': 2"
      })
  void theModelIsThatOfProcessors(String program, String parameters, String how)
      throws IOException, InterruptedException {
    SubstituteGpu.assumeCompiler();
    var settings = "\"parameters\": {%s}, %s".formatted(parameters, how).replace('\'', '"');
    var jvm = TrainJob.read(job("jvm", program, settings, "jvm"), e -> {}).run(Existing.REFUSE);
    var gpu = SubstituteGpu.in(folder.resolve("gpu"));
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags());
    command.addAll(gpu.options());
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.addAll(List.of("train", job("cuda", program, settings, "cuda").toString()));
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(gpu.environment());
    builder.environment().put("KENAZ_CACHE", folder.resolve("cache").toString());
    var process = builder.start();
    var said = new String(process.getInputStream().readAllBytes());
    assertEquals(0, process.waitFor(), said);
    assertTrue(said.contains("backend cuda"), said);
    assertTrue(Files.exists(folder.resolve("cache")), "no kernel was compiled");
    var there = ModelFolder.open(folder.resolve("cuda")).orElseThrow();
    assertEquals(jvm.losses().size(), there.document().losses().size());
    double close = program.equals("mlp") ? 1e-5 : 1e-9; // It computes with f32.
    for (int i = 0; i < jvm.model().size(); i++) {
      assertArrayEquals(numbers(jvm.model().get(i)), numbers(there.model().get(i)), close, said);
    }
  }

  private static List<String> flags() throws IOException {
    try (var in = Main.class.getResourceAsStream("spark-jvm-flags")) {
      return new String(in.readAllBytes()).lines().toList();
    }
  }

  private static double[] numbers(Value v) {
    return switch (v) {
      case ScalarValue s -> new double[] {s.asDouble()};
      case ArrayValue a -> a.toDoubleArray();
    };
  }

  @Test
  void withoutAGpuNothingBegins() throws IOException {
    assumeFalse(GpuReport.look().usable(), "there is a GPU");
    var events = new ArrayList<TrainEvent>();
    var settings =
        "\"parameters\": {\"threshold\": 0.5, \"l2\": 0}, \"optimiser\": {\"name\": \"l-bfgs\"}";
    var job = TrainJob.read(job("none", "logistic", settings, "cuda"), events::add);
    var fault = assertThrows(UserError.class, () -> job.run(Existing.REFUSE));
    var d = fault.diagnostics().getFirst();
    assertEquals(ErrorCode.K7601, d.code());
    assertTrue(d.hints().toString().contains("\"backend\": \"jvm\""), d.hints().toString());
    assertEquals(List.of(), events);
    assertFalse(Files.exists(folder.resolve("none")));
  }
}
