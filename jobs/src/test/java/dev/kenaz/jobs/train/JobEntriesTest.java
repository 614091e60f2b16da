package dev.kenaz.jobs.train;

import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.kenaz.options.Backend;
import dev.kenaz.pipeline.ProgramSource;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Compiled programs are used again, by one training at a time. */
final class JobEntriesTest {
  private static JobEntries entries(String file, String sum) {
    var text = "def train [n] (x: [n]f64) (k: f64) : f64 = k * f64." + sum + " x";
    var source = ProgramSource.of(file, text);
    var program = JobProgram.of(source, Set.of("x"), Set.of("k"));
    return JobEntries.of(program, program.text().atOnce(), Backend.JVM);
  }

  @Test
  void whatIsClosedIsUsedAgain() {
    var first = entries("again.fut", "sum");
    try (var second = entries("again.fut", "sum")) {
      assertNotSame(first, second);
    }
    var plan = first.plan(JobText.INIT_ALL, false);
    first.close();
    try (var third = entries("again.fut", "sum")) {
      assertSame(first, third);
      assertSame(plan, third.plan(JobText.INIT_ALL, false));
    }
    try (var other = entries("again.fut", "maximum")) {
      assertNotSame(first.source(), other.source());
      assertNotSame(plan, other.plan(JobText.INIT_ALL, false));
    }
  }
}
