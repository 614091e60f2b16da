package dev.kenaz.jobs.run;

import dev.kenaz.distribute.Plan;
import dev.kenaz.distribute.PlanObserver;
import dev.kenaz.distribute.PlanState;
import dev.kenaz.distribute.RowFiles;
import dev.kenaz.jobs.Screen;
import java.util.List;
import java.util.Optional;

/** Tells how far a long run has come, and keeps its state if that is wanted. */
final class RunProgress implements PlanObserver {
  /** The time until the first line; the pauses after it grow, unless the line is rewritten. */
  private static final long FIRST = 2_000_000_000;

  private static final long LONGEST_PAUSE = 30_000_000_000L;

  private final int stages;
  private final Optional<LoopCheckpoints> checkpoints;
  private final Screen screen;
  private final long from = System.nanoTime();
  private long told = from;
  private long pause = FIRST;

  RunProgress(Plan plan, Optional<LoopCheckpoints> checkpoints, Screen screen) {
    this.stages = plan.stages().size();
    this.checkpoints = checkpoints;
    this.screen = screen;
  }

  @Override
  public void begins(Plan.Stage stage, List<Iteration> loops) {
    long now = System.nanoTime();
    if (screen.rewrites() ? now - from < FIRST : now - told < pause) {
      return;
    }
    told = now;
    pause = Math.min(2 * pause, LONGEST_PAUSE);
    var text = new StringBuilder("stage " + (stage.number() + 1) + " of " + stages);
    for (var loop : loops) {
      text.append(", iteration ").append(loop.iteration());
      loop.of().ifPresent(n -> text.append(" of ").append(n));
    }
    text.append(", after ").append((now - from) / 1_000_000_000).append(" s");
    if (screen.rewrites()) {
      screen.show(text.toString());
    } else {
      screen.say(text.toString());
    }
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
