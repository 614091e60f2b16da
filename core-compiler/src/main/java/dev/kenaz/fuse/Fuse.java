package dev.kenaz.fuse;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.Printer;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import dev.kenaz.pass.Pass;
import dev.kenaz.simplify.Simplify;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The fusing passes. They expect a simplified program without derivatives. */
public final class Fuse {
  private static final int MAX_ROUNDS = 6;

  public static final Pass ROW_INPUTS =
      new Pass(
          "row-inputs", "arrays read at the map's own index become its inputs", RowInputs::run);

  public static final Pass LATE_UPDATES =
      new Pass("late-updates", "updates after the reads that they leave alone", LateUpdates::run);

  public static final Pass FUSION =
      new Pass("fusion", "producers into consumers, neighbours together", Fusion::run);

  public static final Pass VERTICAL =
      new Pass("vertical-fusion", "producers into consumers", Fusion::vertically);

  public static final Pass SPLIT =
      new Pass("acc-split", "what an accumulation does not need leaves it", AccSplit::run);

  public static final Pass CONTRACTIONS =
      new Pass(
          "contractions", "accumulations in perfect nests become reductions", Contractions::run);

  public static final Pass SAME_REDUCTIONS =
      new Pass("same-reductions", "what two reductions both do is done once", SameReductions::run);

  /** This pass runs once, when all is fused. */
  public static final Pass SHARED_WORK =
      new Pass(
          "shared-work", "what a nested operator computed is not computed again", SharedWork::run);

  /** This pass runs last, for the other passes know accumulations only. */
  public static final Pass HISTOGRAMS =
      new Pass(
          "histograms", "accumulations with one update a step become histograms", Histograms::run);

  public static final Pass INTERCHANGE =
      new Pass(
          "interchange",
          "scans and reductions of vectors change places with the maps in them (ISWIM, IRWIM)",
          Interchange::run);

  public static final Pass RED_FLAT =
      new Pass("red-flat", "reductions of reductions become one (RedFlat)", RedFlat::run);

  public static final Pass SMALL_ROWS =
      new Pass(
          "small-rows", "operators on small arrays become operators on tuples", SmallRows::run);

  public static final Pass ROW_UPDATES =
      new Pass("row-updates", "updates of rows become updates of elements", RowUpdates::run);

  public static final Pass ALL_CONTRACTIONS =
      new Pass(
          "all-contractions",
          "accumulations in perfect nests become reductions, those over the data too",
          Contractions::everywhere);

  /**
   * This pass takes what is left of reductions and scans of arrays when interchange has done its
   * work.
   */
  public static final Pass TREES =
      new Pass("trees", "reductions and scans of arrays become loops of maps", Trees::run);

  /**
   * This pass is for backends with more threads than rows: it makes more parallelism, for accesses
   * that are further apart. It runs after distribution, which knows rows only.
   */
  public static final Pass WIDEN =
      new Pass("widen", "more parallelism at the outside", Fuse::widen);

  /** This pass runs all of them, with simplification in between, until nothing changes. */
  public static final Pass FUSE =
      new Pass("fuse", "fewer and larger parallel operators", Fuse::fuse);

  private Fuse() {}

  /**
   * Takes an operator on arrays apart into statements in which what is parallel in the operator is
   * parallel too, for an operator inside a nest of maps that is taken apart. Each row is kept then,
   * and each level of a tree is an iteration of a loop.
   *
   * @param uniform for arrays of equal elements that element
   */
  public static Optional<List<Stm>> arrayOperators(Stm stm, Map<Var, Atom> uniform) {
    return stm.exp() instanceof Screma s && OperatorFission.any(s, OperatorFission::ofArrays)
        ? Optional.of(
            Interchange.possible(s) ? Interchange.always(stm, s, uniform) : Trees.inPlace(stm, s))
        : Optional.empty();
  }

  /** The single passes, in order. */
  public static List<Pass> passes() {
    return List.of(
        ROW_INPUTS, SPLIT, LATE_UPDATES, VERTICAL, FUSION, SAME_REDUCTIONS, CONTRACTIONS);
  }

  private static CoreProgram widen(CoreProgram program) {
    var passes = new ArrayList<>(List.of(INTERCHANGE, RED_FLAT, ROW_UPDATES, ALL_CONTRACTIONS));
    passes.addAll(passes());
    var wide = toFixpoint(program, passes);
    for (var last : List.of(SMALL_ROWS, TREES)) {
      var next = last.function().apply(wide);
      wide = next == wide ? wide : toFixpoint(next, passes);
    }
    return wide;
  }

  private static CoreProgram fuse(CoreProgram program) {
    var vertical =
        toFixpoint(program, List.of(ROW_INPUTS, SPLIT, LATE_UPDATES, VERTICAL, CONTRACTIONS));
    var p = AccJoin.run(toFixpoint(vertical, passes()));
    var shared = SHARED_WORK.function().apply(toFixpoint(p, passes()));
    return toFixpoint(HISTOGRAMS.function().apply(shared), passes());
  }

  static CoreProgram toFixpoint(CoreProgram program, List<Pass> passes) {
    var p = Simplify.simplify(program);
    var text = Printer.printRenumbered(p);
    for (int round = 0; round < MAX_ROUNDS; round++) {
      for (var pass : passes) {
        p = pass.function().apply(p);
      }
      p = Simplify.simplify(p);
      var next = Printer.printRenumbered(p);
      if (next.equals(text)) {
        break;
      }
      text = next;
    }
    return p;
  }
}
