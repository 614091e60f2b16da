package dev.kenaz.jobs.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.jobs.tools.doc.Documentation;
import dev.kenaz.jobs.tools.repl.Repl;
import dev.kenaz.jobs.tools.repl.Session;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ReplTest {
  @TempDir Path folder;

  private static String talk(String... lines) throws IOException {
    var out = new StringWriter();
    var session = new Session(CompileOptions.of(Backend.INTERPRET));
    new Repl(session, new PrintWriter(out), false)
        .run(new BufferedReader(new StringReader(String.join("\n", lines))));
    return out.toString();
  }

  @Test
  void expressionsDefinitionsAndTypes() throws IOException {
    assertEquals(
        """
        3i32
        10i32
        6i32
        f : i32 -> i32
        (1i32, {a = true, b = [1.5f64]})
        #some 3i32
        """,
        talk(
            "1 + 2",
            "def f (x: i32) = x * 2",
            "f 5",
            "let x = 5 in x + 1",
            ":type f",
            "(1, {a = true, b = [1.5]})",
            "#some 3 : #none | #some i32",
            ":quit",
            "1"));
  }

  @Test
  void whatIsNotCompleteGoesOnInTheNextLine() throws IOException {
    assertEquals(
        "4i32\n(1i32, 2i32)\n3i32\n",
        talk("def h (x: i32) =", "  let z = x", "  in z + 1", "h 3", "(1,", " 2)", "1 +", "2"));
    var told = talk("1 +", ":type 2", "def g =", "", "3");
    assertTrue(told.contains("K0101"), told);
    assertTrue(told.endsWith("3i32\n") && told.contains("2 : i32"), told);
  }

  @Test
  void faultsDoNotEndTheTalk() throws IOException {
    var told =
        talk("1 + true", "[1, 2][5]", "def g =", ":nosuch", ":load /nosuch.fut", "i32.sum", "4");
    assertTrue(told.contains("out of bounds"), told);
    assertTrue(told.contains("<function>"), told);
    assertTrue(told.endsWith("4i32\n"), told);
  }

  @Test
  void loadsPrograms() throws IOException {
    var file = Files.writeString(folder.resolve("p.fut"), "def triple (x: i32) = 3 * x\n");
    assertTrue(talk(":load " + file, "triple 4").endsWith("12i32\n"));
  }

  @Test
  void pages() throws IOException {
    var file =
        Files.writeString(
            folder.resolve("lib.fut"),
            """
            -- | A library.

            -- | Adds `a` and **b** if a < b.
            def add [n] (a: [n]i32) (b: [n]i32) : [n]i32 = map2 (+) a b

            -- | Numbers.
            module type number = {
              -- | The type.
              type t
              val zero : t
            }

            local def hidden = 1
            """);
    var source = new Documentation.Source(file, Files.readString(file));
    Documentation.write(List.of(source), folder.resolve("out"));
    var page = Files.readString(folder.resolve("out/lib.html"));
    assertTrue(page.contains("def add [n] (a: [n]i32) (b: [n]i32) : [n]i32"), page);
    assertTrue(page.contains("<code>a</code> and <strong>b</strong> if a &lt; b."), page);
    assertTrue(page.contains("The type."), page);
    assertTrue(!page.contains("hidden"), page);
    assertTrue(Files.readString(folder.resolve("out/index.html")).contains("lib.html"));
  }
}
