package dev.kenaz.distribute.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.distribute.Plan;
import dev.kenaz.distribute.Rates;
import dev.kenaz.distribute.WholeTable;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.PiecewiseEntry;
import dev.kenaz.pipeline.ProgramSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The times that plans foretell: what they grow with, and what they don't depend on. */
final class PlanTimesTest {
  private static final String SUM =
      "entry main [n][d] (xs: [n][d]f64) (w: [d]f64) : f64 ="
          + " f64.sum (map (\\x -> f64.exp (f64.sum (map2 (*) w x))) xs)";

  private static Plan plan(String text) {
    return PiecewiseEntry.plan(
            ProgramSource.of("p.fut", text),
            "main",
            List.of("xs"),
            CompileOptions.of(Backend.INTERPRET))
        .program()
        .plan();
  }

  private static PlanReport report(String text, String n, String d, long cores) {
    return PlanReport.of(plan(text), Map.of("n", n, "d", d), 8, cores, Rates.SPARK);
  }

  @Test
  void timeGrowsWithRowsAndColumnsAndShrinksWithCores() {
    double base = report(SUM, "1e9", "64", 2).seconds();
    assertEquals(10, report(SUM, "1e10", "64", 2).seconds() / base, 0.1);
    assertEquals(2, report(SUM, "1e9", "128", 2).seconds() / base, 0.1);
    assertEquals(0.25, report(SUM, "1e9", "64", 8).seconds() / base, 0.01);
    assertEquals(base / 4, report(SUM, "1e9", "64", 800).seconds(), base / 100, "eight pieces");
  }

  @Test
  void aStageOverFewRowsTakesTheTimeOfAJob() {
    double few = report(SUM, "10", "2", 2).seconds();
    assertTrue(few > 0.005 && few < 0.05, few + " s");
  }

  @Test
  void whereSizesAreNotKnownThereAreNoTimes() {
    var lines = PlanReport.of(plan(SUM), Map.of("n", "1e6"), 8).lines();
    assertFalse(String.join("\n", lines).contains("about"), lines.toString());
    var picture = PlanReport.of(plan(SUM), Map.of("n", "1e6", "d", "4"), 8).picture();
    assertTrue(picture.contains(">about "), picture);
  }

  @Test
  void stagesOfALoopAreCountedInEachIteration() {
    var loop =
        "entry main [n] (xs: [n]f64) (d: i64) : f64 ="
            + " loop s = 1 for _i < d do f64.sum (map (\\x -> x / s) xs)";
    double once = report(loop, "1e8", "1", 2).seconds();
    assertEquals(30, report(loop, "1e8", "30", 2).seconds() / once, 0.1);
    var open =
        "entry main [n] (xs: [n]f64) (d: i64) : f64 ="
            + " loop s = f64.i64 d while s > 1 do f64.sum (map (\\x -> x / s) xs)";
    var lines = report(open, "1e8", "1", 2).lines();
    assertFalse(lines.getFirst().contains("about"), lines.getFirst());
    assertTrue(lines.stream().anyMatch(l -> l.contains("takes    about ")), lines.toString());
  }

  @Test
  void rowsThatMoveTakeTime() {
    var moves =
        "entry main [n] (xs: [n]f64) (d: i64) : f64 ="
            + " let ys = filter (> f64.i64 d) xs in f64.sum (map2 (*) ys (reverse ys))";
    double rows = report(moves, "1e9", "1", 8).seconds();
    double alone =
        report("entry main [n] (xs: [n]f64) (d: i64) : f64 = f64.sum xs + f64.i64 d", "1e9", "1", 8)
            .seconds();
    assertTrue(rows > 5 * alone, rows + " s beside " + alone);
  }

