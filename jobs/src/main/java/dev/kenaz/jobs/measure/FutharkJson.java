package dev.kenaz.jobs.measure;

import dev.kenaz.jobs.bench.BenchReport;
import dev.kenaz.jobs.bench.Runtimes;
import java.util.List;

/** Writes measurements in the format of {@code futhark bench --json}, for tools that read it. */
public final class FutharkJson {
  private FutharkJson() {}

  /** Returns the times of all cells: each is a data set of its program and entry point. */
  public static String of(List<Measurement> cells) {
    var report = new BenchReport();
    for (var m : cells) {
      var entry = m.settings().path("entry").asText("main");
      var program = m.settings().path("program").asText();
      var name = entry.equals("main") ? program : program + ":" + entry;
      var dataset = new BenchmarkCell(m.axes(), m.settings()).title();
      if (m.isDone()) {
        var nanos = m.samples().stream().flatMap(List::stream).map(s -> Math.round(s * 1e9));
        report.add(name, dataset, new Runtimes(nanos.toList()));
      } else {
        report.fail(name, dataset, m.message());
      }
    }
    return report.json();
  }
}
