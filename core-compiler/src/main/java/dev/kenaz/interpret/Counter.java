package dev.kenaz.interpret;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Counts how much work a run did, if it used memory as the backends do: views (slices, rows,
 * transpositions) are free, and so are index functions (iota, replicate) until they are overwritten
 * or returned; a row of a result is built in place, unless it lay elsewhere before, and so are
 * those slices that the counter was given as built in place. Selections, and conversions that keep
 * an integer's bits, are free too.
 */
public final class Counter {
  private long scalarOps;
  private long reads;
  private long writes;

  /** How many steps may still be done, by {@link WorkLimit}. */
  private long left = WorkLimit.steps();

  /** The work of each statement, without the statements inside it; null if it isn't counted. */
  private final Map<Stm, Long> statements;

  private long inside;

  private final Set<Var> inPlace;

  public Counter() {
    this(Set.of());
  }

  /**
   * @param inPlace the arrays that are built where an update puts them
   */
  public Counter(Set<Var> inPlace) {
    this(inPlace, null);
  }

  private Counter(Set<Var> inPlace, Map<Stm, Long> statements) {
    this.inPlace = Set.copyOf(inPlace);
    this.statements = statements;
  }

  /** Returns a counter that also counts the work of each statement. */
  public static Counter ofStatements(Set<Var> inPlace) {
    return new Counter(inPlace, new IdentityHashMap<>());
  }

  /** Returns the sum of all that is counted. */
  public long total() {
    return scalarOps + reads + writes;
  }

  /**
   * Returns the work of each statement, without the statements inside it; the largest comes first.
   */
  public List<Map.Entry<Stm, Long>> statements() {
    return statements.entrySet().stream()
        .sorted(Map.Entry.<Stm, Long>comparingByValue().reversed())
        .toList();
  }

  /** Does the work of a statement, and counts it as the statement's. */
  void in(Stm stm, Runnable work) {
    if (statements == null) {
      work.run();
      return;
    }
    long outside = inside;
    long before = total();
    inside = 0;
    work.run();
    long all = total() - before;
    statements.merge(stm, all - inside, Long::sum);
    inside = outside + all;
  }

  /** Returns how many scalars were computed: by arithmetic, comparisons and conversions. */
  public long scalarOps() {
    return scalarOps;
  }

  /** Returns how many array elements were read. */
  public long reads() {
    return reads;
  }

  /** Returns how many array elements were written. */
  public long writes() {
    return writes;
  }

  void op() {
    scalarOps++;
  }

  /** Notes that so many steps are done. */
  void steps(long n) {
    left -= n;
    if (left < 0) {
      throw new WorkLimit.Exceeded();
    }
  }

  /** Notes that so many steps at least will be done, by a loop that has yet to begin. */
  void expect(long n) {
    if (n > left) {
      throw new WorkLimit.Exceeded();
    }
  }

  /** Counts a read of so many elements of the array. */
  void read(Arr a, long elements) {
    steps(elements);
    reads += a.place() == Arr.Place.COMPUTED ? 0 : elements;
  }

  /**
   * Notes that the array must be in memory, as it will be overwritten or is a result of the
   * program.
   */
  void materialise(Arr a) {
    if (a.place() == Arr.Place.REPEATED || a.place() == Arr.Place.COMPUTED) {
      read(a, a.size());
      write(a.size());
      a.in(Arr.Place.MEMORY);
    }
  }

  /**
   * Counts the update of a slice of the array.
   *
   * @param name the program's name for the new elements
   */
  void update(Arr a, long elements, Atom name, Datum value) {
    boolean lies = a.place() != Arr.Place.REPEATED && a.place() != Arr.Place.COMPUTED;
    materialise(a);
    if (lies
        && value instanceof Arr from
        && from.place() == Arr.Place.NEW
        && name instanceof Var v
        && inPlace.contains(v)) {
      from.in(Arr.Place.MEMORY);
      return;
    }
    write(elements);
    if (value instanceof Arr from) {
      read(from, from.size());
    }
  }

  /** Notes that the array becomes part of a larger one. */
  void place(Arr a) {
    if (a.place() == Arr.Place.NEW) {
      a.in(Arr.Place.MEMORY);
    } else {
      read(a, a.size());
      write(a.size());
    }
  }

  void read(long elements) {
    steps(elements);
    reads += elements;
  }

  void write(long elements) {
    steps(elements);
    writes += elements;
  }
}
