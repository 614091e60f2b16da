package dev.kenaz.fuse;

import dev.kenaz.analysis.UniformArrays;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.Stm;
import dev.kenaz.pass.Pass;
import java.util.List;
import java.util.Optional;

/** This class has the fusing passes. They expect a simplified program without derivatives. */
public final class Fuse {
  public static final Pass<CoreProgram, CoreProgram> ROW_INPUTS =
      Pass.of(
          "row-inputs",
          "Makes inputs of the arrays that a map reads at its own index.",
          RowInputs::run);

  public static final Pass<CoreProgram, CoreProgram> LATE_UPDATES =
      Pass.of(
          "late-updates",
          "Moves updates behind the reads that they leave alone.",
          LateUpdates::run);

  public static final Pass<CoreProgram, CoreProgram> FUSION =
      Pass.of(
          "fusion",
          "Joins operators with those that read their results, and neighbours with each other.",
          Fusion::run);

  public static final Pass<CoreProgram, CoreProgram> VERTICAL =
      Pass.of(
          "vertical-fusion",
          "Joins operators with those that read their results.",
          Fusion::vertically);

  public static final Pass<CoreProgram, CoreProgram> ACC_SPLIT =
      Pass.of("acc-split", "Takes out of an accumulation what it does not need.", AccSplit::run);

  public static final Pass<CoreProgram, CoreProgram> CONTRACTIONS =
      Pass.of(
          "contractions", "Makes reductions of accumulations in perfect nests.", Contractions::run);

  public static final Pass<CoreProgram, CoreProgram> SAME_REDUCTIONS =
      Pass.of(
          "same-reductions", "Removes a reduction that another one does too.", SameReductions::run);

  public static final Pass<CoreProgram, CoreProgram> ACC_JOIN =
      Pass.of(
          "acc-join", "Computes a value and its gradient in one pass over the data.", AccJoin::run);

  /** This pass runs before derivatives are taken. */
  public static final Pass<CoreProgram, CoreProgram> WANTED_ROWS =
      Pass.of(
          "wanted-rows", "Computes only those rows of an array that are read.", WantedRows::run);

  /** This pass runs once, before anything is fused. */
  public static final Pass<CoreProgram, CoreProgram> INVARIANTS =
      Pass.of(
          "invariants",
          "Computes once what is expensive and the same for all rows of a map.",
          Invariants::run);

  /**
   * This pass runs once, too, for GPUs, where many small products take longer than a large one; a
   * processor has the small one's matrices in its caches.
   */
  public static final Pass<CoreProgram, CoreProgram> EARLY_PRODUCTS =
      Pass.of(
          "early-products",
          "Multiplies before a loop what doesn't depend on its iterations.",
          EarlyProducts::run);

  /** This pass runs once, when all is fused. */
  public static final Pass<CoreProgram, CoreProgram> SHARED_WORK =
      Pass.of(
          "shared-work",
          "Hands on what a nested operator has computed, so that it is not computed again.",
          SharedWork::run);

  /** This pass runs last, for the other passes know accumulations only. */
  public static final Pass<CoreProgram, CoreProgram> HISTOGRAMS =
      Pass.of(
          "histograms",
          "Makes histograms of accumulations with one update in each step.",
          Histograms::run);

  public static final Pass<CoreProgram, CoreProgram> INTERCHANGE =
      Pass.of(
          "interchange",
          "Exchanges scans and reductions of vectors with the maps in them (ISWIM, IRWIM).",
          Interchange::run);

  public static final Pass<CoreProgram, CoreProgram> RED_FLAT =
      Pass.of(
          "red-flat", "Makes one reduction of reductions of reductions (RedFlat).", RedFlat::run);

  public static final Pass<CoreProgram, CoreProgram> SMALL_ROWS =
      Pass.of(
          "small-rows", "Makes operators on tuples of operators on small arrays.", SmallRows::run);

  public static final Pass<CoreProgram, CoreProgram> ROW_UPDATES =
      Pass.of("row-updates", "Makes updates of elements of updates of rows.", RowUpdates::run);

  public static final Pass<CoreProgram, CoreProgram> EXTREMA_FIRST =
      Pass.of(
          "extrema-first",
          "Finds the extrema of histograms before the elements that they are.",
          ExtremaFirst::run);

  public static final Pass<CoreProgram, CoreProgram> LATE_SUMS =
      Pass.of(
          "late-sums", "Adds up after a loop what its iterations add to arrays.", LateSums::run);

  public static final Pass<CoreProgram, CoreProgram> FACTORED_SUMS =
      Pass.of(
          "factored-sums",
          "Takes factors that are the same for all rows out of sums over the rows.",
          FactoredSums::run);

  public static final Pass<CoreProgram, CoreProgram> JOINED_SUMS =
      Pass.of(
          "joined-sums",
          "Makes one sum of sums over the same elements that are only added up.",
          JoinedSums::run);

  public static final Pass<CoreProgram, CoreProgram> CHEAP_ROWS =
      Pass.of(
          "cheap-rows",
          "Computes cheap rows of nested operators again, wherever they are read.",
          CheapRows::run);

  public static final Pass<CoreProgram, CoreProgram> PADDED_ROWS =
      Pass.of(
          "padded-rows",
          "Makes maps of rows that are filled and then partly overwritten.",
          PaddedRows::run);

  public static final Pass<CoreProgram, CoreProgram> ALL_CONTRACTIONS =
      Pass.of(
          "all-contractions",
          "Makes reductions of accumulations in perfect nests, also of those over the data.",
          Contractions::everywhere);

  /**
   * This pass takes what is left of reductions and scans of arrays when interchange has done its
   * work.
   */
  public static final Pass<CoreProgram, CoreProgram> TREES =
      Pass.of("trees", "Makes loops of maps of reductions and scans of arrays.", Trees::run);

  public static final Pass<CoreProgram, CoreProgram> SUMS_FIRST =
      Pass.of(
          "sums-first",
          "Adds up what a short inner operator adds to one place of an accumulator.",
          SumsFirst::run);

  public static final Pass<CoreProgram, CoreProgram> UPDATE_LOOPS =
      Pass.of(
          "update-loops", "Makes maps of loops that only update accumulators.", UpdateLoops::run);

  public static final Pass<CoreProgram, CoreProgram> EXACT_SUMS =
      Pass.of(
          "exact-sums",
          "Adds up floats as integers, whose sums are the same in any order.",
          ExactSums::run);

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
