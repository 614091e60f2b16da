package dev.kenaz.jobs.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.jobs.ExitStatus;
import dev.kenaz.jobs.Main;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** What holds for all commands, and what users' command lines may hold. */
final class CommandLineTest {
  @TempDir Path folder;

  private static List<CommandLine> all(CommandLine command) {
    var found = new ArrayList<>(List.of(command));
    command.getSubcommands().values().forEach(c -> found.addAll(all(c)));
    return found;
  }

  @Test
  void everyNumberHasARangeAndEveryOptionNamesItsValue() {
    int numbers = 0;
    for (var command : all(Main.commandLine())) {
      var spec = command.getCommandSpec();
      for (var argument : spec.args()) {
        var what = spec.qualifiedName() + " " + argument.paramLabel();
        boolean shown = argument.arity().max() > 0;
        assertFalse(shown && argument.paramLabel().matches("<arg\\d+>"), what);
        if (Ranges.NUMERIC.contains(argument.type())
            || argument.typeInfo().getAuxiliaryTypes()[0] == Integer.class) {
          assertNotNull(Ranges.of(argument), what);
          numbers++;
        }
      }
    }
    assertTrue(numbers > 25, "only " + numbers + " numbers found");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "dataset import x.csv out --rows-per-file -5",
        "dataset import x.csv out --rows-per-file 0",
        "dataset import x.csv out --rows-per-file 99999999999999999999",
        "dataset generate blobs out --rows -1",
        "dataset generate blobs out --dimensions 0",
        "dataset generate blobs out --dimensions 2000000000",
        "dataset generate blobs out --spread NaN",
        "dataset generate blobs out --spread 1e400",
        "dataset generate blobs out --files 0",
        "bench x.fut --runs 0",
        "bench x.fut --warm-up -1",
        "bench x.fut --cores 0",
        "bench x.fut --min-seconds Infinity",
        "bench suite --sizes -1",
        "test x.fut --concurrency 0",
        "test x.fut --device -1",
        "run x.fut --checkpoint-memory -1",
        "dev x.fut --statements -1",
        "gpu-test x.fut --within 0",
        "gpu-test x.fut --device 0,-1",
        "check --nonsense x.fut",
      })
  void numbersOutsideTheirRangeMakeNoSense(String line) {
    var told = Told.run(line.split(" "));
    assertEquals(ExitStatus.USAGE, told.status(), told.err());
    assertFalse(told.err().contains("\tat "), told.err());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a\0b", "/", "gone.fut", "link.fut", "."})
  void pathsThatNameNoFile(String name) throws IOException {
    Files.createSymbolicLink(folder.resolve("link.fut"), Path.of("nowhere"));
    var path = name.isEmpty() || name.equals("/") ? name : folder + "/" + name;
    var out = folder.resolve("out").toString();
    var lines =
        List.of(
            List.of("check", path),
            List.of("server", path),
            List.of("run", path),
            List.of("run", "--input", path, path),
            List.of("test", "--seed", "2", path),
            List.of("bench", "--runs", "1", path + "x"),
            List.of("fmt", "--check", path + "x"),
            List.of("doc", "-o", out, path + "x"),
            List.of("script", path, "1"),
            List.of("eval", "-f", path, "1"),
            List.of("dev", path),
            List.of("dev", "--after", "parse", path),
            List.of("train", path),
            List.of("sweep", path),
            List.of("dataset", "import", path, out),
            List.of("dataset", "inspect", path),
            List.of("dataset", "export", path, out),
            List.of("dataset", "generate", "--rows", "1", "blobs", name.equals(".") ? "/" : path));
    for (var line : lines) {
      if (name.equals(".") && List.of("test", "bench", "doc").contains(line.getFirst())) {
        continue; // a folder is as good as a file
      }
      if (line.contains("generate") && name.matches("gone.fut|link.fut")) {
        continue; // it will be made
      }
      if (line.getFirst().equals("test") && name.equals("/")) {
        continue; // a folder: all of the machine
      }
      var told = Told.run(line.toArray(String[]::new));
      var shown = line + " " + told;
      assertTrue(
          told.status() == ExitStatus.USER_ERROR || told.status() == ExitStatus.USAGE, shown);
      assertFalse(told.err().contains("\tat ") || told.err().contains("bug in kenaz"), shown);
    }
  }

  @Test
  void faultsOfExpressionsShowTheExpression() {
    var told = Told.run("eval", "1 + foo");
    assertEquals(ExitStatus.USER_ERROR, told.status());
    assertTrue(told.err().contains("1 + foo"), told.err());
    assertTrue(told.err().contains("^^^"), told.err());
  }

  @Test
  void modulesOfTheLibraryAreRead() {
    var printed = Told.run("doc", "kenaz/vector");
    assertEquals(ExitStatus.OK, printed.status(), printed.err());
    assertTrue(printed.out().contains("def unpack_f64"), printed.out());
    assertEquals(ExitStatus.OK, Told.run("doc", "-o", folder.toString(), "kenaz/vector").status());
    assertTrue(Files.exists(folder.resolve("kenaz/vector.html")));
    var missing = Told.run("doc", "kenaz/nothing");
    assertEquals(ExitStatus.USER_ERROR, missing.status());
    assertTrue(missing.err().contains("the modules that come with Kenaz are"), missing.err());
  }

  @Test
  void importsThatCannotBePaths() throws IOException {
    for (var text :
        List.of("import \"a\0b\"", "import \"a\\0b\"", "open import \"\"", "import \"/\"")) {
      var file = Files.writeString(folder.resolve("i.fut"), text + "\nentry main = 1i32\n");
      var told = Told.run("check", file.toString());
      assertEquals(ExitStatus.USER_ERROR, told.status(), text + told);
      assertFalse(told.err().contains("\tat "), told.err());
    }
  }

  /** All tables of ADBench's files make a folder, one of them a file. */
  @Test
  void tablesBecomeFilesOfAFolder() throws IOException {
    var text = "2 1 2\n0.5\n1 2\n3 4 5\n6 7\n8 9\n1.5 2\n";
    var gmm = Files.writeString(folder.resolve("gmm.txt"), text).toString();
    var out = folder.resolve("gmm").toString();
    var told = Told.run("dataset", "import", gmm, out);
    assertTrue(told.out().contains("2 rows of points"), told.out() + told.err());
    told = Told.run("dataset", "export", out + "/means.arrow", "-");
    assertEquals(new Told(0, "mean_0,mean_1\n1.0,2.0\n", ""), told);
    told = Told.run("dataset", "export", gmm, "-", "--arrays", "means");
    assertEquals(new Told(0, "mean_0,mean_1\n1.0,2.0\n", ""), told);
    told = Told.run("dataset", "import", gmm, out + "2", "--columns", "x");
    assertTrue(told.err().contains("--arrays names one"), told.err());
    told = Told.run("dataset", "import", gmm, out + "3.arrow", "--csr");
    assertTrue(told.err().contains("no format here has --csr"), told.err());
  }

  /** An option of another kind of generated rows, and a kind that doesn't exist, are errors. */
  @Test
  void generatedKindsHaveTheirOptions() throws IOException {
    var out = folder.resolve("made.arrow").toString();
    var told = Told.run("dataset", "generate", "grap", out);
    assertTrue(told.err().contains("did you mean \"graph\"?"), told.err());
    told = Told.run("dataset", "generate", "graph", out, "--noise", "1");
    assertTrue(told.err().contains("--noise is not for graph"), told.err());
    assertFalse(Files.exists(folder.resolve("made.arrow")));
    told = Told.run("dataset", "generate", "--rows", "3", "graph", out, "--nodes", "5");
    assertEquals(0, told.status(), told.err());
    assertEquals("3 rows of graph: " + out + "\n", told.out());
  }

  @Test
  void importTellsParquetFromCsvAndExportWritesToStandardOutput() throws IOException {
    var csv = Files.writeString(folder.resolve("d.csv"), "a,b\n1,2.5\n3,4.5\n");
    var arrow = folder.resolve("d.arrow").toString();
    assertEquals(0, Told.run("dataset", "import", csv.toString(), arrow).status());
    var told = Told.run("dataset", "export", arrow, "-");
    assertEquals(new Told(0, "a,b\n1,2.5\n3,4.5\n", ""), told);
    var word = Files.writeString(folder.resolve("d.doc"), "some words\n");
    told = Told.run("dataset", "import", word.toString(), folder.resolve("o.arrow").toString());
    assertEquals(ExitStatus.USER_ERROR, told.status());
    assertTrue(told.err().contains("K6125"), told.err());
    var twice = new String[] {"dataset", "inspect", arrow, "--columns", "a,a"};
    assertTrue(Told.run(twice).err().contains("named twice"));
    twice = new String[] {"dataset", "import", csv.toString(), "o", "--types", "a=f32,a=i64"};
    assertTrue(Told.run(twice).err().contains("twice"));
  }

  @Test
  void hintsListAFewNames() throws IOException {
    var header = new StringBuilder("c0");
    for (int i = 1; i < 500; i++) {
      header.append(",c").append(i);
    }
    var csv = Files.writeString(folder.resolve("wide.csv"), header + "\n");
    var out = folder.resolve("o.arrow").toString();
    var told = Told.run("dataset", "import", csv.toString(), out, "--columns", "zebra");
    assertTrue(told.err().contains("and 497 more"), told.err());
    assertTrue(told.err().length() < 300, told.err());
  }
}
