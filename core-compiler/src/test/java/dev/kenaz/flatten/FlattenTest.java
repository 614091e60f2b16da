package dev.kenaz.flatten;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.kenaz.Backend;
import dev.kenaz.CompileOptions;
import dev.kenaz.Kenaz;
import dev.kenaz.error.Limitation;
import dev.kenaz.error.UserError;
import dev.kenaz.fuse.Fuse;
import dev.kenaz.interpret.Interpreter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Printer;
import dev.kenaz.ir.RandomPrograms;
import dev.kenaz.ir.Verifier;
import dev.kenaz.spec.TestSpec;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueComparison;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** What is flattened for a GPU means what it meant, whichever versions run. */
final class FlattenTest {
  private static final Path ROOT = Path.of("src/test/resources/programs");

  /** Whatever can be distributed. */
  private static final FlattenOptions ALL = new FlattenOptions(true, false, 0, 0);

  private static void check(CoreProgram program, String entry, List<Value> arguments) {
    List<Value> expected;
    try {
      expected = Interpreter.call(program, entry, arguments);
    } catch (RuntimeException e) {
      return; // a program that fails may do anything
    }
    for (var choice : Unflatten.Choice.values()) {
      var seg = Flatten.program(program, ALL);
      var flat = Unflatten.of(seg, program, choice);
      try {
        Verifier.verify(flat, "flatten");
        var actual = Interpreter.call(flat, entry, arguments);
        ValueComparison.difference(expected, actual, 1e-5)
            .ifPresent(d -> fail(text(d, program, flat)));
      } catch (RuntimeException e) {
        throw new AssertionError(text(choice + " " + e, program, flat), e);
      }
    }
  }

  private static String text(String what, CoreProgram before, CoreProgram after) {
    return what + "\nbefore:\n" + Printer.print(before) + "\nafter:\n" + Printer.print(after);
  }

  @Property(tries = 300)
  void randomPrograms(@ForAll long seed) {
    var sample = RandomPrograms.of(seed);
    check(sample.program(), "main", sample.arguments());
  }

  @Property(tries = 200)
  void randomProgramsFused(@ForAll long seed) {
    var sample = RandomPrograms.of(seed);
    check(Fuse.FUSE.function().apply(sample.program()), "main", sample.arguments());
  }

  @TestFactory
  Stream<DynamicTest> programs() throws IOException {
    List<Path> files;
    try (var all = Files.walk(ROOT)) {
      files = all.filter(f -> f.toString().endsWith(".fut")).sorted().toList();
    }
    return files.stream().map(f -> dynamicTest(ROOT.relativize(f).toString(), () -> file(f)));
  }

  private static void file(Path file) throws IOException {
    CoreProgram program;
    try {
      program = Kenaz.compile(file, CompileOptions.of(Backend.INTERPRET)).core();
    } catch (UserError | Limitation e) {
      return;
    }
    for (var spec : TestSpec.parse(file.toString(), Files.readString(file))) {
      if (spec.action() instanceof TestSpec.Run(var entries, var cases)) {
        for (var entry : entries) {
          for (var c : cases) {
            if (c.input() instanceof TestSpec.Literal(var text)) {
              check(program, entry, dev.kenaz.programs.ProgramChecks.values(text, file, c.line()));
            }
          }
        }
      }
    }
    assertEquals(program.entries().size(), Flatten.program(program).functions().size());
  }
}
