package dev.kenaz.pass;

import java.util.List;
import java.util.function.Function;

/**
 * This is a pass of the compiler: a named function from a program to a program, of the same form or
 * of the next one.
 *
 * <p>A pass that finds nothing to change returns its argument itself. That is how it says so: a
 * {@link Fixpoint} ends when none of its passes returns another program than it was given.
 */
public sealed interface Pass<A, B> {
  /** Returns the name by which {@code kenaz dev --after}, times and faults refer to the pass. */
  String name();

  /** Returns one line that says what the pass does. */
  String description();

  /**
   * Returns what the pass makes of the program. The runner runs it, and all passes that it consists
   * of.
   */
  B run(A program, Runner runner);

  /** Returns the passes that this one repeats; none, if it is one function. */
  List<? extends Pass<?, ?>> parts();

  /** Whether this is the pass of that name, or has it among its parts. */
  default boolean has(String wanted) {
    return name().equals(wanted) || parts().stream().anyMatch(p -> p.has(wanted));
  }

  /** Runs the pass without a record of it. */
  default B apply(A program) {
    return new Runner().run(this, program);
  }

  /** Makes a pass that is one function. */
  static <A, B> Pass<A, B> of(String name, String description, Function<A, B> function) {
    return new Once<>(name, description, function);
  }

  /**
   * Makes a pass that repeats others in turn until none of them changes anything, but for at most
   * so many rounds.
   */
  static <A> Pass<A, A> fixpoint(
      String name, String description, int rounds, List<Pass<A, A>> passes) {
    return new Fixpoint<>(name, description, rounds, passes);
  }

  /** See {@link Pass#of}. */
  record Once<A, B>(String name, String description, Function<A, B> function)
      implements Pass<A, B> {
    @Override
    public List<Pass<?, ?>> parts() {
      return List.of();
    }

    @Override
    public B run(A program, Runner runner) {
      return runner.call(this, program);
    }
  }

  /** See {@link Pass#fixpoint}. */
  record Fixpoint<A>(String name, String description, int rounds, List<Pass<A, A>> passes)
      implements Pass<A, A> {
    public Fixpoint {
      passes = List.copyOf(passes);
    }

    @Override
    public List<Pass<A, A>> parts() {
      return passes;
    }

    @Override
    public A run(A program, Runner runner) {
      var p = program;
      for (int round = 0; round < rounds; round++) {
        var before = p;
        for (var pass : passes) {
          p = runner.settled(pass, p) ? p : runner.run(pass, p);
        }
        if (p == before) {
          break;
        }
      }
      return p;
    }
  }
}
