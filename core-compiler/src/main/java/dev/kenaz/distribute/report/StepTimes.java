package dev.kenaz.distribute.report;

import dev.kenaz.distribute.Plan;
import dev.kenaz.distribute.Rates;
import dev.kenaz.distribute.Space;
import dev.kenaz.distribute.WholeTable;
import dev.kenaz.distribute.Work;
import dev.kenaz.distribute.WorkOf;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Estimates how long the steps of a plan take, one after the other in their order.
 *
 * <p>Of what only the data tell, the rows that a filter leaves or that arrive somewhere are taken
 * to be as many as the first dataset has, and other numbers as {@link WorkOf} takes them.
 */
final class StepTimes {
  /** Values up to this size travel with the tasks; others go to each machine once. */
  private static final double WITH_TASKS = 64 << 10;

  /** Beyond this, and in all beyond 32 MiB, executors combine what so many tasks give. */
  private static final int GROUP = 32;

  private static final double AT_DRIVER = 32 << 20;

  /** Each machine should have room for a table beside its rows. */
  private static final double LARGEST = 1e9;

  private final Plan plan;
  private final KnownSizes known;
  private final double pieces;
  private final double cores;
  private final Rates rates;
  private final Map<Var, Double> numbers;
  private final double rows;
  private final Set<Var> assumed = new LinkedHashSet<>();

  StepTimes(Plan plan, KnownSizes known, double pieces, double cores, Rates rates) {
    this.plan = plan;
    this.known = known;
    this.pieces = pieces;
    this.cores = cores;
    this.rates = rates;
    this.numbers = new HashMap<>(known.numbers());
    this.rows = of(plan.pieces().first().rows());
  }

  private double of(Atom x) {
    return new WorkOf(numbers, Double.NaN).number(x);
  }

  private double machines() {
    return Math.ceil(cores / rates.coresOfMachine());
  }

  Seconds compute(Plan.Compute c) {
    numbers.putAll(known.numbers());
    var work = new WorkOf(numbers, Double.NaN);
    var all = work.body(c.function().body());
    var results = c.function().body().results();
    for (int i = 0; i < results.size(); i++) {
      if (isNumber(c.outputs().get(i))) {
        learn(c.outputs().get(i), work.number(results.get(i)));
      }
    }
    return on(all, 1);
  }

  private static boolean isNumber(Var v) {
    return v.type() instanceof Type.Scalar(var prim) && prim.isInteger();
  }

  private void learn(Var v, double guess) {
    if (known.number(v).isEmpty()) {
      numbers.put(v, guess);
    }
  }

  private static Seconds on(Work work, double cores) {
    double memory = Work.bytes(work.bytes()).seconds();
    return new Seconds((work.seconds() - memory) / cores, memory / cores, 0, 0);
  }

  /** The numbers of rows that are taken to be those of the first dataset. */
  List<Var> assumed() {
    return List.copyOf(assumed);
  }

  private void assume(Atom rows) {
    if (rows instanceof Var v && known.number(v).isEmpty()) {
      assumed.add(v);
    }
  }

  private void learn(Collection<Space> spaces) {
    for (var space : spaces) {
      assume(space.rows());
      learn(space.rows(), rows);
      learn(space.total(), rows);
    }
  }

  Seconds stage(Plan.Stage s) {
    var spaces = new LinkedHashSet<>(plan.pieces().datasets());
    spaces.addAll(s.spaces());
    learn(s.spaces());
    var own = new HashMap<>(numbers);
    for (var space : spaces) {
      own.put(space.total(), of(space.rows()));
      own.put(space.rows(), of(space.rows()) / pieces);
      own.put(space.before(), 0.0);
    }
    var work = new WorkOf(own, Double.NaN);
    var all = work.body(s.local().body());
    double rowBytes = 0;
    for (var v : rowsOf(s)) {
      assume(v.type().dims().getFirst());
      rowBytes += work.bytes(v.type());
    }
    all = all.plus(Work.bytes(rowBytes));
    s.outputs().stream().filter(StepTimes::isNumber).forEach(v -> learn(v, rows));
    double atOnce = Math.min(pieces, cores);
    double tasks = s.reads().isEmpty() && s.stored().isEmpty() ? atOnce : pieces;
    boolean ownJob = !s.outputs().isEmpty() || !s.gathered().isEmpty() || !s.kept().isEmpty();
    return on(all.times(pieces), s.states() > 0 ? 1 : atOnce)
        .plus(
            new Seconds(0, 0, network(s, tasks), (ownJob ? rates.job() : 0) + tasks * rates.task()))
        .plus(combining(s, tasks));
  }

  /** The rows that a stage reads and writes. */
  private List<Var> rowsOf(Plan.Stage s) {
    return Stream.of(
            s.sharded().stream().map(plan.sharded()::get),
            s.reads().stream(),
            Stream.concat(s.kept().stream(), s.stored().stream()).distinct())
        .flatMap(x -> x)
        .toList();
  }

