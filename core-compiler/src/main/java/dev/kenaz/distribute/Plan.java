package dev.kenaz.distribute;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.Span;
import dev.kenaz.ir.Arguments;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Var;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A plan says how to run an entry point over a dataset in pieces.
 *
 * @param entry the entry point's name
 * @param pieces the variables that speak of pieces; {@code rows} is the size parameter that is the
 *     dataset's number of rows
 * @param sharded the parameters that are the dataset's columns, in the entry point's order
 * @param replicated the other parameters, sizes included, in order
 * @param sizes how many of those, the first ones, are sizes that the arrays tell
 * @param steps the steps in their order
 * @param results what the entry point returns, in terms of what the steps bind
 * @param shardedResults for each result, whether it stays in pieces (along its outer dimension)
 * @param rowDims for each result, the dimension that its rows are in the program. Where it isn't 0,
 *     the engine has the result with its rows as the outer dimension
 * @param gathered what runs in one place, on all rows
 */
public record Plan(
    String entry,
    Pieces pieces,
    List<Var> sharded,
    List<Var> replicated,
    int sizes,
    List<Step> steps,
    List<Atom> results,
    List<Boolean> shardedResults,
    List<Integer> rowDims,
    List<Gather> gathered) {
  public Plan {
    gathered = List.copyOf(gathered);
    sharded = List.copyOf(sharded);
    replicated = List.copyOf(replicated);
    steps = List.copyOf(steps);
    results = List.copyOf(results);
    shardedResults = List.copyOf(shardedResults);
    rowDims = List.copyOf(rowDims);
  }

  /**
   * Returns the values of the replicated parameters, sizes included, as {@link PlanRunner#run}
   * takes them.
   *
   * @param columns the shapes of the dataset's columns, whose number of rows doesn't matter; empty
   *     if the arguments tell all sizes
   * @param given the values of the replicated parameters that aren't sizes
   * @throws dev.kenaz.error.UserError (K6301, K6302) if the values don't fit
   */
  public List<Value> arguments(List<long[]> columns, List<? extends Value> given) {
    var arguments = new Arguments(entry);
    for (int i = 0; i < columns.size(); i++) {
      var column = sharded.get(i);
      var dims = column.type().dims();
      var row = Arrays.copyOfRange(columns.get(i), 1, dims.size());
      arguments.shape(dims.subList(1, dims.size()), row, "a row of column " + column.name());
    }
    var params = replicated.subList(sizes, replicated.size());
    var names = params.stream().map(Var::name).toList();
    return arguments.of(replicated.subList(0, sizes), params, names, given);
  }

  /** A step binds variables to values. */
  public sealed interface Step {}

  /** Returns the number of the dataset that has the column, in the order of {@link Pieces}. */
  public int datasetOf(int column) {
    var rows = sharded.get(column).type().dims().getFirst();
    return pieces.datasets().stream().map(Space::rows).toList().indexOf(rows);
  }

  /** Returns the first column of a dataset; -1 if it has none. */
  public int columnOf(int dataset) {
    var columns = IntStream.range(0, sharded.size());
    return columns.filter(c -> datasetOf(c) == dataset).findFirst().orElse(-1);
  }

  /**
   * Whether a run can go on from the values of its driver alone, perhaps over other pieces. It
   * can't if the engine has row-wise values that were moved or carried.
   */
  public boolean goesOnFromDriver() {
    return goesOnFromDriver(steps);
  }

  private static boolean goesOnFromDriver(List<Step> steps) {
    return steps.stream()
        .allMatch(
            step ->
                switch (step) {
                  case Compute _ -> true;
                  case Stage s ->
                      s.reads().isEmpty()
                          && s.stored().isEmpty()
                          && s.spaces().isEmpty()
                          && s.states() == 0;
                  case Exchange _ -> false;
                  case Choose c ->
                      c.rows().isEmpty()
                          && goesOnFromDriver(c.then().steps())
                          && goesOnFromDriver(c.otherwise().steps());
                  case Repeat r -> r.rows().isEmpty() && goesOnFromDriver(r.body());
                });
  }

  /**
   * Ordinary work on replicated values, which the driver does. The function's parameters are
   * variables that are bound before.
   */
  public record Compute(FunDef function, List<Var> outputs) implements Step {
    public Compute {
      outputs = List.copyOf(outputs);
    }
  }

  /**
   * Work on every piece, and the combination of its results.
   *
   * @param number the stage's number; a plan's stages are counted from 0, those in loops included
   * @param local the function that runs on every piece. Its parameters are the variables of {@link
   *     Pieces}, in that order, how many rows of each of {@code spaces} the piece has and how many
   *     come before them, the variables of {@code broadcast}, the piece's columns as {@code
   *     sharded} says, then the piece's parts of {@code reads}. Its results are {@code sizes}
   *     numbers that matter to types only, the partial values, then the piece's parts of {@code
   *     kept}, {@code gathered} and {@code stored}, but what is both kept and stored only once, as
   *     {@link #delivered} knows. A piece may be empty.
   * @param spaces what has rows of its own there, besides the first dataset
   * @param sharded the positions in the plan's {@code sharded} of the columns that this stage reads
   * @param reads what else of the engine's values the stage reads
   * @param sizes how many of the function's results, the first ones, are only sizes
   * @param broadcast the replicated variables that every piece needs
   * @param combine the function that combines. Its parameters are the variables of {@code
   *     combineWith}, the left partial values and the right ones; its results are the combined
   *     values
   * @param ordered whether pieces must be combined in the order of their rows
   * @param outputs the variables that are bound to the combined values
   * @param origins for each output, what in the program combines it
   * @param kept the results that stay in pieces
   * @param gathered the variables that are bound, in the driver, to what all pieces have, joined in
   *     their order: rows, or a value of each piece
   * @param stored what the engine keeps for other steps
   * @param states how many of {@code broadcast}, the last ones, each piece hands to the next: the
   *     first of {@code outputs} are what it hands on. If there are any, the pieces run one after
   *     the other
   */
  public record Stage(
      int number,
      FunDef local,
      List<Space> spaces,
      List<Integer> sharded,
      List<Var> reads,
      int sizes,
      List<Var> broadcast,
      FunDef combine,
      List<Var> combineWith,
      boolean ordered,
      List<Var> outputs,
      List<Origin> origins,
      List<Var> kept,
      List<Var> gathered,
      List<Var> stored,
      int states)
      implements Step {
    public Stage {
      stored = List.copyOf(stored);
      spaces = List.copyOf(spaces);
      reads = List.copyOf(reads);
      gathered = List.copyOf(gathered);
      sharded = List.copyOf(sharded);
      broadcast = List.copyOf(broadcast);
      combineWith = List.copyOf(combineWith);
      outputs = List.copyOf(outputs);
      origins = List.copyOf(origins);
      kept = List.copyOf(kept);
    }

    /**
     * Returns what has which place among the values that the stage takes and gives. Where several
     * processes plan, it is compared: values are exchanged by their places.
     */
    public String places() {
      return List.of(
                  sharded,
                  broadcast,
                  combineWith,
                  spaces.size(),
                  reads,
                  sizes,
                  outputs,
                  kept,
                  gathered)
              .toString()
          + stored;
    }

    /**
     * Returns what a piece delivers: the partial values, then its parts of {@code kept}, {@code
     * gathered} and {@code stored}. What is kept and stored is the same array in both places.
     *
     * @param results those of {@code local}
     */
    public <V> List<V> delivered(List<V> results) {
      var all = new ArrayList<>(results.subList(sizes, results.size()));
      for (int k = 0; k < stored.size(); k++) {
        int at = kept.indexOf(stored.get(k));
        if (at >= 0) {
          int place = outputs.size() + kept.size() + gathered.size() + k;
          all.add(place, all.get(outputs.size() + at));
        }
      }
      return all;
    }

    /** Returns the place in {@code reads} of a value that has the rows of a space. */
    OptionalInt readOf(Space space) {
      return IntStream.range(0, reads.size())
          .filter(i -> reads.get(i).type().dims().getFirst().equals(space.rows()))
          .findFirst();
    }

    /**
     * Returns the arguments that say how many rows of {@code spaces} a piece has and how many come
     * before them. What the piece reads tells more surely how many it has: the driver may not have
     * counted them (see {@link Arrivals}).
     *
     * @param cuts how the spaces are cut
     * @param read the piece's parts of {@code reads}
     */
    public List<Value> numbers(int piece, List<Cuts> cuts, List<? extends Value> read) {
      var numbers = new ArrayList<Value>();
      for (int i = 0; i < spaces.size(); i++) {
        var cut = cuts.get(i);
        var at = readOf(spaces.get(i));
        long rows =
            at.isPresent()
                ? read.get(at.getAsInt()).shape()[0]
                : cut.first(piece + 1) - cut.first(piece);
        numbers.add(ScalarValue.i64(rows));
        numbers.add(ScalarValue.i64(cut.first(piece)));
      }
      return numbers;
    }

    /** Returns the parameter that says how many rows of one of {@code spaces} come before. */
    Var before(int space) {
      return local.params().get(Pieces.PARAMS + 2 * space + 1);
    }

    /** Returns the stage with another number. */
    Stage numbered(int n) {
      var function = StepFunctions.renamed(local, "stage" + n);
      return new Stage(
          n,
          function,
          spaces,
          sharded,
          reads,
          sizes,
          broadcast,
          StepFunctions.renamed(combine, "combine" + n),
          combineWith,
          ordered,
          outputs,
          origins,
          kept,
          gathered,
          stored,
          states);
    }
  }

  /** Moves row-wise values between the pieces. */
  public sealed interface Exchange extends Step {
    /** What it makes. */
    List<Var> to();

    /** What it takes of the engine's values. */
    List<Var> reads();

    /** What it binds in the driver. */
    default List<Var> binds() {
      return List.of();
    }

    /** The replicated values that it takes. */
    default Set<Var> needs() {
      return FreeVars.of(spaces().stream().map(Space::cut).toList());
    }

    /** The spaces whose rows it moves. */
    List<Space> spaces();

    /** What in the program needs it. */
    Span span();
  }

  /**
   * Gives a stretch of rows to the pieces as another space is cut: {@code to[i] = from[offset +
   * i]}.
   */
  public record Recut(Var from, Space source, Atom offset, Var result, Space target, Span span)
      implements Exchange {
    @Override
    public List<Var> to() {
      return List.of(result);
    }

    @Override
    public List<Var> reads() {
      return List.of(from);
    }

    @Override
    public Set<Var> needs() {
      var needs = new LinkedHashSet<>(Exchange.super.needs());
      needs.addAll(FreeVars.of(List.of(offset)));
      return needs;
    }

    @Override
    public List<Space> spaces() {
      return List.of(source, target);
    }
  }

  /**
   * Brings rows by their numbers: {@code to[i] = from[index[i]]}, and zeros where there is no such
   * row. The numbers may have more dimensions, which the result then has too.
   */
  public record Fetch(Var from, Space source, Var index, Space space, Var result, Span span)
      implements Exchange {
    @Override
    public List<Var> to() {
      return List.of(result);
    }

    @Override
    public List<Var> reads() {
      return List.of(from, index);
    }

    @Override
    public List<Space> spaces() {
      return List.of(source, space);
    }
  }

  /**
   * Brings values to the pieces that have the rows of these numbers in {@code target}. Values whose
   * number is that of no row are dropped. A piece gets them in the order of the rows of {@code
   * source}.
   *
   * @param index the numbers
   * @param values arrays of as many rows
   * @param arrived the space of what arrives; its cut is known afterwards
   * @param to the numbers, then the values, as they arrive
   */
  public record Send(
      Var index,
      List<Var> values,
      Space source,
      Space target,
      Space arrived,
      List<Var> to,
      Span span)
      implements Exchange {
    public Send {
      values = List.copyOf(values);
      to = List.copyOf(to);
    }

    @Override
    public List<Var> binds() {
      return List.of(arrived.rows(), arrived.total(), arrived.cut());
    }

    @Override
    public List<Var> reads() {
      var reads = new ArrayList<>(List.of(index));
      reads.addAll(values);
      return reads;
    }

    @Override
    public List<Space> spaces() {
      return List.of(source, target);
    }
  }

  /**
   * A statement that no rule divides: it runs in one place, on all rows.
   *
   * @param why what K8001 would say
   * @param rows what is brought to that place for it, in words for the user
   */
  public record Gather(Diagnostic why, List<String> rows) {
    public Gather {
      rows = List.copyOf(rows);
    }
  }

  /**
   * Where an operator that combines pieces comes from.
   *
   * @param operator its name in messages
   * @param span its place in the program
   */
  public record Origin(String operator, Span span) {}

  /**
   * A loop of the program that has stages in it: it repeats steps.
   *
   * @param params what the driver carries from one iteration to the next
   * @param results of the driver in each iteration, one for each of {@code params}
   * @param outputs the variables that are bound to what they are at the end
   * @param rows what the engine carries
   * @param span the loop's place in the program
   */
  public record Repeat(
      List<Exp.LoopParam> params,
      Exp.LoopForm form,
      List<Step> body,
      List<Atom> results,
      List<Var> outputs,
      List<CarriedRows> rows,
      Span span)
      implements Step {
    public Repeat {
      rows = List.copyOf(rows);
      params = List.copyOf(params);
      body = List.copyOf(body);
      results = List.copyOf(results);
      outputs = List.copyOf(outputs);
    }
  }

  /**
   * A row-wise value that a loop carries.
   *
   * @param param the variable in the loop
   * @param init what it is at first
   * @param result what it is in the next iteration
   * @param output the variable for what it is at the end
   */
  public record CarriedRows(Var param, Var init, Var result, Var output) {}

  /**
   * A branch of the program that has stages in it.
   *
   * @param outputs the variables that are bound to the results of the branch that is taken
   * @param rows the variables for its row-wise results
   * @param span the branch's place in the program
   */
  public record Choose(
      Atom condition, Branch then, Branch otherwise, List<Var> outputs, List<Var> rows, Span span)
      implements Step {
    public Choose {
      outputs = List.copyOf(outputs);
      rows = List.copyOf(rows);
    }
  }

  /** The steps of a branch, what the driver has of its results, and what the engine has. */
  public record Branch(List<Step> steps, List<Atom> results, List<Var> rows) {
    public Branch {
      steps = List.copyOf(steps);
      results = List.copyOf(results);
      rows = List.copyOf(rows);
    }
  }

  /** Returns the plan with its stages numbered in their order. */
  Plan numbered() {
    return new Plan(
        entry,
        pieces,
        sharded,
        replicated,
        sizes,
        numbered(steps, new int[1]),
        results,
        shardedResults,
        rowDims,
        gathered);
  }

  private static List<Step> numbered(List<Step> steps, int[] next) {
    return steps.stream()
        .map(
            step ->
                switch (step) {
                  case Compute _, Exchange _ -> step;
                  case Stage s -> s.numbered(next[0]++);
                  case Repeat r ->
                      new Repeat(
                          r.params(),
                          r.form(),
                          numbered(r.body(), next),
                          r.results(),
                          r.outputs(),
                          r.rows(),
                          r.span());
                  case Choose c ->
                      new Choose(
                          c.condition(),
                          numbered(c.then(), next),
                          numbered(c.otherwise(), next),
                          c.outputs(),
                          c.rows(),
                          c.span());
                })
        .toList();
  }

  private static Branch numbered(Branch branch, int[] next) {
    return new Branch(numbered(branch.steps(), next), branch.results(), branch.rows());
  }

  /** Returns all stages, those in loops included, in the order of their numbers. */
  public List<Stage> stages() {
    return stages(steps);
  }

  private static List<Stage> stages(List<Step> steps) {
    return steps.stream()
        .flatMap(
            step ->
                switch (step) {
                  case Compute _ -> Stream.<Stage>empty();
                  case Stage s -> Stream.of(s);
                  case Repeat r -> stages(r.body()).stream();
                  case Exchange _ -> Stream.<Stage>empty();
                  case Choose c ->
                      Stream.of(c.then(), c.otherwise()).flatMap(b -> stages(b.steps()).stream());
                })
        .toList();
  }

  /**
   * Refuses to compute with a plan that has values at other places than that of another process.
   *
   * @throws CompilerBug as plans of the same text are the same
   */
  public static void checkPlaces(String there, String here) {
    if (!there.equals(here)) {
      throw new CompilerBug("plan", "this process plans otherwise: " + here + ", not " + there);
    }
  }
}
