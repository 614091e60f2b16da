package dev.kenaz.ml;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.apache.spark.ml.PipelineStage;
import org.junit.jupiter.api.Test;

/** What kenaz.py names of Java is there. PySpark itself isn't, so the file doesn't run in tests. */
final class PythonFileTest {
  private static final Pattern CLASS = Pattern.compile("\"(dev\\.kenaz\\.[A-Za-z.]+)\"");
  private static final Pattern CALL =
      Pattern.compile("_java_obj\\.([A-Za-z]+)\\(|summary\\(\\)\\.([a-z]+)\\(");

  @Test
  void classesAndMethodsAreThere() throws IOException, ClassNotFoundException {
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
    assertTrue(count >= 6);
    estimators.forEach(name -> assertTrue(text.contains("    \"" + name + "\",\n"), name));
    assertEquals(10, estimators.size());
  }
}
