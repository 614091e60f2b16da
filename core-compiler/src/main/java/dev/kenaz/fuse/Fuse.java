package dev.kenaz.fuse;

import dev.kenaz.analysis.UniformArrays;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.Stm;
import dev.kenaz.pass.Pass;
import java.util.List;
import java.util.Optional;

/** The fusing passes. They expect a simplified program without derivatives. */
public final class Fuse {
  public static final Pass<CoreProgram, CoreProgram> ROW_INPUTS =
      Pass.of("row-inputs", "arrays read at the map's own index become its inputs", RowInputs::run);

  public static final Pass<CoreProgram, CoreProgram> LATE_UPDATES =
      Pass.of("late-updates", "updates after the reads that they leave alone", LateUpdates::run);

  public static final Pass<CoreProgram, CoreProgram> FUSION =
      Pass.of("fusion", "producers into consumers, neighbours together", Fusion::run);

  public static final Pass<CoreProgram, CoreProgram> VERTICAL =
      Pass.of("vertical-fusion", "producers into consumers", Fusion::vertically);

  public static final Pass<CoreProgram, CoreProgram> ACC_SPLIT =
      Pass.of("acc-split", "what an accumulation does not need leaves it", AccSplit::run);

  public static final Pass<CoreProgram, CoreProgram> CONTRACTIONS =
      Pass.of(
          "contractions", "accumulations in perfect nests become reductions", Contractions::run);

  public static final Pass<CoreProgram, CoreProgram> SAME_REDUCTIONS =
      Pass.of("same-reductions", "what two reductions both do is done once", SameReductions::run);

  public static final Pass<CoreProgram, CoreProgram> ACC_JOIN =
      Pass.of("acc-join", "one pass over the data for a value and its gradient", AccJoin::run);

  /** This pass runs once, when all is fused. */
  public static final Pass<CoreProgram, CoreProgram> SHARED_WORK =
      Pass.of(
          "shared-work", "what a nested operator computed is not computed again", SharedWork::run);

  /** This pass runs last, for the other passes know accumulations only. */
  public static final Pass<CoreProgram, CoreProgram> HISTOGRAMS =
      Pass.of(
          "histograms", "accumulations with one update a step become histograms", Histograms::run);

  public static final Pass<CoreProgram, CoreProgram> INTERCHANGE =
      Pass.of(
          "interchange",
          "scans and reductions of vectors change places with the maps in them (ISWIM, IRWIM)",
          Interchange::run);

  public static final Pass<CoreProgram, CoreProgram> RED_FLAT =
      Pass.of("red-flat", "reductions of reductions become one (RedFlat)", RedFlat::run);

  public static final Pass<CoreProgram, CoreProgram> SMALL_ROWS =
      Pass.of("small-rows", "operators on small arrays become operators on tuples", SmallRows::run);

  public static final Pass<CoreProgram, CoreProgram> ROW_UPDATES =
      Pass.of("row-updates", "updates of rows become updates of elements", RowUpdates::run);

  public static final Pass<CoreProgram, CoreProgram> ALL_CONTRACTIONS =
      Pass.of(
          "all-contractions",
          "accumulations in perfect nests become reductions, those over the data too",
          Contractions::everywhere);

  /**
   * This pass takes what is left of reductions and scans of arrays when interchange has done its
   * work.
   */
  public static final Pass<CoreProgram, CoreProgram> TREES =
      Pass.of("trees", "reductions and scans of arrays become loops of maps", Trees::run);

  private Fuse() {}

  /**
   * Takes an operator on arrays apart into statements in which what is parallel in the operator is
   * parallel too, for an operator inside a nest of maps that is taken apart. Each row is kept then,
   * and each level of a tree is an iteration of a loop.
   */
  public static Optional<List<Stm>> arrayOperators(Stm stm, UniformArrays uniform) {
    return stm.exp() instanceof Screma s && OperatorFission.any(s, OperatorFission::ofArrays)
        ? Optional.of(
            Interchange.possible(s) ? Interchange.always(stm, s, uniform) : Trees.inPlace(stm, s))
        : Optional.empty();
  }
}
