package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K7103;
import static dev.kenaz.error.ErrorCode.K7402;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.kenaz.arrow.ArrowOutput;
import dev.kenaz.distribute.report.Svg;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.config.ConfigReader;
import dev.kenaz.jobs.picture.Chart;
import dev.kenaz.jobs.train.OutputFolder.Existing;
import dev.kenaz.spark.SparkStart;
import dev.kenaz.value.ArrayValue;
import java.awt.image.BufferedImage;
import java.io.File;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;

/** The page about a training: it is well-formed, complete and of bounded size. */
final class ReportTest {
  private static final String LINE =
      """
      -- </pre><script>alert("&amp; ")</script>
      def init : (f64, f64) = (0, 0)
      def value (m: (f64, f64)) (x: f64) = m.0 * x + m.1
      def loss [n] (m: (f64, f64)) (x: [n]f64) (y: [n]f64) : f64 =
        f64.sum (map2 (\\x y -> (value m x - y) ** 2) x y) / f64.i64 n
      def metrics [n] (m: (f64, f64)) (x: [n]f64) (y: [n]f64) : { rows: i64, bias: f64 } =
        { rows = n, bias = m.1 + 0 * x[0] * y[0] }
      def predict [n] (m: (f64, f64)) (x: [n]f64) : [n]RESULT = map (\\x -> ROUND (value m x)) x
      """;

  private static JavaSparkContext spark;

  @TempDir Path folder;

  @BeforeAll
  static void open() {
    spark = SparkStart.open("test", Optional.of("local[2]"));
  }

  @AfterAll
  static void close() {
    spark.close();
  }

  /** Trains a line; y is 2 x - 1, rounded down to classes if that is wanted. */
  private Document train(boolean classes, String more) throws IOException {
    int n = 30;
    var x = new double[n];
    var y = new double[n];
    for (int i = 0; i < n; i++) {
      x[i] = i / 10.0;
      y[i] = classes ? Math.rint(2 * x[i] - 1) : 2 * x[i] - 1;
    }
    var columns = new LinkedHashMap<String, ArrayValue>();
    columns.put("a <b> \"c\"", ArrayValue.ofDoubles(x, n));
    columns.put("y", ArrayValue.ofDoubles(y, n));
    ArrowOutput.write(folder.resolve("data.arrow"), columns, true);
    Files.writeString(
        folder.resolve("line.fut"),
        LINE.replace("RESULT", classes ? "i64" : "f64")
            .replace("ROUND", classes ? "i64.f64 <| f64.round" : ""));
    var document =
        new ObjectMapper()
            .readTree(
                """
                { "program": "line.fut",
                  "data": { "path": "data.arrow",
                            "columns": { "x": "a <b> \\"c\\"", "y": "y" } },
                  "optimiser": { "name": "l-bfgs" }, "spark": { "partitions": 3 },
                  "output": "out"%s }
                """
                    .formatted(more));
    new TrainJob(ConfigReader.train(document, "job"), document, folder, _ -> {})
        .run(Existing.OVERWRITE, spark);
    return page();
  }

  private Document page() throws IOException {
    var text = Files.readString(folder.resolve("out/report.html"));
    assertFalse(text.contains("<script"), "text of the program is markup");
    assertFalse(text.replace("src=\"data:", "").contains("src="), "another file is needed");
    assertFalse(text.contains("href="), "there is a link");
    return parsed(text.replaceFirst("<!DOCTYPE html>", ""));
  }

  private static Document parsed(String xml) throws IOException {
    try {
      var builder = DocumentBuilderFactory.newInstance().newDocumentBuilder();
      return builder.parse(new InputSource(new StringReader(xml)));
    } catch (SAXException | ParserConfigurationException e) {
      throw new AssertionError(e + "\n" + xml, e);
    }
  }

  private static List<Element> elements(Document page, String name) {
    var found = new ArrayList<Element>();
    var nodes = page.getElementsByTagName(name);
    for (int i = 0; i < nodes.getLength(); i++) {
      found.add((Element) nodes.item(i));
    }
    return found;
  }

  private static List<String> texts(Document page, String name) {
    return elements(page, name).stream().map(Element::getTextContent).toList();
  }

  /** Returns how many points the curves of a picture have. */
  private static List<Integer> points(Document page, String title) {
    var picture =
        elements(page, "svg").stream()
            .filter(s -> s.getTextContent().strip().startsWith(title))
            .findFirst()
            .orElseThrow();
    var paths = picture.getElementsByTagName("path");
    var counts = new ArrayList<Integer>();
    for (int i = 0; i < paths.getLength(); i++) {
      var path = (Element) paths.item(i);
      if (path.getAttribute("fill").equals("none")) {
        counts.add(path.getAttribute("d").split(" ").length);
      }
    }
    return counts;
  }

