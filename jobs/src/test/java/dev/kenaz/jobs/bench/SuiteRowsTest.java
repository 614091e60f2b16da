package dev.kenaz.jobs.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A table that is gone on with, and one that time runs out for. */
final class SuiteRowsTest {
  private final List<String> out = new ArrayList<>();

  @Test
  void rowsThatAreThereAreNotMeasuredAgain() {
    var kept =
        List.of(
            "GPU 0, some: copies 3000 GB/s (read and written)",
            "",
            "| program | data | function ms | GB/s | with derivative ms | times | paper |",
            "| --- | --- | --- | --- | --- | --- | --- |",
            "| reduce add | 10^8 | 1.000 | 400.00 | 2.000 | 2.00 | 2.5 |",
            "| GMM | n 1, d 2, K 3 | fails: no memory |");
    var rows = new SuiteRows(SuiteRows.kept(kept), 0, Optional.empty(), true, out::add);
    assertTrue(!rows.beginning(), "the head of the table is there");
    var measured = new ArrayList<String>();
    for (var name : List.of("reduce add", "scan add", "GMM")) {
      rows.row(name, name.equals("GMM") ? "n 1, d 2, K 3" : "10^8", () -> measured.add(name));
    }
    rows.done();
    assertEquals(List.of("scan add"), measured);
    assertEquals(List.of("#kenaz row 1 | scan add | 10^8", "#kenaz done 0"), out);
    var summary = new SuiteSummary();
    kept.forEach(summary::add);
    summary.add("| scan add | 10^8 | 1.000 | 2000.00 | 2.000 | 5.00 | 1.8-2.8 |");
    summary.left(2);
    assertEquals(
        """

        2 of 3 rows were measured
        2 more were left out for lack of time
        failed:
          GMM, n 1, d 2, K 3
        derivatives of more than 1.5 times the paper's overhead:
          scan add, 10^8: 5.0, the paper's 1.8-2.8
        below 60 % of the rate at which memory is copied:
          reduce add, 10^8: 13 %\
        """,
        String.join("\n", summary.lines()));
  }

  @Test
  void noRowIsBegunWhenTimeIsUp() {
    var past = Optional.of(Instant.now().minusSeconds(1));
    var rows = new SuiteRows(Set.of(), 0, past, false, out::add);
    rows.row("a", "1", () -> out.add("measured"));
    rows.done();
    assertEquals(List.of("\n1 rows were left out for lack of time"), out);
  }
}
