package dev.kenaz.jobs.tools.bind;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kenaz.jobs.JavaSources;
import dev.kenaz.jobs.Main;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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
            said.append(b.clash(new Bound.Clash(1, 2, 3, true), 4)).append('\\n');
            said.append(b.ends(new Bound.Segment(points[0], points[1]))[1]).append('\\n');
            said.append(b.middle(b.corners(new Bound.Triangle(points[1], points[0])))).append('\\n');
            said.append(b.record(new Bound.String_(1))).append('\\n');
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
      Clash[a__=1, a_=4, b=3, class_=true]
      Point[x=1.0, y=3.0]
      Point[x=0.5, y=2.0]
      Object_[x=2.0]
      """;

  @Test
  void allKindsOfTypesAndNames(@TempDir Path folder) throws Exception {
    var programs = Files.createDirectories(folder.resolve("programs/main"));
    Files.writeString(
        programs.resolve("../twice.fut").normalize(), "def twice (x: i32) = 2 * x + 1 -- \u00e9\n");
    var text = Files.readString(Path.of("src/test/resources/dev/kenaz/jobs/bound.fut"));
    var imports = "\nlocal import \"../twice\"\nentry imported (x: i32): i32 = twice x\n";
    var file = Files.writeString(programs.resolve("bound.fut"), text + imports);
    assertEquals(SAID, said(folder, file, CALLS));
  }

  /** Binds a program, and returns what the method {@code all} of {@code Calls} returns. */
  private static String said(Path folder, Path program, String calls) throws Exception {
    var output = folder.resolve("java");
    var args = new String[] {"bind", program.toString(), "--package", "p.q", "-o", "" + output};
    assertEquals(0, Main.run(args));
    Files.writeString(output.resolve("p/q/Calls.java"), calls);
    JavaSources.compile(output, output.resolve("p/q/Bound.java"), output.resolve("p/q/Calls.java"));
    try (var loader = new URLClassLoader(new URL[] {output.toUri().toURL()})) {
      return (String) loader.loadClass("p.q.Calls").getMethod("all").invoke(null);
    }
  }

  /** Java limits methods to 64 KiB, constants too, and parameters to 255 slots. */
  @Test
  void largeProgramsAndManyParameters(@TempDir Path folder) throws Exception {
    var text = new StringBuilder("-- \u20ac\n".repeat(12_000) + "\n".repeat(50_000));
    text.append("-- " + "\u20ac".repeat(50_000) + "\n");
    text.append("type most = {%s}\n".formatted(list(127, "x%d: f64", ", ")));
    text.append("type more = {%s}\n".formatted(list(128, "x%d: f64", ", ")));
    text.append("entry most (m: most): most = m with x126 = m.x0\n");
    text.append("entry more (m: more): more = m with x127 = m.x0\n");
    text.append("entry makeMore (x: f64): more = {%s}\n".formatted(list(128, "x%d = x", ", ")));
    text.append("entry last %s: f64 = x126\n".formatted(list(127, "(x%d: f64)", " ")));
    text.append("-- | Many.\nentry many %s: i64 = x127\n".formatted(list(128, "(x%d: i64)", " ")));
    var calls =
        """
        package p.q;

        public final class Calls {
          public static String all() {
            try (var b = new Bound()) {
              var many = new java.util.ArrayList<Long>();
              for (long i = 0; i < 128; i++) {
                many.add(i);
              }
              return b.most(new Bound.Most(%s)).x126()
                  + " "
                  + b.more(b.makeMore(3)).field("x127")
                  + " "
                  + b.last(%s)
                  + " "
                  + b.many(many);
            }
          }
        }
        """
            .formatted(list(127, "%d.5", ", "), list(127, "%d.5", ", "));
    var file = Files.writeString(folder.resolve("bound.fut"), text);
    assertEquals("0.5 3.0f64 126.5 127", said(folder, file, calls));
  }

  private static String list(int n, String each, String between) {
    return IntStream.range(0, n).mapToObj(each::formatted).collect(Collectors.joining(between));
  }

  @Test
  void programsWithoutEntries(@TempDir Path folder) throws Exception {
    var calls =
        """
        package p.q;

        public final class Calls {
          public static String all() {
            try (var b = new Bound()) {
              return "" + b.program().entries();
            }
          }
        }
        """;
    assertEquals("[]", said(folder, Files.createFile(folder.resolve("bound.fut")), calls));
  }

  @Test
  void packagesThatAreNone(@TempDir Path folder) throws Exception {
    var file = Files.writeString(folder.resolve("a.fut"), "entry main (x: i32) = x\n");
    for (var name :
        new String[] {
          "", "a..b", "a.class", "1a", "a/b", "../a", "java", "java.lang", "a.true", "a._"
        }) {
      var args = new String[] {"bind", file.toString(), "--package", name, "-o", folder.toString()};
      assertEquals(2, Main.run(args), name);
    }
  }
}
