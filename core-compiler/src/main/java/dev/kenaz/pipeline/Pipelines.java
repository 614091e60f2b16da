package dev.kenaz.pipeline;

import static dev.kenaz.fuse.Fuse.ACC_JOIN;
import static dev.kenaz.fuse.Fuse.ACC_SPLIT;
import static dev.kenaz.fuse.Fuse.ALL_CONTRACTIONS;
import static dev.kenaz.fuse.Fuse.CHEAP_ROWS;
import static dev.kenaz.fuse.Fuse.CONTRACTIONS;
import static dev.kenaz.fuse.Fuse.EARLY_PRODUCTS;
import static dev.kenaz.fuse.Fuse.EXACT_SUMS;
import static dev.kenaz.fuse.Fuse.EXTREMA_FIRST;
import static dev.kenaz.fuse.Fuse.FACTORED_SUMS;
import static dev.kenaz.fuse.Fuse.FUSION;
import static dev.kenaz.fuse.Fuse.HISTOGRAMS;
import static dev.kenaz.fuse.Fuse.INTERCHANGE;
import static dev.kenaz.fuse.Fuse.INVARIANTS;
import static dev.kenaz.fuse.Fuse.JOINED_SUMS;
import static dev.kenaz.fuse.Fuse.LATE_SUMS;
import static dev.kenaz.fuse.Fuse.LATE_UPDATES;
import static dev.kenaz.fuse.Fuse.PADDED_ROWS;
import static dev.kenaz.fuse.Fuse.RED_FLAT;
import static dev.kenaz.fuse.Fuse.ROW_INPUTS;
import static dev.kenaz.fuse.Fuse.ROW_UPDATES;
import static dev.kenaz.fuse.Fuse.SAME_REDUCTIONS;
import static dev.kenaz.fuse.Fuse.SHARED_WORK;
import static dev.kenaz.fuse.Fuse.SMALL_ROWS;
import static dev.kenaz.fuse.Fuse.SUMS_FIRST;
import static dev.kenaz.fuse.Fuse.TREES;
import static dev.kenaz.fuse.Fuse.UPDATE_LOOPS;
import static dev.kenaz.fuse.Fuse.VERTICAL;
import static dev.kenaz.fuse.Fuse.WANTED_ROWS;
import static dev.kenaz.simplify.Simplify.INLINE;
import static dev.kenaz.simplify.Simplify.SIMPLIFY;

import dev.kenaz.ad.Differentiate;
import dev.kenaz.cuda.CudaProgram;
import dev.kenaz.cuda.CudaText;
import dev.kenaz.distribute.Plan;
import dev.kenaz.distribute.Planner;
import dev.kenaz.flatten.Flatten;
import dev.kenaz.flatten.FlattenOptions;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.jvm.JvmOptions;
import dev.kenaz.jvm.JvmProgram;
import dev.kenaz.kernels.GpuLowering;
import dev.kenaz.loopir.GpuProgram;
import dev.kenaz.loopir.LoopProgram;
import dev.kenaz.loops.Lowering;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pass.Pass;
import dev.kenaz.pass.Pipeline;
import dev.kenaz.segir.SegProgram;
import dev.kenaz.simplify.Filters;
import dev.kenaz.simplify.Inliner;
import dev.kenaz.typing.TypedProgram;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * All passes between a lowered program and what runs it, in their order. Begin reading the compiler
 * here. {@code kenaz dev --passes} prints a backend's list, and {@code --after NAME} prints the
 * program as one of its passes leaves it.
 */
public final class Pipelines {
  /**
   * The passes that only make a program faster, and so can be left out; {@link
   * Differentiate#SPECIAL_RULES} are the rules for some operators, in place of which one for all
   * can be used.
   */
  public static final Set<String> CAN_BE_LEFT_OUT =
      Stream.concat(
              Stream.of(
                      WANTED_ROWS,
                      INVARIANTS,
                      EARLY_PRODUCTS,
                      ROW_INPUTS,
                      LATE_UPDATES,
                      FUSION,
                      VERTICAL,
                      ACC_SPLIT,
                      CONTRACTIONS,
                      SAME_REDUCTIONS,
                      ACC_JOIN,
                      FACTORED_SUMS,
                      SHARED_WORK,
                      HISTOGRAMS)
                  .map(Pass::name),
              Stream.of(Differentiate.SPECIAL_RULES))
          .collect(Collectors.toUnmodifiableSet());

  /** Later rounds find next to nothing; a bound guards against passes that undo each other. */
  private static final int ROUNDS = 6;