  private double bytes(Collection<Var> values) {
    var sizes = new WorkOf(numbers, Double.NaN);
    return values.stream().mapToDouble(v -> sizes.bytes(v.type())).sum();
  }

  private double network(Plan.Stage s, double tasks) {
    double sent = 0;
    for (var v : s.broadcast()) {
      double bytes = bytes(List.of(v));
      sent += bytes * (bytes > WITH_TASKS ? machines() : tasks);
    }
    return (sent + given(s, tasks) + bytes(s.gathered())) / rates.wire();
  }

  /** What comes to the driver of combined values. */
  private double given(Plan.Stage s, double tasks) {
    double each = bytes(s.outputs());
    return each * (each * tasks > AT_DRIVER ? Math.ceil(tasks / GROUP) + GROUP : tasks);
  }

  private Seconds combining(Plan.Stage s, double tasks) {
    return on(Work.bytes(3 * given(s, tasks)), 1);
  }

  Seconds exchange(Plan.Exchange e) {
    learn(e.spaces());
    if (e instanceof Plan.Send s) {
      learn(List.of(s.arrived()));
    }
    return e instanceof Plan.Fetch f && sendsTable(f) ? sentTable(f) : asked(e);
  }

  /** Whether the pieces are sent all rows of the table. */
  boolean sendsTable(Plan.Fetch f) {
    return rates.equals(Rates.SPARK)
        && WholeTable.isSent(f, of(f.source().rows()), of(f.space().rows()), pieces);
  }

  private Seconds sentTable(Plan.Fetch f) {
    double sent = bytes(List.of(f.from())) * pieces / rates.wire() / Math.min(pieces, machines());
    double read = of(f.space().rows()) * Rates.JUMP / Math.min(pieces, cores);
    return new Seconds(read, 0, sent, pieces * rates.task());
  }

  /** How long an exchange takes by which pieces ask for rows, or send some. */
  Seconds asked(Plan.Exchange e) {
    double moved =
        switch (e) {
          case Plan.Recut r -> {
            double rest = of(r.source().rows()) - of(r.target().rows()) - of(r.offset());
            double shift = Math.max(of(r.offset()), rest);
            double all = bytes(e.to());
            double row = all / Math.max(1, of(r.target().rows()));
            yield Math.min(all, shift * row * (pieces - 1));
          }
          case Plan.Fetch f -> bytes(List.of(f.index(), f.result()));
          case Plan.Send s -> bytes(s.reads());
        };
    double copied = moved / rates.wire() / Math.min(pieces, machines());
    double named =
        e instanceof Plan.Recut ? 0 : of(e.spaces().get(e instanceof Plan.Fetch ? 1 : 0).rows());
    double movers = Math.min(pieces, machines() * rates.movers());
    double sorting = named * Rates.ROW / movers;
    return new Seconds(sorting, 0, copied, 2 * pieces * rates.task());
  }

  /**
   * Returns how long it would take if all pieces had the table that an exchange by numbers goes to,
   * and did without the exchange; nothing if that isn't shorter, or if the table isn't a dataset.
   */
  Optional<Alternative> instead(Plan.Exchange e) {
    var table =
        switch (e) {
          case Plan.Recut _ -> null;
          case Plan.Fetch f -> f.source();
          case Plan.Send s -> s.target();
        };
    var columns =
        plan.sharded().stream()
            .filter(c -> table != null && c.type().dims().getFirst().equals(table.rows()))
            .toList();
    if (columns.isEmpty() || plan.pieces().first().equals(table)) {
      return Optional.empty();
    }
    double bytes = bytes(columns);
    double places = e instanceof Plan.Send ? Math.min(pieces, cores) : machines();
    double seconds = bytes * places / rates.wire();
    return seconds < exchange(e).total() && bytes < LARGEST
        ? Optional.of(new Alternative(columns, bytes, seconds))
        : Optional.empty();
  }

  /**
   * Datasets that needn't be in pieces.
   *
   * @param columns of the dataset
   */
  record Alternative(List<Var> columns, double bytes, double seconds) {}

  /** Says that an iteration of a loop begins. */
  void begin(Plan.Repeat r) {
    if (r.form() instanceof Exp.For(var i, var bound)) {
      numbers.put(i, of(bound) / 2);
    }
    for (var p : r.params()) {
      if (isNumber(p.var())) {
        learn(p.var(), of(p.init()));
      }
    }
  }

  /** Says that a loop or a branch has given values. */
  void end(List<Var> outputs, List<? extends Atom> values) {
    for (int i = 0; i < outputs.size(); i++) {
      if (isNumber(outputs.get(i)) && !(values.get(i) instanceof Const)) {
        learn(outputs.get(i), of(values.get(i)));
      }
    }
  }
}
