package dev.kenaz.spec;

import static dev.kenaz.error.ErrorCode.K6300;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.kenaz.error.UserError;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class TestSpecTest {
  private static List<TestSpec> parse(String text) {
    return TestSpec.parse("p.fut", text);
  }

  private static List<TestSpec.Case> cases(String text) {
    return ((TestSpec.Run) parse(text).getFirst().action()).cases();
  }

  @Test
  void literalInputsAndOutputs() {
    var spec =
        parse(
                """
                -- Adds.
                -- ==
                -- tags { slow no_cuda }
                -- entry: f g
                -- input { 1 [2, 3] }
                -- output { 4 }
                -- "named" nobench input { "a } b" } output { true }

                def f = 1
                """)
            .getFirst();
    assertEquals(2, spec.line());
    assertEquals("Adds.", spec.description());
    assertEquals(List.of("slow", "no_cuda"), spec.tags());
    var run = (TestSpec.Run) spec.action();
    assertEquals(List.of("f", "g"), run.entries());
    assertEquals(new TestSpec.Literal(" 1 [2, 3] "), run.cases().getFirst().input());
    assertEquals(5, run.cases().getFirst().line());
    assertEquals(Optional.of("named"), run.cases().get(1).name());
    assertEquals(List.of("nobench"), run.cases().get(1).tags());
    assertEquals(new TestSpec.Literal(" \"a } b\" "), run.cases().get(1).input());
  }

  @Test
  void otherInputsAndExpectations() {
    var cases =
        cases(
            """
            -- ==
            -- input @ data/a.in output @ data/a.out
            -- random input { [10]i32 5i64 } auto output
            -- script input { f {a=1} }
            -- input {} error: out of.*bounds
            -- input {} error:
            """);
    assertEquals(new TestSpec.File("data/a.in"), cases.get(0).input());
    assertEquals(new TestSpec.FileOutput("data/a.out"), cases.get(0).expected());
    assertEquals(new TestSpec.Random(List.of("[10]i32", "5i64")), cases.get(1).input());
    assertEquals(new TestSpec.AutoOutput(), cases.get(1).expected());
    assertEquals(new TestSpec.Script("f {a=1}"), cases.get(2).input());
    assertEquals(new TestSpec.Success(), cases.get(2).expected());
    assertEquals(new TestSpec.RunTimeError(Optional.of("out of.*bounds")), cases.get(3).expected());
    assertEquals(new TestSpec.RunTimeError(Optional.empty()), cases.get(4).expected());
  }

  @Test
  void compileErrorsAndSeveralBlocks() {
    var specs =
        parse(
            """
            -- no block here

            -- ==
            -- error: type.*mismatch

            -- ==
            -- entry: g
            -- structure gpu { SegMap 1 }
            -- input {}
            """);
    assertEquals(2, specs.size());
    assertEquals(
        new TestSpec.CompileError(Optional.of("type.*mismatch")), specs.getFirst().action());
    assertEquals(1, ((TestSpec.Run) specs.get(1).action()).cases().size());
  }

  @Test
  void blocksMayBeginOnTheLineOfTheirMark() {
    var specs = parse("-- == entry: f\n-- input { 1 } output { 2 }\n\n-- == Chapter one ==\n");
    assertEquals(1, specs.size());
    var run = (TestSpec.Run) specs.getFirst().action();
    assertEquals(List.of("f"), run.entries());
    assertEquals(2, run.cases().getFirst().line());
  }

  @Test
  void faultsNameTheLine() {
    var e = assertThrows(UserError.class, () -> parse("-- ==\n-- input { 1\n"));
    assertEquals(K6300, e.diagnostics().getFirst().code());
    assertThrows(UserError.class, () -> parse("-- ==\n-- 12\n"));
  }
}
