package dev.kenaz.distribute;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.Index;
import dev.kenaz.ir.Exp.Iota;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** The spaces of a plan: all sizes that are divided among the pieces. */
final class Spaces {
  private final Map<Var, Space> all = new LinkedHashMap<>();
  private final Map<Var, Var> totals = new HashMap<>();
  private final Set<Var> large = new HashSet<>();
  private final Set<Var> own = new HashSet<>();
  private final Map<Var, Atom> stretches = new HashMap<>();
  private boolean oneDataset = true;

  /** Says that a number is as large as a number of rows. */
  void addLarge(Var size) {
    large.add(size);
  }

  /** Says that a variable is bound to how many rows the piece itself has. */
  void addOwn(Var count) {
    own.add(count);
  }

  /**
   * Says that each of the rows of that number has a stretch of the array's rows, in the same order,
   * and that the array is cut as they are: a piece has the stretches of its own rows.
   */
  void addStretches(Var array, Atom rows) {
    stretches.put(array, rows);
  }

  /** Whether a piece has the stretches of the array that belong to its own rows. */
  boolean stretches(Var array, Atom rows) {
    return rows.equals(stretches.get(array));
  }

  /** Whether rows of that array are stretches that belong to other rows. */
  boolean isOfStretches(Var array) {
    return stretches.containsKey(array);
  }

  boolean isLarge(Var size) {
    return large.contains(size);
  }

  void add(Space space) {
    all.put(space.rows(), space);
    totals.put(space.rows(), space.total());
  }

  /** Adds a space whose number of rows has nothing to do with that of the first dataset. */
  void addIndependent(Space space) {
    oneDataset = all.isEmpty();
    add(space);
  }

  /** Whether there are no rows at all where the first dataset has none. */
  boolean emptyTogether() {
    return oneDataset;
  }

  boolean has(Atom size) {
    return all.containsKey(size);
  }

  boolean hasAny(Collection<? extends Atom> sizes) {
    return sizes.stream().anyMatch(this::has);
  }

  Space of(Atom size) {
    return all.get(size);
  }

  Collection<Space> all() {
    return all.values();
  }

  /** Returns the only dimension of the type that is divided; -1 if none or several are. */
  int dimOf(Type type) {
    var sizes = RowsUse.sizesOf(type);
    int dim = -1;
    for (int i = 0; i < sizes.size(); i++) {
      if (has(sizes.get(i))) {
        if (dim >= 0) {
          return -1;
        }
        dim = i;
      }
    }
    return dim;
  }

  boolean inType(Type type) {
    return hasAny(RowsUse.sizesOf(type));
  }

  /** Replaces sizes that are used as numbers by the numbers of all rows. */
  RowsUse counted() {
    return new RowsUse(totals, own, stretches.keySet());
  }

  boolean asSize(Stm stm) {
    return RowsUse.asSize(stm, totals, stretches.keySet());
  }

  boolean asSize(Lambda lambda) {
    return RowsUse.asSize(lambda, totals, stretches.keySet());
  }

  /**
   * Returns what a statement uses in a stage. A size that is used as a number, or to number rows,
   * counts as the number of all rows.
   */
  Set<Var> usedInStage(Stm stm) {
    var used = new HashSet<Var>();
    counted().stm(stm).forEach(s -> used.addAll(FreeVars.of(s)));
    new Rewriter() {
      @Override
      public Exp exp(Exp exp) {
        if (exp instanceof Iota(var n, _, _) && has(n)) {
          used.add(of(n).total());
        }
        if (exp instanceof Index(var array, var is, _)) {
          array.type().dims().subList(0, is.size()).stream()
              .filter(d -> has(d))
              .forEach(d -> used.add(of(d).total()));
        }
        return Rewriter.super.exp(exp);
      }
    }.stm(stm);
    return used;
  }

  /** Returns what a statement uses in the driver, where sizes are the numbers of all rows. */
  Set<Var> usedInDriver(Stm stm) {
    var used = new HashSet<Var>(FreeVars.of(stm));
    var sizes = new HashSet<Var>();
    for (var v : used) {
      RowsUse.sizesOf(v.type()).stream().filter(this::has).forEach(s -> sizes.add((Var) s));
    }
    stm.pattern()
        .forEach(
            v ->
                RowsUse.sizesOf(v.type()).stream()
                    .filter(this::has)
                    .forEach(s -> sizes.add((Var) s)));
    used.addAll(sizes);
    used.stream().filter(this::has).toList().forEach(s -> used.add(of(s).total()));
    return used;
  }
}
