package dev.kenaz.jobs.measure;

import dev.kenaz.jobs.config.BenchmarkConfig;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/** Divides times by each other, as a configuration asks. */
record Ratios(SequencedMap<String, BenchmarkConfig.Ratio> wanted) {

  /**
   * Returns the ratios of a cell by their names. One is absent if the cell that it is divided by
   * was not measured, or is the cell itself.
   */
  SequencedMap<String, Double> of(Measurement m, Collection<Measurement> all) {
    var found = new LinkedHashMap<String, Double>();
    wanted.forEach(
        (name, ratio) -> {
          var base = new LinkedHashMap<>(m.axes());
          base.put(ratio.of(), ratio.to());
          if (!base.equals(m.axes()) && m.isDone()) {
            all.stream()
                .filter(b -> b.isDone() && b.axes().equals(base))
                .findFirst()
                .ifPresent(b -> found.put(name, m.seconds() / b.seconds()));
          }
        });
    return found;
  }
}