  @Test
  void aReportHasEverything() throws IOException {
    var page =
        train(
            false,
            ", \"report\": { \"label\": \"y\" }, \"validation\": { \"split\": 0.3 },"
                + " \"checkpoint\": { \"every\": 2 }");
    assertEquals(
        List.of(
            "Curves",
            "Time by stage",
            "Fit",
            "Plan of an iteration",
            "Data",
            "Configuration",
            "Program"),
        texts(page, "h2"));
    int iterations =
        (int)
            EventsFile.read(folder.resolve("out")).stream()
                .filter(TrainEvent.Iteration.class::isInstance)
                .count();
    assertEquals(List.of(iterations, iterations), points(page, "Loss"));
    assertEquals(List.of(iterations - 1), points(page, "Length of the step"));
    assertEquals(List.of(iterations), points(page, "validation bias"));
    var texts = texts(page, "pre");
    assertTrue(texts.getLast().contains("</pre><script>alert(\"&amp; \")</script>"), "program");
    assertEquals("line.fut", new ObjectMapper().readTree(texts.getFirst()).get("program").asText());
    var cells = texts(page, "td");
    assertTrue(cells.contains("a <b> \"c\""), cells.toString());
    assertTrue(cells.contains("21 rows in 3 pieces"), cells.toString());
    var plan = elements(page, "img").getFirst().getAttribute("src");
    var svg = new String(Base64.getDecoder().decode(plan.substring(plan.indexOf(',') + 1)));
    assertFalse(elements(parsed(svg), "text").isEmpty());
    assertEquals(9, circles(page), "9 rows are held back, and all of them predicted");
    assertTrue(Files.exists(Report.write(folder.resolve("out"))), "it can be made again");
    assertEquals(iterations, points(page(), "Loss").getFirst());
  }

  private static int circles(Document page) {
    return (int)
        elements(page, "circle").stream().filter(c -> c.hasAttribute("fill-opacity")).count();
  }

  @Test
  void classesAreATable() throws IOException {
    var page = train(true, ", \"report\": { \"label\": \"y\" }, \"iterations\": 1");
    var table =
        elements(page, "table").stream()
            .filter(t -> t.getAttribute("class").equals("confusion"))
            .findFirst()
            .orElseThrow();
    var rows = table.getElementsByTagName("tr");
    int all = 0;
    for (int i = 1; i < rows.getLength(); i++) {
      var cells = ((Element) rows.item(i)).getElementsByTagName("td");
      assertEquals(rows.getLength(), cells.getLength());
      for (int j = 1; j < cells.getLength(); j++) {
        all += Integer.parseInt(cells.item(j).getTextContent());
      }
    }
    assertEquals(30, all);
    assertEquals(8, rows.getLength(), "classes from -1 to 5, and a header");
    assertTrue(texts(page, "td").contains("2.9"), "the greatest x");
    assertEquals(List.of(2), points(page, "Loss"), "one iteration and the start");
  }

  @Test
  void aReportNeedsWhatItCompares() {
    var e = assertThrows(UserError.class, () -> train(false, ", \"report\": { \"label\": \"z\" }"));
    assertEquals(K7402, e.diagnostics().getFirst().code());
    var none = assertThrows(UserError.class, () -> Report.write(folder));
    assertEquals(K7103, none.diagnostics().getFirst().code());
  }

  /** Writes events without a training, and returns the page that is made of them. */
  private Document made(List<? extends TrainEvent> events) throws IOException {
    var output = new OutputFolder(Files.createDirectories(folder.resolve("out")));
    try (var file = EventsFile.of(output, false)) {
      events.forEach(file);
    }
    Report.write(output.path());
    return page();
  }

  private static TrainEvent.Iteration step(int i, Double loss, Map<String, Number> metrics) {
    return new TrainEvent.Iteration(i, loss, null, metrics, loss, 1e-3 / (i + 1), 0.1, 10, null);
  }

  @ParameterizedTest
  @CsvSource({"1, 0", "5, 0", "-3, 1", "NaN, 0", "Infinity, 1", "1e308, -2e308", "-1e-300, 0"})
  void strangeLosses(double first, double slope) throws IOException {
    var events = new ArrayList<TrainEvent>();
    for (int i = 0; i < 4; i++) {
      events.add(step(i, first + i * slope, Map.of("\"a\" & <b>", Double.NaN, "b", -1.0 * i)));
    }
    events.add(new TrainEvent.Failed(null));
    var page = made(events);
    var finite = Double.isFinite(first) && Double.isFinite(first + 3 * slope);
    var text = Files.readString(folder.resolve("out/report.html"));
    for (var bad : List.of("\"NaN", "NaN,", ",NaN", "Infinity", "LNaN")) {
      var pictures = text.substring(text.indexOf("<svg"), text.lastIndexOf("</svg>"));
      assertFalse(pictures.contains(bad), bad + pictures);
    }
    if (finite) {
      assertEquals(List.of(4), points(page, "Loss"));
    }
  }

