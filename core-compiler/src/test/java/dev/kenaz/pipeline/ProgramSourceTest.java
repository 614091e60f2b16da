package dev.kenaz.pipeline;

import static dev.kenaz.error.ErrorCode.K1010;
import static dev.kenaz.error.ErrorCode.K1100;
import static dev.kenaz.error.ErrorCode.K1103;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProgramSourceTest {
  private static final String POINTER =
      """
      version https://git-lfs.github.com/spec/v1
      oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393
      size 12345
      """;

  @TempDir Path folder;

  private Path file(String name, String text) throws IOException {
    var file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }

  private static Diagnostic fault(Path file) {
    return assertThrows(UserError.class, () -> ProgramSource.read(file)).diagnostics().getFirst();
  }

  @Test
  void nearestFile() throws IOException {
    file("vector.fut", "def x = 1");
    file("vector.txt", "");
    var d = fault(file("main.fut", "import \"vektor\""));
    assertEquals(K1100, d.code());
    assertEquals("did you mean \"vector\"?", d.hints().getFirst());
    assertTrue(d.span().known());
    assertEquals("did you mean \"main\"?", fault(folder.resolve("mian.fut")).hints().getFirst());
  }

  @Test
  void nearestFolder() throws IOException {
    file("library/deep/vector.fut", "def x = 1");
    var d = fault(file("main.fut", "module m = import \"librery/deep/vector\""));
    assertEquals("did you mean \"library\"?", d.hints().getFirst());
  }

  @Test
  void nothingNear() throws IOException {
    var d = fault(file("main.fut", "import \"nowhere\""));
    assertEquals(K1100, d.code());
    assertTrue(d.hints().isEmpty());
  }

  @Test
  void danglingLink() throws IOException {
    Files.createSymbolicLink(folder.resolve("lib.fut"), Path.of("gone.fut"));
    var imported = fault(file("main.fut", "import \"lib\""));
    assertEquals(K1100, imported.code());
    assertTrue(imported.message().endsWith("lib.fut is a link to gone.fut, which does not exist"));
    assertTrue(fault(folder.resolve("lib.fut")).message().contains("is a link to gone.fut"));
  }

  @Test
  void linkThroughMissingFolder() throws IOException {
    Files.createSymbolicLink(folder.resolve("lib"), Path.of("gone"));
    var d = fault(file("main.fut", "import \"lib/a\""));
    assertEquals(K1100, d.code());
    assertTrue(d.message().contains("lib is a link to gone, which does not exist"), d.message());
  }

  @Test
  void library() throws IOException {
    var text = "open import \"kenaz/vector\" module v = import \"kenaz/vector\" def f = v.pack_f32";
    var program = ProgramSource.read(file("main.fut", text));
    assertEquals(Set.of(program.root()), program.files().keySet());
    Compiler.check(program);
    Compiler.check(ProgramSource.of("main.fut", text));
    var vector = program.resolve(program.root(), "kenaz/vector", Span.NONE);
    assertEquals("<library>/kenaz/vector.fut", vector.name());
    assertTrue(program.text(vector.name()).orElseThrow().contains("def pack_f32"));
  }

  @Test
  void ownFileBeforeLibrary() throws IOException {
    var own =
        file("kenaz/vector.fut", "import \"kenaz/vector\" def own = i32.f32 (pack_f32 1f32)[0]");
    file("sub/other.fut", "import \"kenaz/vector\" def n (x: []f32) = length (pack_f32 x)");
    var program =
        ProgramSource.read(
            file(
                "main.fut",
                "import \"kenaz/vector\" import \"sub/other\" def main xs = i64.i32 own + n xs"));
    assertTrue(program.files().containsKey(own.toString()));
    Compiler.check(program);
    // what is beside the importing file counts, also where there is no folder
    var texts = Map.of("a.fut", "import \"kenaz/vector\" def x = own");
    var withOwn = Map.of("a.fut", texts.get("a.fut"), "kenaz/vector.fut", "def own = 1i32");
    Compiler.check(new ProgramSource("a.fut", withOwn));
    assertThrows(UserError.class, () -> Compiler.check(new ProgramSource("a.fut", texts)));
  }

  @Test
  void brokenOwnFileIsNoLibrary() throws IOException {
    Files.createDirectories(folder.resolve("kenaz"));
    Files.createSymbolicLink(folder.resolve("kenaz/vector.fut"), Path.of("gone.fut"));
    var d = fault(file("main.fut", "import \"kenaz/vector\""));
    assertTrue(d.message().contains("is a link to gone.fut"), d.message());
  }

  @Test
  void unknownModuleOfLibrary() throws IOException {
    var text = "import \"kenaz/vektor\"";
    var read = fault(file("main.fut", text));
    var given =
        assertThrows(UserError.class, () -> Compiler.check(ProgramSource.of("main.fut", text)))
            .diagnostics()
            .getFirst();
    for (var d : List.of(read, given)) {
      assertEquals(K1100, d.code());
      assertEquals(1, d.span().line());
      assertEquals("did you mean \"kenaz/vector\"?", d.hints().getFirst());
      assertTrue(d.hints().getLast().contains("the modules that come with Kenaz are"));
    }
  }

  @Test
  void importCycleThroughOwnFile() throws IOException {
    file("kenaz/vector.fut", "import \"../main\"");
    var program = ProgramSource.read(file("main.fut", "import \"kenaz/vector\""));
    var e = assertThrows(UserError.class, () -> Compiler.check(program));
    assertEquals(K1010, e.diagnostics().getFirst().code());
  }

  @Test
  void pointers() throws IOException {
    file("lib.fut", POINTER);
    var imported = fault(file("main.fut", "import \"lib\""));
    assertEquals(K1103, imported.code());
    assertEquals(1, imported.span().line());
    assertEquals(K1103, fault(folder.resolve("lib.fut")).code());
  }
}
