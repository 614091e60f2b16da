package dev.kenaz.distribute;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Var;
import java.util.List;

/**
 * How to run an entry point over a dataset in pieces.
 *
 * @param entry the entry point's name
 * @param pieces the variables that speak of pieces; {@code rows} is the size parameter that is the
 *     dataset's number of rows
 * @param sharded the parameters that are the dataset's columns, in the entry point's order
 * @param replicated the other parameters, sizes included, in order
 * @param steps in order
 * @param results what the entry point returns, in terms of what the steps bind
 * @param shardedResults for each result, whether it stays in pieces (along its outer dimension)
 */
public record Plan(
    String entry,
    Pieces pieces,
    List<Var> sharded,
    List<Var> replicated,
    List<Step> steps,
    List<Atom> results,
    List<Boolean> shardedResults) {
  public Plan {
    sharded = List.copyOf(sharded);
    replicated = List.copyOf(replicated);
    steps = List.copyOf(steps);
    results = List.copyOf(results);
    shardedResults = List.copyOf(shardedResults);
  }

  /** A step binds variables to values. */
  public sealed interface Step {}

  /** Ordinary work on replicated values: the function's parameters are variables bound before. */
  public record Compute(FunDef function, List<Var> outputs) implements Step {
    public Compute {
      outputs = List.copyOf(outputs);
    }
  }

  /**
   * Work on every piece, then combination.
   *
   * @param number counts the plan's stages from 0, those in loops included
   * @param local parameters: the piece's rows (i64), the dataset's rows (i64), the rows before this
   *     piece (i64), whether this is the first piece (bool), the piece's columns as {@code sharded}
   *     says, then the variables of {@code broadcast}. Results: the partial values, then the
   *     piece's parts of {@code kept}. A piece may be empty.
   * @param sharded positions in the plan's {@code sharded} of the columns that this stage reads
   * @param broadcast replicated variables that every piece needs
   * @param combine parameters: the variables of {@code combineWith}, the left partial values, the
   *     right ones; results: the combined values
   * @param ordered whether pieces must be combined in the order of their rows
   * @param outputs bound to the combined values
   * @param kept results that stay in pieces
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
      List<Var> kept)
      implements Step {
    public Stage {
      sharded = List.copyOf(sharded);
      broadcast = List.copyOf(broadcast);
      combineWith = List.copyOf(combineWith);
      outputs = List.copyOf(outputs);
      kept = List.copyOf(kept);
    }
  }

  /** A loop of the program that has stages in it. */
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

  /** All stages, those in loops included, by number. */
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