  @Test
  void aTableThatIsSmallIsBetterLeftOutOfThePieces() {
    var text =
        "entry main [n][d] (xs: [n]i64) (table: [d]f64) : f64 ="
            + " f64.sum (map (\\x -> table[x]) xs)";
    var plan =
        PiecewiseEntry.plan(
                ProgramSource.of("p.fut", text),
                "main",
                List.of("xs", "table"),
                CompileOptions.of(Backend.INTERPRET))
            .program()
            .plan();
    for (var d : List.of("1e6", "1e8")) {
      var report = PlanReport.of(plan, Map.of("n", "1e8", "d", d), 64, 64, Rates.SPARK);
      boolean advised = report.lines().stream().anyMatch(l -> l.contains("or       about "));
      assertEquals(d.equals("1e6"), advised, report.lines().toString());
      boolean sent = report.lines().stream().anyMatch(l -> l.startsWith("pieces are sent all"));
      assertEquals(d.equals("1e6"), sent, report.lines().toString());
    }
  }

  @Test
  void whatIsAssumedAndWhatIsMissingIsTold() {
    var text =
        "entry main [n][d] (xs: [n][d]f64) (w: [d]f64) : ([]f64, []f64) ="
            + " let ys = map (\\x -> f64.sum (map2 (*) w x)) xs"
            + " in (filter (> 0) ys, filter (< 1) ys)";
    var lines = PlanReport.of(plan(text), Map.of("n", "1e6", "d", "4"), 8).lines();
    assertEquals("assumed  kept, kept.2: as many rows as the first dataset has", lines.get(1));
    assertTrue(lines.stream().anyMatch(l -> l.contains("filter.2: [kept.2]f64")), lines.toString());
    var unknown = PlanReport.of(plan(text), Map.of("n", "1e6"), 8).lines();
    assertEquals("to tell all bytes and times, give --sizes d=…", unknown.get(1));
    var picture = PlanReport.of(plan(text), Map.of("n", "1e6"), 8).picture();
    assertTrue(picture.contains("give --sizes d=…"), picture);
  }

  @Test
  void twoValuesNeverHaveTheSameName() {
    var text =
        "entry main [n] (xs: [n]f64) (d: i64) : f64 ="
            + " f64.sum (map (\\i -> xs[(i * 7 + d) % n] + xs[(i * 5) % n]) (iota n))";
    var lines = PlanReport.of(plan(text), Map.of("n", "1e6", "d", "3"), 8).lines();
    for (var name : List.of("number: [n]i64", "number.2: [n]i64")) {
      assertEquals(1, lines.stream().filter(l -> l.contains(name)).count(), lines.toString());
    }
  }

  /** A piece would ask for a row for each of its own; so large a table isn't sent to any. */
  @Test
  void aTableIsSentIfThatIsAboutAsMuchAsIsAskedFor() {
    var text =
        "entry main [n][d] (xs: [n]i64) (table: [d]f64) (d4: [d][4]f64) : f64 ="
            + " f64.sum (map (\\x -> table[x] + d4[x, 0]) xs)";
    var plan =
        PiecewiseEntry.plan(
                ProgramSource.of("p.fut", text),
                "main",
                List.of("xs", "table", "d4"),
                CompileOptions.of(Backend.INTERPRET))
            .program()
            .plan();
    var fetches =
        plan.steps().stream()
            .filter(s -> s instanceof Plan.Fetch)
            .map(s -> (Plan.Fetch) s)
            .toList();
    assertEquals(2, fetches.size());
    for (var f : fetches) {
      double row = f.from().type().dims().size() == 1 ? 8 : 32;
      double most = 600e3 / row;
      assertTrue(WholeTable.isSent(f, most, 0, 8), "nothing is asked for");
      assertFalse(WholeTable.isSent(f, most + 1, 0, 8));
      assertTrue(WholeTable.isSent(f, 1e6, 8e6, 8) || row > 8, "all of it is read");
      assertFalse(WholeTable.isSent(f, 1e7, 1e9, 8), "no task has room for it");
      assertFalse(WholeTable.isSent(f, Double.NaN, 1e9, 8));
      assertFalse(WholeTable.isSent(f, 1e3, Double.NaN, 8), "it isn't known how many ask");
    }
  }
}
