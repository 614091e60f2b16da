package dev.kenaz.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kenaz.interpret.Interpreter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.jvm.JvmOptions;
import dev.kenaz.kernels.GpuRun;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.simulate.SimulatedDevice;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Value;
import java.lang.foreign.ValueLayout;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Conversions between all pairs of types, at edge values, by everything that computes them, against
 * the rules of docs/language.md written out in large numbers.
 */
final class ConversionsTest {
  private static final BigInteger TWO = BigInteger.TWO;

  private record Pair(Prim from, Prim to) {
    String entry() {
      return from + "_" + to;
    }

    String function() {
      return to + "." + from;
    }
  }

  private static final List<Pair> PAIRS = pairs();
  private static CoreProgram core;

  private static List<Pair> pairs() {
    var result = new ArrayList<Pair>();
    for (var from : Prim.values()) {
      for (var to : Prim.values()) {
        result.add(new Pair(from, to));
      }
    }
    return result;
  }

  @BeforeAll
  static void compile() {
    var text = new StringBuilder();
    for (var p : PAIRS) {
      text.append("entry %s (xs: []%s) = map %s xs%n".formatted(p.entry(), p.from, p.function()));
    }
    core = core(text.toString());
  }

  private static CoreProgram core(String text) {
    return Optimised.text(text);
  }

  // Edge values

  /** Bits of edge values, several times over so that vectors of any width are filled. */
  private static ArrayValue values(Prim prim) {
    var edges = prim.isFloat() ? floats(prim) : integers(prim);
    var all = LongStream.range(0, 3).flatMap(_ -> edges.stream().mapToLong(x -> x)).toArray();
    return array(prim, all);
  }

  private static ArrayValue array(Prim prim, long[] bits) {
    var data = ArrayValue.allocate(prim, bits.length);
    for (int i = 0; i < bits.length; i++) {
      for (int k = 0; k < prim.byteSize(); k++) {
        var at = (long) i * prim.byteSize() + k;
        data.set(ValueLayout.JAVA_BYTE, at, (byte) (bits[i] >> 8 * k));
      }
    }
    return ArrayValue.of(prim, data, bits.length);
  }

  private static LinkedHashSet<Long> integers(Prim prim) {
    var result = new LinkedHashSet<Long>();
    for (int b : new int[] {0, 7, 8, 11, 15, 16, 24, 31, 32, 52, 53, 62, 63}) {
      for (long d = -2; d <= 2; d++) {
        result.add(prim.normalise((1L << b) + d));
        result.add(prim.normalise(-(1L << b) + d));
      }
    }
    return result;
  }

  private static LinkedHashSet<Long> floats(Prim prim) {
    var numbers = new ArrayList<Double>();
    for (int b : new int[] {-30, -1, 0, 1, 7, 8, 15, 16, 24, 31, 32, 52, 53, 62, 63, 64, 100}) {
      double x = Math.scalb(1.0, b);
      numbers.addAll(List.of(x, x - 1, x + 1, x - 0.5, x + 0.5, x * 1.25, x * 0.75, x * 3));
      numbers.addAll(List.of(Math.nextUp(x), Math.nextDown(x)));
      numbers.addAll(List.of((double) Math.nextUp((float) x), (double) Math.nextDown((float) x)));
    }
    numbers.addAll(List.of(0.0, 65519.9, 65520.0, 1e300, Double.MIN_VALUE, Double.NaN, 1.0 / 0));
    var result = new LinkedHashSet<Long>();
    for (double x : numbers) {
      result.add(prim.fromDouble(x));
      result.add(prim.fromDouble(-x));
    }
    return result;
  }

  // What the rules say

  private static ArrayValue expected(Pair p, ArrayValue xs) {
    return array(
        p.to, LongStream.range(0, xs.count()).map(i -> converted(p, xs.bits(i))).toArray());
  }

  private static long converted(Pair p, long bits) {
    if (p.from.isFloat()) {
      double x = p.from.toDouble(bits);
      if (p.to.isFloat()) {
        return Double.isFinite(x) && x != 0 ? rounded(p.to, new BigDecimal(x)) : p.to.fromDouble(x);
      }
      if (p.to == Prim.BOOL) {
        return x == 0 ? 0 : 1;
      }
      return Double.isFinite(x) ? truncated(p.to, new BigDecimal(x).toBigInteger()) : 0;
    }
    var x = BigInteger.valueOf(bits);
    if (p.from.isUnsigned() && bits < 0) {
      x = x.add(TWO.pow(64));
    }
    if (p.to.isFloat()) {
      return bits == 0 ? 0 : rounded(p.to, new BigDecimal(x));
    }
    if (p.to == Prim.BOOL) {
      return bits == 0 ? 0 : 1;
    }
    if (p.from.isSigned() && p.to.isUnsigned()) {
      x = x.mod(TWO.pow(8 * p.from.byteSize()));
    }
    return p.to.normalise(x.longValue());
  }

