package dev.kenaz.ir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.pipeline.ProgramSource;
import java.lang.reflect.ParameterizedType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class FingerprintTest {
  /** Accumulators, loops, a function that calls itself, a sum type, and a derivative to be. */
  private static final String PROGRAM =
      """
      type shape = #circle f64 | #square f64
      def area (s: shape) = match s case #circle r -> 3 * r * r case #square a -> a * a
      def collatz (n: i64) : i64 =
        (loop (k, n) = (0, n) while n > 1 do
           if n % 2 == 0 then (k + 1, n / 2) else (k + 1, 3 * n + 1)).0
      entry areas [n] (xs: [n]f64) = map (\\x -> area (if x < 0 then #circle x else #square x)) xs
      entry slopes [n] (xs: [n]f64) = vjp (\\xs -> f64.sum (map2 (*) xs xs)) xs 1
      entry counts [n] (is: [n]i64) = reduce_by_index (replicate 4 0) (+) 0 is (map collatz is)
      entry at [n] (i: i64) (xs: [n]f64) = trace xs[i]
      """;

  private static String of(String name, String text) {
    var lowered =
        Compiler.run(
            ProgramSource.of(name, text), Pipelines.lowered(), CompileOptions.of(Backend.JVM));
    return Fingerprint.of(lowered.program());
  }

  private static String of(String text) {
    return of("a.fut", text);
  }

  @Test
  void theSameTextHasTheSameFingerprintEachTime() {
    assertEquals(of(PROGRAM), of(PROGRAM));
  }

  /** Also what only messages tell, such as where a program lies, is part of the code. */
  @Test
  void whateverChangesTheProgramChangesIt() {
    var changes =
        List.of(
            PROGRAM.replace("3 * r * r", "3 * r / r"),
            PROGRAM.replace("3 * r * r", "4 * r * r"),
            PROGRAM.replace("(k + 1, n / 2)", "(n / 2, k + 1)"),
            PROGRAM.replace("replicate 4 0", "replicate 5 0"),
            PROGRAM.replace("f64", "f32"),
            PROGRAM.replace("entry at [n] (i: i64)", "entry at [n] (j: i64)").replace("[i]", "[j]"),
            PROGRAM.replace("entry at", "entry on"),
            PROGRAM.replace("xs[i]", "xs[ i]"),
            PROGRAM.replace("vjp", "#[x] vjp"));
    var all = new HashSet<>(Set.of(of(PROGRAM), of("b.fut", PROGRAM)));
    assertEquals(2, all.size());
    for (var changed : changes) {
      assertNotEquals(PROGRAM, changed);
      assertTrue(all.add(of(changed)), changed);
    }
  }

  /** Uses of one variable differ from those of another of the same type. */
  @Test
  void variablesAreToldApart() {
    var program = "entry f (x: f64) (y: f64) = (x + y) / (x * y) - %s";
    var all = Stream.of("x", "y", "(x + y)", "(y + x)", "(x * y)").map(program::formatted);
    assertEquals(5, all.map(FingerprintTest::of).distinct().count());
  }

  /** There is nothing in any program that has no place in a fingerprint. */
  @Test
  void allThatProgramsConsistOfIsKnown() {
    var met = new HashSet<Class<?>>();
    visit(CoreProgram.class, met);
    assertTrue(met.contains(Exp.WithVjp.class) && met.contains(Type.Acc.class), met.toString());
    for (var c : met) {
      boolean known =
          c.isRecord()
              || c.isInterface()
              || c.isEnum()
              || List.of(int.class, long.class, boolean.class, Integer.class, String.class)
                  .contains(c);
      assertTrue(known, c.toString());
      assertTrue(!c.isInterface() || c.isSealed() || c == List.class, c.toString());
    }
  }

  private static void visit(java.lang.reflect.Type type, Set<Class<?>> met) {
    if (type instanceof ParameterizedType p) {
      assertTrue(Set.of(List.class, Optional.class).contains(p.getRawType()), p.toString());
      visit(p.getActualTypeArguments()[0], met);
      return;
    }
    var c = (Class<?>) type;
    if (!met.add(c)) {
      return;
    }
    var parts = new ArrayList<java.lang.reflect.Type>();
    if (c.isRecord()) {
      for (var component : c.getRecordComponents()) {
        parts.add(component.getGenericType());
      }
    } else if (c.isSealed()) {
      parts.addAll(List.of(c.getPermittedSubclasses()));
    }
    parts.forEach(p -> visit(p, met));
  }
}
