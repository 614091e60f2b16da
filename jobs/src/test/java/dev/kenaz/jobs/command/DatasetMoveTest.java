package dev.kenaz.jobs.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands of datasets, with options for what happens to rows on their way. */
final class DatasetMoveTest {
  @TempDir private Path folder;

  @BeforeEach
  void prepare() throws IOException {
    Files.writeString(folder.resolve("a.csv"), "id,x,name\n1,0.5,AA\n2,,\"B, B\"\n3,2.5,AA\n");
    Files.writeString(folder.resolve("b.csv"), "id,x,name\n4,3.5,CC\n");
  }

  /** Runs a command whose words with {@code @} are paths in the folder. */
  private Told run(String... words) {
    var all = new ArrayList<>(List.of("dataset"));
    for (var w : words) {
      all.add(w.startsWith("@") ? folder.resolve(w.substring(1)).toString() : w);
    }
    return Told.run(all.toArray(String[]::new));
  }

  private void assertFails(String message, String... words) {
    var told = run(words);
    assertEquals(2, told.status(), told.err());
    assertTrue(told.err().contains(message), told.err());
  }

  @Test
  void rowsAreChangedFromCsvToAnyFormat() throws IOException {
    var words = "--missing drop --where id<4 --cast x=f32 --dictionary name --rename x=y";
    var all = new ArrayList<>(List.of("convert", "@a.csv", "@b.csv", "@out.jsonl", "--quiet"));
    all.addAll(List.of(words.split(" ")));
    assertEquals(0, run(all.toArray(String[]::new)).status());
    assertEquals(
        "{\"id\":1,\"y\":0.5,\"name\":0}\n{\"id\":3,\"y\":2.5,\"name\":0}\n",
        Files.readString(folder.resolve("out.jsonl")));
  }

  @Test
  void typesAreToldOfJson() throws IOException {
    Files.writeString(
        folder.resolve("a.jsonl"),
        "{\"id\": \"9007199254740993\", \"x\": [0.1, 2]}\n{\"id\": null, \"x\": [3, 4]}\n");
    var types = List.of("--types", "id=u64,x=f32");
    var words = new ArrayList<>(List.of("import", "@a.jsonl", "@j.arrow", "--quiet"));
    words.addAll(types);
    assertFails("column \"id\" is null in row 1", words.toArray(String[]::new));
    words.addAll(List.of("--missing", "drop"));
    assertEquals(0, run(words.toArray(String[]::new)).status());
    assertEquals("id,x_0,x_1\n9007199254740993,0.1,2.0\n", run("export", "@j.arrow", "-").out());
    assertTrue(run("inspect", "@j.arrow").out().contains("f32"));
    assertFails("a.jsonl:1:8", "import", "@a.jsonl", "@none.arrow", "--types", "id=u32");
    assertFails("no column \"y\"", "import", "@a.jsonl", "@none.arrow", "--types", "y=u32");
    assertFails(
        "for CSV alone there is --type", "import", "@a.jsonl", "@none.arrow", "--type", "f32");
    assertFalse(Files.exists(folder.resolve("none.arrow")));
  }

  @Test
  void standardOutputGetsTheRowsInTheSameOrderAsAFile() throws IOException {
    var lines = new StringBuilder("id\n");
    for (int i = 0; i < 100; i++) {
      lines.append(i).append('\n');
    }
    Files.writeString(folder.resolve("many.csv"), lines);
    assertEquals(0, run("convert", "@many.csv", "@mixed.csv", "--shuffle", "1").status());
    var mixed = Files.readString(folder.resolve("mixed.csv"));
    assertNotEquals(lines.toString(), mixed);
    assertEquals(0, run("import", "@many.csv", "@many.arrow").status());
    assertEquals(mixed, run("export", "@many.arrow", "-", "--shuffle", "1").out());
  }

  @Test
  void anUnknownOptionIsNamedWhereverItStands() {
    for (var words :
        List.of("import @a.csv @o.arrow --mising drop", "import --mising drop @a.csv")) {
      var told = run(words.split(" "));
      assertEquals(64, told.status(), told.err());
      assertTrue(told.err().contains("'--mising'"), told.err());
    }
    assertTrue(run("import", "@a.csv").err().contains("Missing required parameter: 'PATH'"));
  }

  @Test
  void aFolderIsDividedValidatedAndExported() throws IOException {
    assertEquals(
        0,
        run("import", "@a.csv", "@b.csv", "@d", "--missing", "nan", "--split", "0.5,0.5").status());
    for (var share : List.of("train", "test")) {
      var told = run("validate", "@d/" + share);
      assertTrue(told.out().contains("as the manifest says"), told.out() + told.err());
    }
    assertEquals(0, run("import", "@a.csv", "@b.csv", "@e", "--missing", "null").status());
    var told = run("export", "@e", "-");
    assertEquals("id,x,name\n1,0.5,AA\n2,,\"B, B\"\n3,2.5,AA\n4,3.5,CC\n", told.out());
    assertEquals(
        "id,x,name\n1,0.5,AA\n3,2.5,AA\n4,3.5,CC\n",
        run("export", "@e", "-", "--drop-nulls").out());
    assertEquals(0, run("convert", "@e", "@e.parquet").status());
    assertEquals(told.out(), run("export", "@e.parquet", "-").out());
    Files.delete(folder.resolve("e/part-00001.arrow"));
    assertFails("part-00001.arrow is missing", "validate", "@e");
  }

  @Test
  void whatCantBeDoneIsAnErrorAndLeavesNothing() {
    assertFails("a.csv:3:1", "import", "@a.csv", "@none.arrow");
    assertFails("--to is one of", "convert", "@a.csv", "@none", "--to", "xml");
    assertFails("add up to 1", "import", "@a.csv", "@none", "--missing", "nan", "--split", "1,1");
    assertFails(
        "two or three parts", "import", "@a.csv", "@none", "--missing", "nan", "--split", "1");
    assertFails(
        "--resume is for folders",
        "import",
        "@a.csv",
        "@none.arrow",
        "--missing",
        "nan",
        "--resume");
    assertFails(
        "no column \"nam\"",
        "import",
        "@a.csv",
        "@none",
        "--missing",
        "nan",
        "--dictionary",
        "nam");
    assertFails("names \"x\" twice", "import", "@a.csv", "@none", "--cast", "x=f32,x=i8");
    assertFails("takes NAME=VALUE", "import", "@a.csv", "@none", "--rename", "x=");
    assertFails("its name says parquet", "import", "@a.csv", "@none.parquet");
    assertFails("its name says csv", "generate", "blobs", "@none.csv");
    assertFalse(Files.exists(folder.resolve("none.parquet")));
    assertFalse(Files.exists(folder.resolve("none")));
    assertFalse(Files.exists(folder.resolve("none.arrow")));
  }
}
