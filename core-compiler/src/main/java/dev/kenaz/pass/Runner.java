package dev.kenaz.pass;

import java.util.IdentityHashMap;
import java.util.Map;

/**
 * Runs passes, and remembers which program each left as it was, so that a pass that is repeated
 * isn't run on that program again. Subclasses watch. For one thread.
 */
public class Runner {
  private final Map<Pass<?, ?>, Object> settled = new IdentityHashMap<>();

  /** Runs a pass with all that it consists of. */
  public <A, B> B run(Pass<A, B> pass, A program) {
    var result = pass.run(program, this);
    if (result == program) {
      settled.put(pass, program);
    }
    return result;
  }

  /** Whether the pass has been run on this very program, and has changed nothing. */
  final boolean settled(Pass<?, ?> pass, Object program) {
    return settled.get(pass) == program;
  }

  /** Runs a pass that is one function. */
  protected <A, B> B call(Pass.Once<A, B> pass, A program) {
    return pass.function().apply(program);
  }
}