  static final Pass<TypedProgram, CoreProgram> LOWER =
      Pass.of("lower", "Translates the typed tree to core IR.", dev.kenaz.lower.Lowering::lower);

  private static final Pass<CoreProgram, CoreProgram> FUSE_VERTICALLY =
      Pass.fixpoint(
          "fuse-vertically",
          "Joins operators with those that read their results, before neighbours are joined.",
          ROUNDS,
          List.of(ROW_INPUTS, ACC_SPLIT, LATE_UPDATES, VERTICAL, CONTRACTIONS, SIMPLIFY));

  private static final Pass<CoreProgram, CoreProgram> FUSE =
      Pass.fixpoint(
          "fuse",
          "Makes fewer and larger parallel operators.",
          ROUNDS,
          List.of(
              ROW_INPUTS,
              ACC_SPLIT,
              LATE_UPDATES,
              VERTICAL,
              FUSION,
              SAME_REDUCTIONS,
              CONTRACTIONS,
              SIMPLIFY));

  private static final Pass<CoreProgram, CoreProgram> WIDEN =
      Pass.fixpoint(
          "widen",
          "Moves parallelism to the outside, at the price of accesses that are further apart.",
          ROUNDS,
          List.of(
              INTERCHANGE,
              RED_FLAT,
              ROW_UPDATES,
              ALL_CONTRACTIONS,
              ROW_INPUTS,
              ACC_SPLIT,
              LATE_UPDATES,
              VERTICAL,
              FUSION,
              SAME_REDUCTIONS,
              CONTRACTIONS,
              SIMPLIFY));

  /** These passes make fewer and larger operators, in a simplified program without derivatives. */
  public static final Pipeline<CoreProgram, CoreProgram> FUSED =
      Pipeline.<CoreProgram>start()
          .then(SIMPLIFY)
          .then(FUSE_VERTICALLY)
          .then(FUSE)
          .then(ACC_JOIN)
          .then(SIMPLIFY)
          .then(FUSE)
          .then(FACTORED_SUMS)
          .then(SHARED_WORK)
          .then(SIMPLIFY)
          .then(FUSE)
          .then(HISTOGRAMS)
          .then(SIMPLIFY)
          .then(FUSE);

  /**
   * These passes make of the sums of a loop's iterations larger sums after it, in a fused program.
   */
  static final Pipeline<CoreProgram, CoreProgram> LATE =
      Pipeline.<CoreProgram>start().then(LATE_SUMS).then(SIMPLIFY).then(FUSE);

  /**
   * These passes make more parallelism in a fused program, for machines with more threads than
   * rows.
   */
  public static final Pipeline<CoreProgram, CoreProgram> WIDENED =
      Pipeline.<CoreProgram>start()
          .then(SIMPLIFY)
          .then(EXTREMA_FIRST)
          .then(LATE_SUMS)
          .then(SIMPLIFY)
          .then(WIDEN)
          .then(SMALL_ROWS)
          .then(PADDED_ROWS)
          .then(JOINED_SUMS)
          .then(CHEAP_ROWS)
          .then(SIMPLIFY)
          .then(WIDEN)
          .then(TREES)
          .then(SIMPLIFY)
          .then(WIDEN);

  private Pipelines() {}

  /** Returns all passes of the options' backend. */
  public static Pipeline<TypedProgram, ?> of(CompileOptions options) {
    return lowered().then(Route.ofLowered(options).passes());
  }

  /** Returns the pass that makes core IR. */
  public static Pipeline<TypedProgram, CoreProgram> lowered() {
    return Pipeline.<TypedProgram>start().then(LOWER);
  }

  /**
   * Returns the passes that make a fused program without derivatives, which all backends but the
   * interpreter take.
   */
  public static Pipeline<TypedProgram, CoreProgram> optimised(CompileOptions options) {
    return lowered().then(optimise(options));
  }

  /** Returns the passes that lead from {@link #lowered} to {@link #optimised}. */
  static Pipeline<CoreProgram, CoreProgram> optimise(CompileOptions options) {
    boolean jvm = options.backend() == Backend.JVM;
    var ready = simple().then(WANTED_ROWS).then(Differentiate.by(options)).then(SIMPLIFY);
    return ready.then(jvm ? INVARIANTS : EARLY_PRODUCTS).then(FUSED);
  }

  private static Pipeline<CoreProgram, CoreProgram> differentiate(CompileOptions options) {
    return simple().then(Differentiate.by(options));
  }

