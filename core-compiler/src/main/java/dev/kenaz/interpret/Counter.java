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
 * those new slices of which the counter was told. Selections, and conversions that keep an
 * integer's bits, are free too.
 */
public final class Counter {
  private long scalarOps;
  private long reads;
  private long writes;

  /** Steps that may still be done, by {@link WorkLimit}. */
  private long left = WorkLimit.steps();

  /** Work in statements themselves, without those inside; null if nobody asked. */
  private final Map<Stm, Long> statements;

  private long inside;

  private final Set<Var> inPlace;

  public Counter() {
    this(Set.of());
  }

  /**
   * @param inPlace arrays that are built where an update puts them
   */
  public Counter(Set<Var> inPlace) {
    this(inPlace, null);
  }

  private Counter(Set<Var> inPlace, Map<Stm, Long> statements) {
    this.inPlace = Set.copyOf(inPlace);
    this.statements = statements;
  }

  /** One that also knows which statement did what. */
  public static Counter ofStatements(Set<Var> inPlace) {
    return new Counter(inPlace, new IdentityHashMap<>());
  }

  /** All that is counted. */
  public long total() {
    return scalarOps + reads + writes;
  }

  /** What each statement did, those inside it not included; most first. */
  public List<Map.Entry<Stm, Long>> statements() {
    return statements.entrySet().stream()
        .sorted(Map.Entry.<Stm, Long>comparingByValue().reversed())
        .toList();
  }

  /** Does a statement's work. */
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

  /** Arithmetic, comparisons and conversions of scalars. */
  public long scalarOps() {
    return scalarOps;
  }

  /** Array elements read. */
  public long reads() {
    return reads;
  }

  /** Array elements written. */
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

  /** Elements of the array. */
  void read(Arr a, long elements) {
    steps(elements);
    reads += a.place() == Arr.Place.COMPUTED ? 0 : elements;
  }

  /** The array will be overwritten, or is a result of the program: it must have memory. */
  void materialise(Arr a) {
    if (a.place() == Arr.Place.REPEATED || a.place() == Arr.Place.COMPUTED) {
      read(a, a.size());
      write(a.size());
      a.in(Arr.Place.MEMORY);
    }
  }

  /**
   * A slice of the array is overwritten.
   *
   * @param name what the program calls the new elements
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

  /** The array becomes part of a larger one. */
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
