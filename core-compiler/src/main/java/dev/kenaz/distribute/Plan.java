package dev.kenaz.distribute;

import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.Span;
import dev.kenaz.ir.Arguments;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Value;
import java.util.Arrays;
import java.util.List;

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
    List<Gather> gathered) {
  public Plan {
    gathered = List.copyOf(gathered);
    sharded = List.copyOf(sharded);
    replicated = List.copyOf(replicated);
    steps = List.copyOf(steps);
    results = List.copyOf(results);
    shardedResults = List.copyOf(shardedResults);
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
   *     Pieces}, in that order, the piece's columns as {@code sharded} says, then the variables of
   *     {@code broadcast}. Its results are the partial values, then the piece's parts of {@code
   *     kept} and {@code gathered}. A piece may be empty.
   * @param sharded the positions in the plan's {@code sharded} of the columns that this stage reads
   * @param broadcast the replicated variables that every piece needs
   * @param combine the function that combines. Its parameters are the variables of {@code
   *     combineWith}, the left partial values and the right ones; its results are the combined
   *     values
   * @param ordered whether pieces must be combined in the order of their rows
   * @param outputs the variables that are bound to the combined values
   * @param origins for each output, what in the program combines it
   * @param kept the results that stay in pieces
   * @param gathered the variables that are bound, in the driver, to the rows of all pieces
   */
  public record Stage(
      int number,
      FunDef local,
      List<Integer> sharded,
      List<Var> broadcast,
      FunDef combine,
      List<Var> combineWith,
      boolean ordered,
      List<Var> outputs,
      List<Origin> origins,
      List<Var> kept,
      List<Var> gathered)
      implements Step {
    public Stage {
      gathered = List.copyOf(gathered);
      sharded = List.copyOf(sharded);
      broadcast = List.copyOf(broadcast);
      combineWith = List.copyOf(combineWith);
      outputs = List.copyOf(outputs);
      origins = List.copyOf(origins);
      kept = List.copyOf(kept);
    }
  }

  /**
   * A statement that no rule divides: it runs in one place, on all rows.
   *
   * @param why what K8001 would say
   * @param rows what is brought to that place for it
   */
  public record Gather(Diagnostic why, List<Var> rows) {
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

  /** A loop of the program that has stages in it: it repeats steps. */
  public record Repeat(
      List<Exp.LoopParam> params,
      Exp.LoopForm form,
      List<Step> body,
      List<Atom> results,
      List<Var> outputs)
      implements Step {
    public Repeat {
      params = List.copyOf(params);
      body = List.copyOf(body);
      results = List.copyOf(results);
      outputs = List.copyOf(outputs);
    }
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
                  case Compute _ -> java.util.stream.Stream.<Stage>empty();
                  case Stage s -> java.util.stream.Stream.of(s);
                  case Repeat r -> stages(r.body()).stream();
                })
        .toList();
  }
}
