package dev.kenaz;

import static dev.kenaz.error.ErrorCode.K6301;
import static dev.kenaz.error.ErrorCode.K6302;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Memory of arguments and results, closed programs, and several threads. */
final class LifetimeTest {
  private static final String TEXT =
      """
      entry twice [n] (xs: [n]f64): [n]f64 = map (* 2) xs
      entry same [n] (xs: [n]f64): [n]f64 = xs
      entry rest [n] (xs: [n]f64): []f64 = xs[1:]
      entry sum [n][m] (xs: [n][m]f64): f64 = f64.sum (flatten xs)
      entry large (n: i64): []f64 = replicate n 1
      """;

  private static void fault(ErrorCode code, Executable call) {
    var fault = assertThrows(UserError.class, call);
    assertEquals(code, fault.diagnostics().getFirst().code(), fault::getMessage);
  }

  @ParameterizedTest
  @EnumSource(names = "CUDA", mode = EnumSource.Mode.EXCLUDE)
  void segmentsOfAllArenas(Backend backend) {
    try (var program = Kenaz.compile(TEXT, CompileOptions.of(backend));
        var confined = Arena.ofConfined();
        var shared = Arena.ofShared()) {
      MemorySegment[] segments = {
        confined.allocateFrom(ValueLayout.JAVA_DOUBLE, 1, 2, 3),
        shared.allocateFrom(ValueLayout.JAVA_DOUBLE, 1, 2, 3),
        MemorySegment.ofArray(new double[] {1, 2, 3}),
        confined.allocate(32, 8).asSlice(3, 24).fill((byte) 0),
        confined.allocateFrom(ValueLayout.JAVA_DOUBLE, 1, 2, 3).asReadOnly()
      };
      for (var s : segments) {
        var before = s.toArray(ValueLayout.JAVA_DOUBLE_UNALIGNED);
        var same = program.entry("same").call(s);
        var rest = program.entry("rest").call(Value.view(ElementType.F64, s));
        assertEquals(2 * before[1], program.entry("twice").call(s).as(double[].class)[1]);
        if (!s.isReadOnly()) {
          s.fill((byte) 7);
        }
        assertArrayEquals(before, same.as(double[].class));
        assertArrayEquals(new double[] {before[1], before[2]}, rest.as(double[].class));
        assertTrue(same.as(MemorySegment.class).isReadOnly());
      }
    }
  }

  @Test
  void segmentsThatDoNotFit() throws Exception {
    try (var program = Kenaz.compile(TEXT)) {
      var segment = Arena.ofAuto().allocate(24);
      fault(K6301, () -> program.entry("sum").call(segment));
      fault(K6301, () -> program.entry("same").call(segment.asSlice(0, 23)));
      fault(K6302, () -> Value.view(ElementType.F64, segment, 2, 2));
      fault(K6302, () -> Value.view(ElementType.F64, segment, -1, -3));
      fault(K6302, () -> Value.view(ElementType.F64, segment, 3).reshape(2));
      fault(K6302, () -> Value.view(ElementType.F64, segment, 3).reshape());
      fault(K6301, () -> program.entry("same").call(Value.view(ElementType.I64, segment)));
      fault(K6301, () -> Value.copyOf(ElementType.F64, new float[1]));
      fault(K6301, () -> Value.copyOf(ElementType.F64, null));
      fault(K6301, () -> Value.copyOf(ElementType.F64, 1.0));
      assertEquals(0, program.entry("same").call(segment.asSlice(0, 0)).shape()[0]);

      var arena = Arena.ofConfined();
      var theirs = arena.allocate(24);
      var view = Value.view(ElementType.F64, theirs);
      try (var other = Executors.newSingleThreadExecutor()) {
        Callable<Value> call = () -> program.entry("same").call(view);
        var failed = other.submit(call);
        var cause = assertThrows(ExecutionException.class, failed::get).getCause();
        assertTrue(cause instanceof WrongThreadException, cause::toString);
      }
      arena.close();
      assertThrows(IllegalStateException.class, () -> program.entry("same").call(theirs));
      assertThrows(IllegalStateException.class, () -> program.entry("same").call(view));
    }
  }

  @ParameterizedTest
  @EnumSource(names = "CUDA", mode = EnumSource.Mode.EXCLUDE)
  void closedPrograms(Backend backend) {
    var program = Kenaz.compile(TEXT, CompileOptions.of(backend));
    var twice = program.entry("twice");
    var jvp = twice.jvp();
    var result = twice.call(new double[] {1, 2});
    var unread = twice.call(result);
    program.release(result);
    program.close();
    program.close();
    assertArrayEquals(new double[] {4, 8}, unread.as(double[].class));
    assertThrows(IllegalStateException.class, () -> twice.call(new double[1]));
    assertThrows(IllegalStateException.class, () -> jvp.call(new double[1], new double[1]));
    assertThrows(IllegalStateException.class, twice::prepare);
    assertThrows(IllegalStateException.class, twice::vjp);
    assertThrows(IllegalStateException.class, () -> program.release(unread));
  }

  /** Many calls at once, of which some are under way when the program is closed. */
  @Test
  void severalThreads() throws Exception {
    for (int round = 0; round < 5; round++) {
      var program = Kenaz.compile(TEXT, CompileOptions.of(Backend.JVM).onCores(2));
      var calls = new ArrayList<Future<?>>();
      try (var threads = Executors.newFixedThreadPool(4)) {
        for (int t = 0; t < 4; t++) {
          double x = t;
          calls.add(threads.submit(() -> callUntilClosed(program, x)));
        }
        Thread.sleep(50);
        program.close();
        for (var c : calls) {
          c.get();
        }
      }
    }
  }

  private static void callUntilClosed(Program program, double x) {
    double[] xs = new double[1000];
    xs[999] = x;
    try {
      while (true) {
        assertEquals(2 * x, program.entry("twice").call(xs).as(double[].class)[999]);
        double[][] matrix = {xs};
        var gradient = program.entry("sum").gradient().call(matrix).as(double[][].class);
        assertEquals(1, gradient[0][0]);
      }
    } catch (IllegalStateException e) {
      assertEquals("the program is closed", e.getMessage());
    }
  }

  @Test
  void arraysThatJavaHasNone() {
    try (var program = Kenaz.compile(TEXT)) {
      assertThrows(UserError.class, () -> program.entry("large").call(1L << 60));
      assertThrows(UserError.class, () -> program.entry("large").call(-1));
      assertThrows(UserError.class, () -> program.entry("large").call(1L << 45));
    }
  }
}
