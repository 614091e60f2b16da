package dev.kenaz.jobs.tools.bind;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kenaz.jobs.JavaSources;
import dev.kenaz.jobs.Main;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Classes that {@code kenaz bind} writes are compiled without a warning, and called. */
final class JavaStubTest {
  private static final String CALLS =
      """
      package p.q;

      import java.util.Arrays;

      public final class Calls {
        public static String all() {
          try (var b = new Bound()) {
            var points = new Bound.Point[] {new Bound.Point(0, 1), new Bound.Point(1, 3)};
            var said = new StringBuilder();
            said.append(b.cost(new Bound.Line(1, 2), points)).append('\\n');
            said.append(b.bounds(new double[] {3, 1, 2})).append('\\n');
            said.append(b.new_(200, 4_000_000_000L, true)).append('\\n');
            said.append(b.area(b.make(3))).append('\\n');
            said.append(Arrays.toString(b.areas(b.shapes(3)))).append('\\n');
            said.append(b.t(new Bound.MT(1, true))).append('\\n');
            said.append(b.unit(new Bound.Unit())).append('\\n');
            said.append(Arrays.deepToString(b.constant())).append('\\n');
            said.append(Arrays.toString(b.halves(new float[] {1, 3}, 0.5f).v0())).append('\\n');
            said.append(b.close_(1)).append('\\n');
            var r = new Bound.AnonymousR(7, new boolean[] {true, false});
            said.append(Arrays.toString(b.anonymous(r).c())).append('\\n');
            said.append(Arrays.toString(b.bytes(new byte[] {1, 2, -3}))).append('\\n');
            said.append(b.grid(new Bound.Point[][] {points})[1][0]).append('\\n');
            said.append(b.imported(5)).append('\\n');
            return said.toString();
          }
        }
      }
      """;

  private static final String SAID =
      """
      0.0
      BoundsResult[v0=1.0, v1=BoundsResultV1[v0=3.0, v1=3]]
      4000000200
      9.0
      [0.0, 1.0, 4.0]
      MT[class_=2, ok_=true]
      Unit[]
      [[1, 2], [3, 4]]
      [0.5, 1.5]
      2
      [1, 0]
      [-3, 2, 1]
      Point[x=1.0, y=3.0]
      11
      """;

  @Test
  void allKindsOfTypesAndNames(@TempDir Path folder) throws Exception {
    var text = Files.readString(Path.of("src/test/resources/dev/kenaz/jobs/bound.fut"));
    var programs = Files.createDirectories(folder.resolve("programs/main"));
    Files.writeString(
        programs.resolve("../twice.fut").normalize(), "def twice (x: i32) = 2 * x + 1 -- \u00e9\n");
    var file =
        Files.writeString(
            programs.resolve("bound.fut"),
            text + "\nlocal import \"../twice\"\nentry imported (x: i32): i32 = twice x\n");
    var output = folder.resolve("java");
    var args = new String[] {"bind", file.toString(), "--package", "p.q", "-o", output.toString()};
    assertEquals(0, Main.run(args));
    Files.writeString(output.resolve("p/q/Calls.java"), CALLS);
    JavaSources.compile(output, output.resolve("p/q/Bound.java"), output.resolve("p/q/Calls.java"));
    try (var loader = new URLClassLoader(new URL[] {output.toUri().toURL()})) {
      assertEquals(SAID, loader.loadClass("p.q.Calls").getMethod("all").invoke(null));
    }
  }

  @Test
  void packagesThatAreNone(@TempDir Path folder) throws Exception {
    var file = Files.writeString(folder.resolve("a.fut"), "entry main (x: i32) = x\n");
    for (var name : new String[] {"", "a..b", "a.class", "1a", "a/b", "../a"}) {
      var args = new String[] {"bind", file.toString(), "--package", name, "-o", folder.toString()};
      assertEquals(2, Main.run(args), name);
    }
  }
}
