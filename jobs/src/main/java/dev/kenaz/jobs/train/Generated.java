package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K7402;

import dev.kenaz.error.UserError;
import dev.kenaz.jobs.config.TrainConfig;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.value.Value;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;

/**
 * The text of a job's entry points.
 *
 * @param text behind which the program is
 * @param options the last arguments of those that make a step
 */
record Generated(ProgramSource text, List<Value> options) {
  /**
   * Generates it.
   *
   * @throws UserError K7402 if the program has nothing of what the configuration asks for
   */
  static Generated of(TrainConfig config, JobProgram program) {
    if (program.has(JobFunction.TRAIN)) {
      program.requireSameTypes(); // No entry point has both train and what takes the model.
      return new Generated(program.text().atOnce(), List.of());
    }
    if (config.optimiser().isEmpty()) {
      if (!program.has(JobFunction.STEP)) {
        throw new UserError(
            K7402,
            program.function(JobFunction.LOSS).span(),
            "the program has a loss, but nothing says how it is lowered",
            "choose an optimiser in the configuration, such as { \"name\": \"l-bfgs\" },"
                + " or define step");
      }
      if (config.tolerance() > 0 && !program.hasLoss()) {
        throw new UserError(
            K7402,
            program.function(JobFunction.STEP).span(),
            "a tolerance is about the loss, but the program has none",
            "define loss, let step give (model, loss), or leave the tolerance out");
      }
      return new Generated(program.text().ownStep(), List.of());
    }
    if (!program.has(JobFunction.LOSS)) {
      throw new UserError(
          K7402,
          program.function(JobFunction.STEP).span(),
          "an optimiser lowers a loss, but the program has none",
          "define loss, or leave the optimiser out, so that step is taken");
    }
    boolean batches = config.batch().isPresent();
    var varying = config.models().map(m -> m.grid().keySet()).orElse(Set.of());
    var choice = OptimiserChoice.of(config.optimiser().get(), batches, varying, program);
    var tolerance = batches ? OptionalDouble.empty() : OptionalDouble.of(config.tolerance());
    var text = program.text().byOptimiser(choice, tolerance);
    return new Generated(text, List.copyOf(choice.given().sequencedValues()));
  }
}
