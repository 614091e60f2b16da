package dev.kenaz.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.kenaz.interpret.Interpreter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.testing.Seeds;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueComparison;
import java.io.IOException;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Long straight code, in loops, branches and maps, means the same in every mode, and no method of
 * it is too large for HotSpot to compile.
 */
final class LongCodeTest {
  private static final Path PROGRAMS = Path.of("src/test/resources/programs/larger");

  @TempDir private Path folder;

  @Test
  void aBrownianBridgeInALoopIsCompiled() throws IOException {
    var text = Files.readString(PROGRAMS.resolve("brownian_bridge.fut"));
    assertTrue(longest(Optimised.text(text)) <= 8000);
  }

  @Test
  void manyParallelLoops() throws IOException {
    var text = new StringBuilder("entry main (xs: [20]i64) : i64 =\n  let s = 0\n");
    for (int k = 0; k < 250; k++) {
      text.append(
          "  let s = s + i64.sum (map (\\x -> (x * %d) %% 1000) xs) %% %d\n".formatted(k, k + 3));
    }
    var program = Optimised.text(text.append("  in s\n").toString());
    assertTrue(longest(program) <= 8000);
    var numbers = new double[20];
    Arrays.setAll(numbers, i -> i * i);
    once(program, ArrayValue.ofDoubles(Prim.I64, numbers));
  }

  @Test
  void manyResults() throws IOException {
    var names = new ArrayList<String>();
    var text = new StringBuilder("entry main (xs: [20]i64) =\n");
    for (int k = 0; k < 120; k++) {
      text.append("  let y%d = map (\\x -> x * %d) xs\n".formatted(k, k));
      names.add("y" + k);
    }
    var program = Optimised.text(text + "  in (" + String.join(", ", names) + ")\n");
    assertTrue(longest(program) <= 8000);
    once(program, ArrayValue.ofDoubles(Prim.I64, new double[20]));
  }

  @Test
  void randomLongCode() {
    Seeds.check(1, this::checkLongCode);
  }

  private void checkLongCode(long seed) throws IOException {
    var text = new Source(seed).program();
    try {
      var numbers = new Random(seed).doubles(7, -2, 2).toArray();
      var program = Optimised.text(text);
      assertTrue(longest(program) <= 8000);
      Compare.same(program, ScalarValue.i64(3), ArrayValue.ofDoubles(Prim.F64, numbers));
    } catch (RuntimeException | AssertionError e) {
      fail(text, e);
    }
  }

  /** In one mode: the others take long for such code. */
  private static void once(CoreProgram program, Value argument) {
    var expected = Interpreter.call(program, "main", List.of(argument));
    try (var compiled = Pipelines.jvm(JvmOptions.defaults()).apply(program)) {
      var actual = compiled.call("main", List.of(argument));
      assertEquals(Optional.empty(), ValueComparison.difference(expected, actual));
    }
  }

  /** Bytes of the longest method. */
  private int longest(CoreProgram program) throws IOException {
    try (var compiled = Pipelines.jvm(JvmOptions.defaults().withDump(folder)).apply(program)) {
      compiled.prepare("main");
    }
    var bytes = Files.readAllBytes(folder.resolve("main.class"));
    return ClassFile.of().parse(bytes).methods().stream()
        .flatMap(m -> m.findAttribute(Attributes.code()).stream())
        .mapToInt(c -> c.codeLength())
        .max()
        .orElse(0);
  }

  /** Statements over many numbers, some of them loops, branches and maps of such statements. */
  private static final class Source {
    private final Random random;
    private final StringBuilder text = new StringBuilder();
    private int names;

    Source(long seed) {
      random = new Random(seed);
    }

    String program() {
      text.append("entry main [n] (m: i64) (xs: [n]f64) =\n");
      var scope = new ArrayList<>(List.of("0.5", "-0.25"));
      var host = random.nextInt(3);
      if (host > 0) {
        statements(scope, 100 + random.nextInt(700), 2, 1);
      }
      text.append("  let ys = map2 (\\x i ->\n");
      var inner = new ArrayList<>(scope);
      inner.addAll(List.of("x", "f64.i64 i"));
      statements(inner, 200 + random.nextInt(1500), 2, 2);
      text.append("    in ").append(all(inner)).append(") xs (iota n)\n");
      text.append("  let z = f64.sum (map (\\x ->\n");
      inner = new ArrayList<>(scope);
      inner.add("x");
      statements(inner, 20 + random.nextInt(300), 1, 2);
      text.append("    in ").append(all(inner)).append(") ys)\n");
      text.append("  in (ys, z, ").append(all(scope)).append(")\n");
      return text.toString();
    }

    /** Mentions many of them, so that they live long. */
    private String all(List<String> scope) {
      var sum = new StringBuilder("0");
      for (int k = 0; k < Math.min(scope.size(), 150); k++) {
        sum.append(" + ").append(pick(scope)).append(" * 0.01");
      }
      return "f64.max (-9) (f64.min 9 (" + sum + "))";
    }

    private String pick(List<String> scope) {
      return scope.get(random.nextInt(scope.size()));
    }

    private void statements(List<String> scope, int count, int depth, int indent) {
      for (int k = 0; k < count; k++) {
        var name = "v" + names++;
        text.append("  ".repeat(indent)).append("let ").append(name).append(" = ");
        int choice = random.nextInt(300);
        if (depth > 0 && choice < 3) {
          loop(scope, depth, indent, choice == 0);
        } else if (depth > 0 && choice < 6) {
          branch(scope, depth, indent);
        } else {
          text.append(scalar(scope));
        }
        text.append('\n');
        scope.add(name);
      }
    }

    private void loop(List<String> scope, int depth, int indent, boolean whole) {
      var inner = new ArrayList<>(scope);
      var a = "a" + names++;
      var b = "a" + names++;
      var i = "i" + names++;
      text.append("(loop (%s, %s) = (%s, 1) ".formatted(a, b, pick(scope)));
      text.append(whole ? "while " + b + " < 3.5 do\n" : "for " + i + " < m do\n");
      inner.addAll(List.of(a, a, b));
      if (!whole) {
        inner.add("f64.i64 " + i);
      }
      statements(inner, 5 + random.nextInt(60 * depth), depth - 1, indent + 1);
      text.append("  ".repeat(indent)).append("in (").append(all(inner)).append(", ");
      text.append(b).append(" + 1)).0");
    }

    private void branch(List<String> scope, int depth, int indent) {
      text.append("if %s < %s then\n".formatted(pick(scope), pick(scope)));
      for (int k = 0; k < 2; k++) {
        var inner = new ArrayList<>(scope);
        statements(inner, 1 + random.nextInt(60 * depth), depth - 1, indent + 1);
        text.append("  ".repeat(indent)).append("in ").append(inner.getLast());
        if (k == 0) {
          text.append(" else\n");
        }
      }
    }

    private String scalar(List<String> scope) {
      var x = pick(scope);
      var y = pick(scope);
      return switch (random.nextInt(7)) {
        case 0 -> x + " * 0.5 + " + y + " * 0.25";
        case 1 -> "f64.max " + paren(x) + " (" + y + " - 0.125)";
        case 2 -> "f64.min " + paren(x) + " " + paren(y);
        case 3 -> "if " + x + " < " + y + " then " + y + " else 0.5 * " + x;
        case 4 -> x + " / (1 + " + y + " * " + y + ")";
        case 5 -> "f64.abs (" + x + " - " + y + ")";
        default -> x + " - " + pick(scope) + " * 0.0625";
      };
    }

    private static String paren(String x) {
      return "(" + x + ")";
    }
  }
}
