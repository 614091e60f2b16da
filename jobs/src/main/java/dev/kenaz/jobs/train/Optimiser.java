package dev.kenaz.jobs.train;

import dev.kenaz.jobs.config.TrainConfig;
import dev.kenaz.jobs.train.Objective.Evaluation;

/** A rule that moves the parameters, with what it remembers between steps. It is immutable. */
public sealed interface Optimiser {
  /** Whether it uses the diagonal of the Hessian. */
  boolean needsCurvature();

  /** Whether a step in its direction lowers the cost if it is short enough. */
  boolean descends();

  /**
   * Does one step.
   *
   * @param rows the number of rows over which the cost is a sum; first-order rules use the mean
   *     gradient, so that a step size does not depend on how much data there is
   */
  Step step(double[] parameters, Evaluation at, long rows);

  /** Returns what a checkpoint keeps; {@link #restore} takes it back. */
  Memory memory();

  /** Returns the same rule, which remembers this. */
  Optimiser restore(Memory memory);

  /**
   * @param next the rule as it is after the step
   */
  record Step(double[] parameters, Optimiser next) {}

  /**
   * The memory of a rule.
   *
   * @param steps how many steps were done so far
   * @param mean the decayed mean of gradients; empty if it isn't kept
   * @param square the decayed mean of their squares; empty if it isn't kept
   */
  record Memory(long steps, double[] mean, double[] square) {
    static final Memory NONE = new Memory(0, new double[0], new double[0]);
  }

  /** Returns the rule that a configuration names. */
  static Optimiser of(TrainConfig.Optimiser c) {
    return switch (c.name()) {
      case NEWTON -> new Newton(c.rate());
      case GRADIENT_DESCENT -> new GradientDescent(c.rate());
      case ADAM -> new Adam(c.rate(), c.beta1(), c.beta2(), c.epsilon(), Memory.NONE);
    };
  }

  /**
   * Newton's method with the diagonal of the Hessian ("AD for an Array Language with Nested
   * Parallelism", 2022, section 7.4). It is exact where the Hessian is diagonal, as that of k-means
   * is. Where the cost curves downwards, the step is as long as if it curved upwards as much. Where
   * it doesn't curve at all, the largest curvature of any coordinate is taken. A centre that is
   * nearest to no point has no gradient and stays where it is.
   */
  record Newton(double rate) implements Optimiser {
    @Override
    public boolean needsCurvature() {
      return true;
    }

    @Override
    public boolean descends() {
      return true;
    }

    @Override
    public Step step(double[] parameters, Evaluation at, long rows) {
      var moved = parameters.clone();
      double most = 0;
      for (double c : at.curvature()) {
        most = Math.max(most, Math.abs(c));
      }
      for (int i = 0; i < moved.length; i++) {
        double c = Math.abs(at.curvature()[i]);
        double scale = c > 0 ? c : most > 0 ? most : rows;
        if (at.gradient()[i] != 0) {
          moved[i] -= rate * at.gradient()[i] / scale;
        }
      }
      return new Step(moved, this);
    }

    @Override
    public Memory memory() {
      return Memory.NONE;
    }

    @Override
    public Optimiser restore(Memory memory) {
      return this;
    }
  }

  /** A step against the mean gradient. */
  record GradientDescent(double rate) implements Optimiser {
    @Override
    public boolean needsCurvature() {
      return false;
    }

    @Override
    public boolean descends() {
      return true;
    }

    @Override
    public Step step(double[] parameters, Evaluation at, long rows) {
      var moved = parameters.clone();
      for (int i = 0; i < moved.length; i++) {
        moved[i] -= rate * at.gradient()[i] / rows;
      }
      return new Step(moved, this);
    }

    @Override
    public Memory memory() {
      return Memory.NONE;
    }

    @Override
    public Optimiser restore(Memory memory) {
      return this;
    }
  }

  /** Adam, by its authors' formulas with bias correction. */
  record Adam(double rate, double beta1, double beta2, double epsilon, Memory memory)
      implements Optimiser {
    @Override
    public boolean needsCurvature() {
      return false;
    }

    @Override
    public boolean descends() {
      return false;
    }

    @Override
    public Step step(double[] parameters, Evaluation at, long rows) {
      int n = parameters.length;
      var moved = parameters.clone();
      var mean = memory.mean().length == n ? memory.mean().clone() : new double[n];
      var square = memory.square().length == n ? memory.square().clone() : new double[n];
      long steps = memory.steps() + 1;
      double meanBias = 1 - Math.pow(beta1, steps);
      double squareBias = 1 - Math.pow(beta2, steps);
      for (int i = 0; i < n; i++) {
        double g = at.gradient()[i] / rows;
        mean[i] = beta1 * mean[i] + (1 - beta1) * g;
        square[i] = beta2 * square[i] + (1 - beta2) * g * g;
        moved[i] -= rate * (mean[i] / meanBias) / (Math.sqrt(square[i] / squareBias) + epsilon);
      }
      return new Step(moved, restore(new Memory(steps, mean, square)));
    }

    @Override
    public Optimiser restore(Memory kept) {
      return new Adam(rate, beta1, beta2, epsilon, kept);
    }
  }
}
