package dev.kenaz.pipeline;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.cache.KeptFiles;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.jvm.JvmOptions;
import dev.kenaz.jvm.JvmProgram;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class KeptClassesTest {
  private static final Path PROGRAMS = Path.of("src/test/resources/programs");
  private static final CompileOptions OPTIONS = CompileOptions.of(Backend.JVM).onCores(2);
  private static final JvmOptions JVM = JvmOptions.defaults().withWorkers(2);

  @TempDir private Path folder;

  private KeptClasses store(String build, CompileOptions options, JvmOptions jvm) {
    return new KeptClasses(new KeptFiles(folder, ".code", 1 << 30), build, "r", options, jvm);
  }

  private KeptClasses store() {
    return store("build", OPTIONS, JVM);
  }

  private static CoreProgram lowered(String text) {
    return Compiler.run(ProgramSource.of("kept.fut", text), Pipelines.lowered(), OPTIONS).program();
  }

  /** Compiles as the route does. */
  private static JvmProgram made(CoreProgram program) {
    var passes = Pipelines.optimise(OPTIONS).then(Pipelines.LATE).then(Pipelines.jvm(JVM));
    return Compiler.run(program, passes, OPTIONS).program();
  }

  /** Takes the code from the store. */
  private static JvmProgram kept(KeptClasses store, CoreProgram program) {
    return store.code(
        program,
        _ -> {
          throw new AssertionError("it is not kept");
        });
  }

  private static boolean has(KeptClasses store, CoreProgram program) {
    var compiled = new boolean[1];
    store.code(
        program,
        p -> {
          compiled[0] = true;
          return made(p);
        });
    return !compiled[0];
  }

  private List<Path> files() throws IOException {
    try (var all = Files.list(folder)) {
      return all.toList();
    }
  }

  private static final String SQUARES =
      "entry main [n] (xs: [n]f64) = (f64.sum (map (\\x -> x * x) xs), map (+ 1) xs, n)";

  @Test
  void anotherProcessFindsWhatOneHasMade() {
    var text = SQUARES;
    List<Value> arguments = List.of(ArrayValue.ofDoubles(new double[] {1, 2, 3}));
    var first = store().code(lowered(text), KeptClassesTest::made).call("main", arguments);
    var second = kept(store(), lowered(text)).call("main", arguments);
    assertEquals(first, second);
    assertEquals(ScalarValue.f64(14), second.getFirst());
    assertEquals(ScalarValue.i64(3), second.getLast());
  }

  @Test
  void wrongArgumentsAndFaultsAreToldAsBefore() {
    var text = "entry main [n] (i: i64) (xs: [n]f64) (ys: [n]f64) = xs[i] + ys[0]";
    store().code(lowered(text), KeptClassesTest::made);
    var program = kept(store(), lowered(text));
    var one = ArrayValue.ofDoubles(new double[] {1});
    var two = ArrayValue.ofDoubles(new double[] {1, 2});
    var outside = List.of(ScalarValue.i64(7), two, two);
    var sizes = List.of(ScalarValue.i64(0), one, two);
    for (var bad : List.of(outside, sizes)) {
      var expected =
          assertThrows(UserError.class, () -> made(lowered(text)).call("main", bad)).diagnostics();
      var actual = assertThrows(UserError.class, () -> program.call("main", bad)).diagnostics();
      assertEquals(expected, actual);
    }
    assertEquals(
        "kept.fut",
        assertThrows(UserError.class, () -> program.call("main", outside))
            .diagnostics()
            .getFirst()
            .span()
            .file());
  }

  @Test
  void otherProgramsOptionsAndBuildsHaveTheirOwn() {
    var program = lowered(SQUARES);
    assertFalse(has(store(), program));
    assertTrue(has(store(), program));
    assertFalse(has(store("newer", OPTIONS, JVM), program));
    assertFalse(has(store("build", OPTIONS.withLoopMemory(1), JVM), program));
    assertFalse(has(store("build", OPTIONS.without(Set.of("fusion")), JVM), program));
    assertFalse(has(store("build", OPTIONS, JVM.withWorkers(1)), program));
    assertFalse(has(store("build", OPTIONS, JVM.withVectors(JvmOptions.Vectors.OFF)), program));
    assertFalse(has(store(), lowered(SQUARES.replace("+ 1", "+ 2"))));
  }

  @Test
  void damagedFileIsMadeAgain() throws IOException {
    var program = lowered(SQUARES);
    store().code(program, KeptClassesTest::made);
    var file = files().getFirst();
    var whole = Files.readAllBytes(file);
    var changed = whole.clone();
    changed[whole.length / 2] ^= 1;
    for (var bad : List.of(changed, new byte[0], new byte[7], Arrays.copyOf(whole, 40))) {
      Files.write(file, bad);
      assertFalse(has(store(), program));
      assertArrayEquals(whole, Files.readAllBytes(file));
      assertTrue(has(store(), program));
    }
  }

  /** The code has addresses of this process, so another one couldn't use it. */
  @Test
  void codeWithConstantArraysIsNotKept() throws IOException {
    var table = "[" + "3, 1, 4, 1, 5, 9, 2, 6, ".repeat(20) + "5]";
    var program = lowered("entry main (i: i64) = (" + table + " : [161]i32)[i]");
    store().code(program, KeptClassesTest::made);
    assertEquals(List.of(), files());
  }

  @Test
  void compilersInFoldersOfClassesKeepNothing() {
    assertEquals(Optional.empty(), BuildMark.ours());
    assertEquals(Optional.empty(), KeptClasses.of("r", OPTIONS, JVM));
  }

  @Test
  void buildsAreToldApartByTheirClasses() throws IOException {
    var one = jar("one.jar", "dev/kenaz/A.class", "code");
    assertEquals(one, jar("other name.jar", "dev/kenaz/A.class", "code"));
    assertFalse(one.equals(jar("one.jar", "dev/kenaz/A.class", "c0de")));
    assertFalse(one.equals(jar("one.jar", "dev/kenaz/B.class", "code")));
  }

  private String jar(String name, String entry, String content) throws IOException {
    var file = folder.resolve(name);
    try (var out = new ZipOutputStream(Files.newOutputStream(file))) {
      out.putNextEntry(new ZipEntry(entry));
      out.write(content.getBytes());
      out.closeEntry();
    }
    return BuildMark.of(file);
  }

  /** Whatever programs consist of, what is read is what was written. */
  @Test
  void classesOfAllProgramsAreReadAsTheyWere() throws IOException {
    List<Path> programs;
    try (var all =
        Stream.concat(Files.walk(PROGRAMS.resolve("ad")), Files.walk(PROGRAMS.resolve("basic")))) {
      programs = all.filter(f -> f.toString().endsWith(".fut")).sorted().toList();
    }
    int n = 0;
    for (var file : programs) {
      CoreProgram lowered;
      try {
        lowered = Compiler.run(ProgramSource.read(file), Pipelines.lowered(), OPTIONS).program();
      } catch (UserError e) {
        continue; // It tests errors.
      }
      for (var entry : lowered.entries()) {
        var program = lowered.only(entry);
        var code = store().code(program, KeptClassesTest::made).portable(entry.name());
        if (code.isPresent()) {
          var read = kept(store(), program).portable(entry.name()).orElseThrow();
          assertArrayEquals(code.get().classFile(), read.classFile());
          assertEquals(code.get().method(), read.method());
          assertEquals(code.get().params(), read.params());
          assertEquals(code.get().results(), read.results());
          assertEquals(code.get().faults(), read.faults());
          assertEquals(code.get().labels(), read.labels());
          n++;
        }
      }
    }
    assertTrue(n > 50, n + " classes");
  }
}