  @Test
  void aLongTrainingHasAShortReport() throws IOException {
    var events = new ArrayList<TrainEvent>();
    for (int i = 0; i <= 10_000; i++) {
      events.add(step(i, i == 5003 ? 1e6 : 1.0 / (i + 1), Map.of("m", Math.sin(i))));
    }
    var page = made(events);
    int points = points(page, "Loss").getFirst();
    assertTrue(points > 300 && points <= Chart.POINTS, "points: " + points);
    assertTrue(Files.size(folder.resolve("out/report.html")) < 200_000);
    var ticks = texts(page, "text");
    assertTrue(ticks.contains("10000"), ticks.toString());
    assertTrue(ticks.contains("1e+06"), "the peak is there: " + ticks);
  }

  /** Where there is a browser, each picture shows what its curve is. */
  @Test
  void aPictureHasItsCurve() throws Exception {
    made(IntStream.range(0, 9).mapToObj(i -> step(i, 9.0 - i, Map.of("m", 0.1 * i))).toList());
    var text = Files.readString(folder.resolve("out/report.html"));
    var found = Pattern.compile("<svg.*?</svg>", Pattern.DOTALL).matcher(text).results();
    var pictures = found.map(MatchResult::group).toList();
    assertEquals(5, pictures.size());
    var page = new StringBuilder("<body style=\"margin: 0\">");
    pictures.forEach(svg -> page.append("<div style=\"height: 400px\">" + svg + "</div>"));
    var shown = shown(Files.writeString(folder.resolve("pictures.html"), page), 600, 2000);
    for (int i = 0; i < 5; i++) {
      int blue = count(shown.getSubimage(0, 400 * i, 600, 400), 0x1f5fa8);
      assertTrue(blue > 40 && blue < 20_000, "points of the curve: " + blue);
    }
  }

  /** Where there is a browser, it shows all of the page in windows of any width. */
  @ParameterizedTest
  @ValueSource(ints = {500, 1200, 2400})
  void aBrowserShowsThePage(int width) throws Exception {
    var config = new ObjectMapper().createObjectNode();
    var plan = new Svg().rect(0, 0, 50, 50, "#123456", "").picture(900, 60, "");
    var name = "a_metric_with_a_name_that_does_not_end_".repeat(5);
    var classes = IntStream.range(0, 20).mapToObj(Long::valueOf).toList();
    var counts = classes.stream().map(c -> Collections.nCopies(20, c == 3 ? 50L : 0L)).toList();
    made(
        List.of(
            new TrainEvent.Job(config, Map.of("x/" + name, "-- " + name.repeat(9)), plan),
            step(0, 2.0, Map.of(name, 1.0)),
            step(1, 1.0, Map.of(name, Double.NaN)),
            new TrainEvent.Warning(name),
            new TrainEvent.Fit("y", "training", 1000, classes, counts, List.of())));
    var shown = shown(folder.resolve("out/report.html"), width, 3000);
    assertTrue(count(shown, 0x1f5fa8) > 200, "points of the curves: " + count(shown, 0x1f5fa8));
    assertTrue(count(shown, 0x123456) > 500, "the plan");
    var aside = shown.getSubimage(width - 8, 0, 8, shown.getHeight());
    assertEquals(8 * shown.getHeight(), count(aside, 0xffffff), "nothing is beyond the window");
  }

  /** Returns what a browser shows of a page; without a browser, the test is left out. */
  private BufferedImage shown(Path page, int width, int height) throws Exception {
    var png = folder.resolve("page.png");
    var process =
        new ProcessBuilder(
                browser(),
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--hide-scrollbars",
                "--force-color-profile=srgb",
                "--user-data-dir=" + Files.createTempDirectory(folder, "browser"),
                "--window-size=" + width + "," + height,
                "--screenshot=" + png,
                page.toUri().toString())
            .redirectErrorStream(true)
            .start();
    var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), said);
    return ImageIO.read(png.toFile());
  }

  private static String browser() {
    var folders = System.getenv("PATH").split(File.pathSeparator);
    return Stream.of("chromium", "chromium-browser", "google-chrome")
        .flatMap(name -> Arrays.stream(folders).map(f -> Path.of(f, name)))
        .filter(Files::isExecutable)
        .map(Path::toString)
        .findFirst()
        .orElseGet(() -> abort("neither chromium nor google-chrome is on the PATH"));
  }

  private static int count(BufferedImage image, int colour) {
    int count = 0;
    for (int x = 0; x < image.getWidth(); x++) {
      for (int y = 0; y < image.getHeight(); y++) {
        count += (image.getRGB(x, y) & 0xffffff) == colour ? 1 : 0;
      }
    }
    return count;
  }

  @Test
  void ofAnInterruptedTraining() throws IOException {
    var page = made(List.of(step(0, 2.0, Map.of()), step(1, 1.0, Map.of())));
    assertTrue(texts(page, "td").contains("not ended"));
  }
}
