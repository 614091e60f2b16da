package dev.kenaz.jobs.measure;

import dev.kenaz.jobs.config.BenchmarkConfig;
import dev.kenaz.jobs.config.BenchmarkConfig.Paper;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;

/** Finds the numbers of papers that belong to a cell. */
final class Papers {
  private Papers() {}

  private static Optional<Paper> of(BenchmarkConfig config, Measurement m, String ratio) {
    return config.papers().orElse(List.of()).stream()
        .filter(p -> p.ratio().orElse("").equals(ratio))
        .filter(
            p ->
                p.where().properties().stream()
                    .allMatch(w -> w.getValue().asText().equals(m.axes().get(w.getKey()))))
        .findFirst();
  }

  /** Returns a paper's number for a ratio of a cell, or the middle of its range. */
  static OptionalDouble ratio(BenchmarkConfig config, Measurement m, String ratio) {
    return of(config, m, ratio).stream()
        .mapToDouble(p -> (p.value() + p.to().orElse(p.value())) / 2)
        .findFirst();
  }

  /** Returns a paper's number as a text, such as {@code 2.0-4.0}; empty if there is none. */
  static String text(BenchmarkConfig config, Measurement m, String ratio) {
    return of(config, m, ratio).map(p -> shown(p.value()) + to(p)).orElse("");
  }

  private static String to(Paper p) {
    return p.to().map(t -> "-" + shown(t)).orElse("");
  }

  private static String shown(double x) {
    return String.format(Locale.ROOT, "%.3g", x);
  }

  /** Returns where the paper's numbers for a ratio stand. */
  static String places(BenchmarkConfig config, String ratio) {
    return String.join(
        ", ",
        config.papers().orElse(List.of()).stream()
            .filter(p -> p.ratio().orElse("").equals(ratio))
            .map(Paper::from)
            .distinct()
            .toList());
  }
}