  private static Pipeline<CoreProgram, CoreProgram> simple() {
    return Pipeline.<CoreProgram>start().then(INLINE).then(SIMPLIFY);
  }

  /** Returns the passes that make a program without derivatives, before anything is fused. */
  public static Pipeline<TypedProgram, CoreProgram> differentiated(CompileOptions options) {
    return lowered().then(differentiate(options)).then(SIMPLIFY);
  }

  /** Returns the passes that compile an optimised program for the JVM. */
  public static Pipeline<CoreProgram, JvmProgram> jvm(JvmOptions options) {
    return loops(options.workers()).then(JvmProgram.pass(options));
  }

  /**
   * Returns the passes that make loop IR, from which the JVM's classes are made.
   *
   * @param workers on how many threads a call computes
   */
  public static Pipeline<CoreProgram, LoopProgram> loops(int workers) {
    return parallel(FlattenOptions.jvm(workers)).then(Lowering.pass(JvmProgram::runsInVectors));
  }

  /** Returns the passes that compile an optimised program for a GPU, or for what simulates one. */
  public static Pipeline<CoreProgram, GpuProgram> gpu() {
    return gpu(false);
  }

  /**
   * Returns the passes of {@link #gpu()}.
   *
   * @param deterministic whether results are the same in each run
   */
  public static Pipeline<CoreProgram, GpuProgram> gpu(boolean deterministic) {
    var options = FlattenOptions.gpu();
    var parallel =
        deterministic
            ? manyThreads().then(EXACT_SUMS).then(SIMPLIFY).then(Flatten.pass(options))
            : parallel(options);
    return kernels(parallel, GpuLowering.ENOUGH, deterministic);
  }

  /**
   * Returns the passes of {@link #gpu()} with other options.
   *
   * @param enough how many points decide for the wider of two versions
   */
  public static Pipeline<CoreProgram, GpuProgram> gpu(FlattenOptions options, long enough) {
    return kernels(parallel(options), enough, false);
  }

  private static Pipeline<CoreProgram, GpuProgram> kernels(
      Pipeline<CoreProgram, SegProgram> parallel, long enough, boolean deterministic) {
    return parallel
        .then(GpuLowering.kernels(enough, deterministic))
        .then(GpuLowering.HOST_KERNELS)
        .then(GpuLowering.DEVICE_LOOPS)
        .then(GpuLowering.LAST_USES)
        .then(GpuLowering.GUARDS);
  }

  /** Returns the passes that decide what of an optimised program runs in parallel. */
  public static Pipeline<CoreProgram, SegProgram> parallel(FlattenOptions options) {
    var ready =
        options.nested()
            ? manyThreads()
            : Pipeline.<CoreProgram>start().then(Inliner.ALL).then(Flatten.INNER_FILTERS);
    return ready.then(Flatten.pass(options));
  }

  private static Pipeline<CoreProgram, CoreProgram> manyThreads() {
    return Pipeline.<CoreProgram>start()
        .then(Filters.PASS)
        .then(UPDATE_LOOPS)
        .then(WIDENED)
        .then(SUMS_FIRST)
        .then(Inliner.ALL);
  }

  /** Returns the passes that make text for the GPU's compiler. */
  public static Pipeline<CoreProgram, CudaProgram> cuda() {
    return cuda(false);
  }

  /**
   * Returns the passes of {@link #cuda()}.
   *
   * @param deterministic whether results are the same in each run
   */
  public static Pipeline<CoreProgram, CudaProgram> cuda(boolean deterministic) {
    return gpu(deterministic).then(CudaText.PASS);
  }

  /**
   * Returns the passes that make a plan for a distributed call of an entry point. The functions of
   * its steps are programs without derivatives. Each is fused by itself, with {@link #FUSED}, and
   * then a backend's passes go on: what fusion joins can't be divided any more.
   *
   * @param dataset which parameters are in pieces
   * @param gathers whether what can't be computed piece by piece runs in one place
   */
  public static Pipeline<TypedProgram, Plan> plan(
      CompileOptions options, String entry, Set<Integer> dataset, boolean gathers) {
    return lowered().then(planLowered(options, entry, dataset, gathers));
  }

  /** Returns the passes that lead from {@link #lowered} to {@link #plan}. */
  public static Pipeline<CoreProgram, Plan> planLowered(
      CompileOptions options, String entry, Set<Integer> dataset, boolean gathers) {
    return Planner.turn(entry, dataset)
        .then(differentiate(options))
        .then(SIMPLIFY)
        .then(Planner.passes(entry, dataset, gathers));
  }
}
