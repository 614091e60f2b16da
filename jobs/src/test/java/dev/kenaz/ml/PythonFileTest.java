package dev.kenaz.ml;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.connect.FunctionCommand;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.ServiceLoader;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.apache.spark.ml.Estimator;
import org.apache.spark.ml.PipelineStage;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** What kenaz.py names of Java is there. PySpark itself isn't, so the file doesn't run in tests. */
final class PythonFileTest {
  private static final Pattern CLASS = Pattern.compile("\"(dev\\.kenaz\\.[A-Za-z.]+)\"");
  private static final Pattern CALL =
      Pattern.compile("_java_obj\\.([A-Za-z]+)\\(|summary\\(\\)\\.([a-z]+)\\(");

  @Test
  void classesAndMethodsAreThere() throws IOException, ReflectiveOperationException {
    var text = Files.readString(Path.of("src/main/python/kenaz.py"));
    var estimators = new TreeSet<String>();
    var found = CLASS.matcher(text);
    while (found.find()) {
      var type = Class.forName(found.group(1));
      if (PipelineStage.class.isAssignableFrom(type)) {
        estimators.add(type.getSimpleName());
      }
    }
    var methods = new TreeSet<String>();
    for (var c : new Class<?>[] {KenazEstimator.class, KenazModel.class, TrainingSummary.class}) {
      Arrays.stream(c.getMethods()).forEach(m -> methods.add(m.getName()));
    }
    var calls = CALL.matcher(text);
    int count = 0;
    while (calls.find()) {
      var name = calls.group(1) == null ? calls.group(2) : calls.group(1);
      assertTrue(methods.contains(name), name);
      count++;
    }
    assertTrue(count >= 5);
    estimators.forEach(name -> assertTrue(text.contains("    \"" + name + "\",\n"), name));
    assertEquals(10, estimators.size());
    assertTrue(text.contains("dev.kenaz.connect.FunctionCommand"));
    FunctionCommand.class.getMethod("run", SparkSession.class, String.class);
  }

  /** All estimators for servers of Spark Connect are in the file, and what they are read by. */
  @Test
  @SuppressWarnings("rawtypes") // The service loader knows no type arguments.
  void estimatorsAreForServersToo() throws IOException {
    var text = Files.readString(Path.of("src/main/python/kenaz.py"));
    int count = 0;
    for (var found : ServiceLoader.load(Estimator.class)) {
      var name = found.getClass().getName();
      if (name.startsWith("dev.kenaz.")) {
        assertTrue(text.contains("\"" + name + "\""), name);
        count++;
      }
    }
    assertEquals(9, count);
  }

  @Test
  void pythonReadsTheFile() throws IOException, InterruptedException {
    Process python;
    try {
      python =
          new ProcessBuilder(
                  "python3",
                  "-c",
                  "import ast, sys; ast.parse(open(sys.argv[1], encoding='utf-8').read())",
                  "src/main/python/kenaz.py")
              .redirectErrorStream(true)
              .start();
    } catch (IOException e) {
      Assumptions.abort("there is no python3: " + e.getMessage());
      return;
    }
    var said = new String(python.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, python.waitFor(), said);
  }
}
