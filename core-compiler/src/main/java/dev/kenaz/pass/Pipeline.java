package dev.kenaz.pass;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A list of passes, each of which takes what the one before it left. */
public sealed interface Pipeline<A, B> {
  /** Returns the pipeline without any pass. */
  static <A> Pipeline<A, A> start() {
    return new Start<>();
  }

  /** Returns the passes, in order. */
  List<Pass<?, ?>> passes();

  B run(A program, Runner runner);

  /** Runs the passes where nobody watches. */
  default B apply(A program) {
    return run(program, new Runner());
  }

  /** Returns these passes and one more. */
  default <C> Pipeline<A, C> then(Pass<B, C> pass) {
    return new Then<>(this, pass);
  }

  /** Returns these passes and then those. */
  default <C> Pipeline<A, C> then(Pipeline<B, C> others) {
    return others.after(this);
  }

  /** Returns a pipeline of those passes and then these. */
  <Z> Pipeline<Z, B> after(Pipeline<Z, A> others);

  /**
   * Returns the passes up to the last one that has that name, or consists of passes of which one
   * has it.
   */
  Optional<Pipeline<A, ?>> upTo(String name);

  /** See {@link Pipeline#start}. */
  record Start<A>() implements Pipeline<A, A> {
    @Override
    public List<Pass<?, ?>> passes() {
      return List.of();
    }

    @Override
    public A run(A program, Runner runner) {
      return program;
    }

    @Override
    public <Z> Pipeline<Z, A> after(Pipeline<Z, A> others) {
      return others;
    }

    @Override
    public Optional<Pipeline<A, ?>> upTo(String name) {
      return Optional.empty();
    }
  }

  /** See {@link Pipeline#then}. */
  record Then<A, B, C>(Pipeline<A, B> first, Pass<B, C> last) implements Pipeline<A, C> {
    @Override
    public List<Pass<?, ?>> passes() {
      var all = new ArrayList<>(first.passes());
      all.add(last);
      return all;
    }

    @Override
    public C run(A program, Runner runner) {
      return runner.run(last, first.run(program, runner));
    }

    @Override
    public <Z> Pipeline<Z, C> after(Pipeline<Z, A> others) {
      return first.after(others).then(last);
    }

    @Override
    public Optional<Pipeline<A, ?>> upTo(String name) {
      return last.has(name) ? Optional.of(this) : first.upTo(name);
    }
  }
}
