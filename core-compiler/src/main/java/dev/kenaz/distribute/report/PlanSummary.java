package dev.kenaz.distribute.report;

import dev.kenaz.distribute.Plan;
import dev.kenaz.distribute.Rates;
import dev.kenaz.error.Span;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What a plan does and moves, for some sizes.
 *
 * @param entry the entry point's name
 * @param pieces how many there are
 * @param cores how many compute at the same time
 * @param columns of the dataset, with their bytes in all
 * @param parts in the order in which they run
 * @param results of the entry point
 * @param assumed numbers of rows that only the data tell, or that weren't given; the times take
 *     them to be as many as the first dataset has
 * @param missing sizes and integer parameters that weren't given, and on which bytes or iterations
 *     depend
 */
record PlanSummary(
    String entry,
    long pieces,
    long cores,
    List<Moved> columns,
    List<Part> parts,
    List<Moved> results,
    List<String> assumed,
    Set<String> missing) {
  PlanSummary {
    columns = List.copyOf(columns);
    parts = List.copyOf(parts);
    results = List.copyOf(results);
  }

  /** A step, or the repetition of some. */
  sealed interface Part {}

  /** Work in one place, on what it computes. */
  record Driver(List<String> computes, Seconds takes) implements Part {
    Driver {
      computes = List.copyOf(computes);
    }
  }

  /**
   * Work on every piece.
   *
   * @param reads columns, with their bytes in all
   * @param sent values, with their bytes, which go to every piece
   * @param combined values, with their bytes, which come from every piece
   * @param kept results, with their bytes in all, which stay in pieces
   * @param gathered values, with their bytes in all, which come to the driver as all pieces have
   *     them
   */
  record Stage(
      int number,
      List<Moved> reads,
      List<Moved> sent,
      List<Moved> combined,
      List<Moved> kept,
      List<Moved> gathered,
      Seconds takes)
      implements Part {
    Stage {
      reads = List.copyOf(reads);
      sent = List.copyOf(sent);
      combined = List.copyOf(combined);
      kept = List.copyOf(kept);
      gathered = List.copyOf(gathered);
    }
  }

  /**
   * Rows that pieces give to each other.
   *
   * @param how what the pieces do
   * @param span where the program needs it
   * @param rows what arrives, with its bytes in all; a piece may have some of it already
   * @param instead what could be done instead, or nothing
   */
  record Exchange(String how, Span span, List<Moved> rows, Seconds takes, String instead)
      implements Part {
    Exchange {
      rows = List.copyOf(rows);
    }
  }

  /** Two ways to go on, of which one is taken. */
  record Choice(String header, Span span, List<Part> then, List<Part> otherwise) implements Part {
    Choice {
      then = List.copyOf(then);
      otherwise = List.copyOf(otherwise);
    }
  }

  /** A loop of the program; {@code trips} if they are known. */
  record Repeat(String header, Span span, OptionalLong trips, List<Part> parts) implements Part {
    Repeat {
      parts = List.copyOf(parts);
    }
  }

  /**
   * A value.
   *
   * @param how what combines it, or what becomes of it, or nothing
   * @param span where that stands in the program
   */
  record Moved(String name, String type, Quantity bytes, String how, Span span) {
    /** {@code name: type}. */
    String title() {
      return name + ": " + type;
    }
  }

  /** Bytes to and from the pieces, all stages and iterations together; empty if not all known. */
  OptionalLong wire() {
    double sum = wire(parts);
    return Double.isNaN(sum) ? OptionalLong.empty() : OptionalLong.of((long) sum);
  }

  private double wire(List<Part> parts) {
    double sum = 0;
    for (var part : parts) {
      sum +=
          switch (part) {
            case Driver _ -> 0;
            case Stage s -> pieces * (bytes(s.sent()) + bytes(s.combined())) + bytes(s.gathered());
            case Exchange e -> bytes(e.rows());
            case Choice c -> Math.max(wire(c.then()), wire(c.otherwise()));
            case Repeat r ->
                r.trips().isPresent() ? r.trips().getAsLong() * wire(r.parts()) : 0.0 / 0;
          };
    }
    return sum;
  }

  private static double bytes(List<Moved> values) {
    return values.stream()
        .mapToDouble(m -> m.bytes().isKnown() ? m.bytes().number() : 0.0 / 0)
        .sum();
  }

  /** How long all of it takes; unknown if that depends on sizes that aren't given. */
  Seconds takes() {
    return takes(parts);
  }

  private static Seconds takes(List<Part> parts) {
    var sum = Seconds.NONE;
    for (var part : parts) {
      sum =
          sum.plus(
              switch (part) {
                case Driver d -> d.takes();
                case Stage s -> s.takes();
                case Exchange e -> e.takes();
                case Choice c -> Seconds.longest(takes(c.then()), takes(c.otherwise()));
                case Repeat r ->
                    r.trips().isPresent()
                        ? takes(r.parts()).times(r.trips().getAsLong())
                        : Seconds.UNKNOWN;
              });
    }
    return sum;
  }

  /** How many stages there are, each counted once. */
  int stages() {
    return stages(parts);
  }

  private static int stages(List<Part> parts) {
    int n = 0;
    for (var part : parts) {
      n +=
          switch (part) {
            case Driver _ -> 0;
            case Stage _ -> 1;
            case Exchange _ -> 0;
            case Choice c -> stages(c.then()) + stages(c.otherwise());
            case Repeat r -> stages(r.parts());
          };
    }
    return n;
  }

  /** Summarises a plan for the sizes given. */
  static PlanSummary of(Plan plan, Map<String, Long> sizes, long pieces, long cores, Rates rates) {
    var names = new ShownNames(plan);
    var known = new KnownSizes(plan, sizes, pieces);
    var times = new StepTimes(plan, known, pieces, cores, rates);
    return new Maker(plan, known, times, names).summary(pieces, cores);
  }

  /** Follows the plan's steps in their order, so that sizes are known when they are asked for. */
  private record Maker(Plan plan, KnownSizes known, StepTimes times, ShownNames names) {
    PlanSummary summary(long pieces, long cores) {
      var columns = plan.sharded().stream().map(v -> moved(v, "", Span.NONE)).toList();
      var parts = parts(plan.steps());
      var results = new ArrayList<Moved>();
      for (int i = 0; i < plan.results().size(); i++) {
        var name = "result " + (i + 1);
        var how = plan.shardedResults().get(i) ? "stays in pieces" : "";
        results.add(
            switch (plan.results().get(i)) {
              case Var v ->
                  new Moved(name, type(v.type()), known.bytes(v.type(), names), how, Span.NONE);
              case Const(var c) ->
                  new Moved(
                      name, c.prim().text(), Quantity.of(c.prim().byteSize()), how, Span.NONE);
            });
      }
      var missing = new TreeSet<>(known.names());
      missing.retainAll(unknown(columns, parts, results));
      return new PlanSummary(
          plan.entry(), pieces, cores, columns, parts, results, names(times.assumed()), missing);
    }

    private List<Part> parts(List<Plan.Step> steps) {
      var parts = new ArrayList<Part>();
      for (var step : steps) {
        switch (step) {
          case Plan.Compute c -> {
            known.learn(c);
            var takes = times.compute(c);
            if (!c.outputs().isEmpty()) {
              parts.add(new Driver(names(c.outputs()), takes));
            }
          }
          case Plan.Stage s -> parts.add(stage(s));
          case Plan.Exchange e -> parts.add(exchange(e));
          case Plan.Repeat r -> parts.add(repeat(r));
          case Plan.Choose c -> {
            var name = c.condition() instanceof Var v ? names.of(v) : c.condition() + "";
            var then = parts(c.then().steps());
            parts.add(new Choice("if " + name, c.span(), then, parts(c.otherwise().steps())));
            times.end(c.outputs(), c.then().results());
          }
        }
      }
      return parts;
    }

    private Stage stage(Plan.Stage s) {
      var reads =
          Stream.concat(s.sharded().stream().map(plan.sharded()::get), s.reads().stream())
              .map(v -> moved(v, "", Span.NONE));
      var keeps = Stream.concat(s.kept().stream(), s.stored().stream()).distinct();
      var sent = new LinkedHashSet<>(s.broadcast());
      sent.addAll(s.combineWith());
      var combined = new ArrayList<Moved>();
      for (int i = 0; i < s.outputs().size(); i++) {
        var origin = s.origins().get(i);
        combined.add(moved(s.outputs().get(i), origin.operator(), origin.span()));
      }
      return new Stage(
          s.number(),
          reads.toList(),
          sent.stream().map(v -> moved(v, "", Span.NONE)).toList(),
          combined,
          keeps.map(v -> moved(v, "", Span.NONE)).toList(),
          s.gathered().stream().map(v -> moved(v, "", Span.NONE)).toList(),
          times.stage(s));
    }

    private Exchange exchange(Plan.Exchange e) {
      var how =
          switch (e) {
            case Plan.Recut(var from, _, _, _, _, _) -> "exchange a stretch of " + names.of(from);
            case Plan.Fetch f when times.sendsTable(f) ->
                "are sent all rows of %s, rather than ask for some (%s), by the numbers in %s"
                    .formatted(
                        names.of(f.from()),
                        Seconds.text(times.asked(f).total()),
                        names.of(f.index()));
            case Plan.Fetch(var from, _, var index, _, _, _) ->
                "fetch rows of " + names.of(from) + " by the numbers in " + names.of(index);
            case Plan.Send s -> "send values to the rows that " + names.of(s.index()) + " names";
          };
      var rows = e.to().stream().map(v -> moved(v, "", Span.NONE)).toList();
      var takes = times.exchange(e);
      return new Exchange(how, e.span(), rows, takes, times.instead(e).map(this::text).orElse(""));
    }

    private String text(StepTimes.Alternative a) {
      return "about %s if all pieces have %s, %s: leave it out of --rows"
          .formatted(
              Seconds.text(a.seconds()),
              String.join(", ", names(a.columns())),
              Quantity.of(a.bytes()));
    }

    private static Set<String> unknown(List<Moved> columns, List<Part> parts, List<Moved> results) {
      var names = new TreeSet<String>();
      Stream.concat(columns.stream(), results.stream())
          .forEach(m -> names.addAll(m.bytes().sizes()));
      for (var part : parts) {
        names.addAll(
            switch (part) {
              case Driver _ -> Set.<String>of();
              case Stage s ->
                  Stream.of(s.reads(), s.sent(), s.combined(), s.kept(), s.gathered())
                      .flatMap(List::stream)
                      .flatMap(m -> m.bytes().sizes().stream())
                      .toList();
              case Exchange e -> unknown(e.rows(), List.of(), List.of());
              case Choice c -> {
                var both = unknown(List.of(), c.then(), List.of());
                both.addAll(unknown(List.of(), c.otherwise(), List.of()));
                yield both;
              }
              case Repeat r -> unknown(List.of(), r.parts(), List.of());
            });
      }
      return names;
    }

    private Repeat repeat(Plan.Repeat r) {
      times.begin(r);
      var repeat = repeated(r);
      times.end(r.outputs(), r.results());
      return repeat;
    }

    private Repeat repeated(Plan.Repeat r) {
      var outputs = new ArrayList<>(r.outputs());
      for (int i = 0; i < r.params().size(); i++) {
        names.same(r.outputs().get(i), r.params().get(i).var());
      }
      r.rows().forEach(p -> names.same(p.output(), p.param()));
      r.rows().forEach(p -> outputs.add(p.output()));
      var carried = String.join(", ", names(outputs));
      return switch (r.form()) {
        case Exp.For(_, var bound) -> {
          var trips = known.number(bound);
          var times =
              trips.isPresent()
                  ? trips.getAsLong() + ""
                  : bound instanceof Var v ? names.of(v) : "";
          yield new Repeat(
              "loop, " + times + " times, for " + carried, r.span(), trips, parts(r.body()));
        }
        case Exp.While _ ->
            new Repeat(
                "loop, while its condition holds, for " + carried,
                r.span(),
                OptionalLong.empty(),
                parts(r.body()));
      };
    }

    private List<String> names(Collection<Var> vars) {
      return vars.stream().map(names::of).toList();
    }

    private Moved moved(Var v, String how, Span span) {
      return new Moved(names.of(v), type(v.type()), known.bytes(v.type(), names), how, span);
    }

    /** Returns a type as the source language has it, with sizes by their names. */
    private String type(Type type) {
      var text = new StringBuilder();
      for (var d : type.dims()) {
        text.append('[');
        text.append(d instanceof Var v ? names.of(v) : ((Const) d).value().asLong() + "");
        text.append(']');
      }
      return text + type.elemPrim().text();
    }
  }
}
