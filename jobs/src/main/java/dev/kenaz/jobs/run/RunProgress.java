package dev.kenaz.jobs.run;

import dev.kenaz.distribute.Plan;
import dev.kenaz.distribute.PlanObserver;
import dev.kenaz.distribute.PlanState;
import dev.kenaz.distribute.RowFiles;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Tells how far a long run has come, and keeps its state if that is wanted. */
final class RunProgress implements PlanObserver {
  /** The time until the first line; the pauses after it grow. */
  private static final long FIRST = 2_000_000_000;

  private static final long LONGEST_PAUSE = 30_000_000_000L;

  private final int stages;
  private final Optional<LoopCheckpoints> checkpoints;
  private final Consumer<String> say;
  private final long from = System.nanoTime();
  private long told = from;
  private long pause = FIRST;

  RunProgress(Plan plan, Optional<LoopCheckpoints> checkpoints, Consumer<String> say) {
    this.stages = plan.stages().size();
    this.checkpoints = checkpoints;
    this.say = say;
  }

  @Override
  public void begins(Plan.Stage stage, List<Iteration> loops) {
    long now = System.nanoTime();
    if (now - told < pause) {
      return;
    }
    told = now;
    pause = Math.min(2 * pause, LONGEST_PAUSE);
    var text = new StringBuilder("stage " + (stage.number() + 1) + " of " + stages);
    for (var loop : loops) {
      text.append(", iteration ").append(loop.iteration());
      loop.of().ifPresent(n -> text.append(" of ").append(n));
    }
    say.accept(text + ", after " + (now - from) / 1_000_000_000 + " s");
  }

  @Override
  public boolean takes(long iterations) {
    return checkpoints.filter(c -> c.takes(iterations)).isPresent();
  }

  @Override
  public RowFiles place() {
    return checkpoints.orElseThrow().place();
  }

  @Override
  public void take(PlanState state) {
    checkpoints.orElseThrow().write(state);
  }

  @Override
  public Optional<PlanState> goesOnFrom() {
    return checkpoints.flatMap(LoopCheckpoints::found);
  }
}