  private static long truncated(Prim to, BigInteger x) {
    int width = 8 * to.byteSize();
    if (to.isSigned()) {
      var limit = TWO.pow(width - 1);
      return x.min(limit.subtract(BigInteger.ONE)).max(limit.negate()).longValue();
    }
    if (x.signum() >= 0) {
      return to.normalise(x.min(TWO.pow(width).subtract(BigInteger.ONE)).longValue());
    }
    return to.normalise(x.max(BigInteger.valueOf(Long.MIN_VALUE)).longValue());
  }

  private static long rounded(Prim to, BigDecimal x) {
    return switch (to) {
      case F64 -> Double.doubleToRawLongBits(x.doubleValue());
      case F32 -> Float.floatToRawIntBits(x.floatValue()) & 0xFFFF_FFFFL;
      default -> half(x);
    };
  }

  /** The nearest half; of two as near that whose last bit is 0. */
  private static long half(BigDecimal x) {
    long sign = x.signum() < 0 ? 0x8000 : 0;
    if (x.abs().compareTo(new BigDecimal(65520)) >= 0) {
      return sign | 0x7C00;
    }
    long below = 0;
    for (long step = 0x4000; step > 0; step >>= 1) {
      long next = below | step;
      below = next < 0x7C00 && value(next).compareTo(x.abs()) <= 0 ? next : below;
    }
    // above the largest is 65536 here, as if the format went on
    var above = below == 0x7BFF ? new BigDecimal(65536) : value(below + 1);
    int c = x.abs().subtract(value(below)).compareTo(above.subtract(x.abs()));
    return sign | (c < 0 || c == 0 && (below & 1) == 0 ? below : below + 1);
  }

  private static BigDecimal value(long half) {
    return new BigDecimal(Float.float16ToFloat((short) half));
  }

  // Who computes them

  private static void check(String who, BiFunction<String, List<Value>, List<Value>> call) {
    for (var p : PAIRS) {
      var xs = values(p.from);
      var actual = call.apply(p.entry(), List.of(xs)).getFirst();
      assertEquals(expected(p, xs), actual, () -> who + ": " + p.function() + " of " + xs);
    }
  }

  @Test
  void interpreter() {
    check("interpreter", (e, x) -> Interpreter.call(core, e, x));
  }

  @Test
  void scalarCode() {
    var options = JvmOptions.defaults().withWorkers(1).withVectors(JvmOptions.Vectors.OFF);
    try (var jvm = Pipelines.jvm(options).apply(core)) {
      check("scalar code", jvm::call);
    }
  }

  @Test
  void vectorCode() {
    try (var jvm = Pipelines.jvm(JvmOptions.defaults().withWorkers(1)).apply(core)) {
      check("vector code", jvm::call);
    }
  }

  @Test
  void simulator() {
    var program = Pipelines.gpu().apply(core);
    try (var run = new GpuRun(program, new SimulatedDevice())) {
      check("simulator", (e, x) -> run.call(e, x));
    }
  }

  @Test
  void cudaText(@TempDir Path folder) {
    Assumptions.assumeTrue(CpuDevice.available(), "there is no g++ here");
    var program = Pipelines.gpu().apply(core);
    try (var run = new GpuRun(program, CpuDevice.compile(List.of(program), folder).getFirst())) {
      check("CUDA text", (e, x) -> run.call(e, x));
    }
  }

  /** Of literals, by the compiler. */
  @Test
  void constants() {
    for (var from : Prim.values()) {
      var text = new StringBuilder();
      var xs = values(from).rows(0, values(from).count() / 3);
      for (var to : Prim.values()) {
        var p = new Pair(from, to);
        var rows = new ArrayList<String>();
        for (int i = 0; i < xs.count(); i++) {
          rows.add(p.function() + " " + literal(from, xs.bits(i)));
        }
        text.append("entry %s = [%s]%n".formatted(p.entry(), String.join(", ", rows)));
      }
      var options = CompileOptions.of(Backend.JVM).onCores(1);
      try (var program = Compiler.compile("constants.fut", text.toString(), options)) {
        for (var to : Prim.values()) {
          var p = new Pair(from, to);
          var actual = program.entry(p.entry()).call(List.of()).getFirst();
          assertEquals(expected(p, xs), actual, () -> p.function() + " of literals " + xs);
        }
      }
    }
  }

  private static String literal(Prim prim, long bits) {
    return switch (prim) {
      case BOOL -> bits != 0 ? "true" : "false";
      case I8, I16, I32, I64 -> "(" + prim + ".i64 " + signed(bits) + ")";
      case U8, U16, U32, U64 -> Long.toUnsignedString(bits) + prim;
      case F16 -> "(f16.from_bits " + bits + "u16)";
      case F32 -> "(f32.from_bits " + bits + "u32)";
      case F64 -> "(f64.from_bits " + Long.toUnsignedString(bits) + "u64)";
    };
  }

  private static String signed(long x) {
    return x == Long.MIN_VALUE ? "i64.lowest" : x < 0 ? "(-" + -x + ")" : Long.toString(x);
  }
}
