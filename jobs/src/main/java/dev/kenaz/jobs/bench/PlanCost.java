package dev.kenaz.jobs.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kenaz.distribute.Cuts;
import dev.kenaz.distribute.PlanObserver;
import dev.kenaz.distribute.Rates;
import dev.kenaz.distribute.report.PlanReport;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Var;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.PiecewiseEntry;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.pipeline.StepCaller;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Compares how long programs take in pieces, in this process, with what their plans say.
 *
 * @param pieces how many there are
 * @param repeats how often each is measured, after as many runs to warm up
 * @param say takes lines for the user
 */
public record PlanCost(int pieces, int repeats, Consumer<String> say) {
  private record Case(String entry, List<String> rows, Map<String, Long> sizes) {}

  private static final List<Case> CASES =
      List.of(
          new Case("logistic", List.of("xs", "ys"), Map.of("n", 1_000_000L, "d", 16L)),
          new Case("descent", List.of("xs", "ys"), Map.of("n", 200_000L, "d", 16L)),
          new Case("kmeans", List.of("xs"), Map.of("n", 200_000L, "d", 16L, "k", 16L)),
          new Case("moments", List.of("xs"), Map.of("n", 10_000_000L)),
          new Case("shops", List.of("keys", "amounts"), Map.of("n", 5_000_000L)),
          new Case("drawdown", List.of("changes"), Map.of("n", 5_000_000L)),
          new Case("rises", List.of("xs"), Map.of("n", 5_000_000L)),
          new Case(
              "taxed", List.of("keys", "amounts", "rates"), Map.of("n", 1_000_000L, "m", 500_000L)),
          new Case(
              "balances",
              List.of("keys", "amounts", "start"),
              Map.of("n", 1_000_000L, "m", 500_000L)),
          new Case("options", List.of("spots", "strikes"), Map.of("n", 1_000_000L)),
          new Case("gram", List.of("xs"), Map.of("n", 50_000L, "d", 32L)));

  private static ProgramSource source() {
    try (var in = PlanCost.class.getResourceAsStream("/dev/kenaz/jobs/programs/plans.fut")) {
      return ProgramSource.of("plans.fut", new String(in.readAllBytes(), UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Measures all programs on so many cores. */
  public void run(int cores) {
    say.accept("ms in " + pieces + " pieces, by estimate and measured, on " + cores + " cores");
    say.accept("%-10s %10s %10s %10s".formatted("program", "estimate", "measured", "ratio"));
    var options = CompileOptions.of(Backend.JVM).onCores(cores);
    for (var c : CASES) {
      var entry = PiecewiseEntry.plan(source(), c.entry(), c.rows(), options).program();
      var sizes = new TreeMap<String, String>();
      c.sizes().forEach((name, n) -> sizes.put(name, n.toString()));
      double estimate =
          1e3 * PlanReport.of(entry.plan(), sizes, pieces, cores, Rates.PROCESS).seconds();
      double measured = measured(entry, arguments(entry, c.sizes()), new StepCaller(options));
      say.accept(
          String.format(
              Locale.ROOT,
              "%-10s %10.2f %10.2f %10.2f",
              c.entry(),
              estimate,
              measured,
              estimate / measured));
    }
  }

  private double measured(PiecewiseEntry entry, List<Value> arguments, StepCaller caller) {
    var times = new double[repeats];
    for (int i = -repeats; i < repeats; i++) {
      long start = System.nanoTime();
      entry.call(arguments, n -> Cuts.even(n, pieces), caller, PlanObserver.NONE);
      if (i >= 0) {
        times[i] = (System.nanoTime() - start) / 1e6;
      }
    }
    return Clock.median(times);
  }

  /** Random numbers between -1 and 1, and keys below {@code m}. */
  private static List<Value> arguments(PiecewiseEntry entry, Map<String, Long> sizes) {
    var random = new SplittableRandom(1);
    var arguments = new ArrayList<Value>();
    var params = entry.params();
    for (var p : params.subList(entry.type().sizeParams(), params.size())) {
      var shape =
          p.type().dims().stream()
              .mapToLong(d -> d instanceof Const(var c) ? c.asLong() : sizes.get(((Var) d).name()))
              .toArray();
      long n = Arrays.stream(shape).reduce(1, (a, b) -> a * b);
      arguments.add(
          p.type().elemPrim().isFloat()
              ? ArrayValue.ofDoubles(random.doubles(n, -1, 1).toArray(), shape)
              : ArrayValue.ofLongs(
                  random.longs(n, 0, sizes.getOrDefault("m", 1000L)).toArray(), shape));
    }
    return arguments;
  }
}
