package dev.kenaz.jobs;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import javax.tools.ToolProvider;

/** Java source that tests compile. */
public final class JavaSources {
  private JavaSources() {}

  /** Compiles files against the class path of the test; warnings are faults. */
  public static void compile(Path classes, Path... files) {
    var compiler = ToolProvider.getSystemJavaCompiler();
    var said = new StringWriter();
    try (var manager = compiler.getStandardFileManager(null, null, null)) {
      var options =
          List.of(
              "-d",
              classes.toString(),
              "-cp",
              System.getProperty("java.class.path") + ":" + classes,
              "-Xlint:all,-path,-processing,-preview",
              "-Werror",
              "-proc:none");
      boolean ok =
          compiler
              .getTask(said, manager, null, options, null, manager.getJavaFileObjects(files))
              .call();
      assertTrue(ok, said.toString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
