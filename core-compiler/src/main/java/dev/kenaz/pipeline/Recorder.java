package dev.kenaz.pipeline;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.Limitation;
import dev.kenaz.error.UserError;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pass.Pass;
import dev.kenaz.pass.Runner;
import dev.kenaz.pass.Tally;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Runs passes and notes what each took, did and left; verifies that, and says whose a fault is. */
final class Recorder extends Runner {
  private final boolean verify;
  private final Set<String> leftOut;
  private final List<Entry> entries = new ArrayList<>();
  private Entry current;

  /**
   * @throws IllegalArgumentException if a pass can't be left out
   */
  Recorder(CompileOptions options) {
    this.verify = options.verify();
    this.leftOut = options.leftOut();
    if (!Pipelines.CAN_BE_LEFT_OUT.containsAll(leftOut)) {
      throw new IllegalArgumentException("can't leave out all of " + leftOut);
    }
  }

  /** What is known of a pass at one place of the pipeline. */
  private static final class Entry {
    private final Pass<?, ?> pass;
    private final List<Entry> parts;
    private final Map<String, Integer> counts = new TreeMap<>();
    private int runs;
    private long nanos;
    private Object program;

    Entry(Pass<?, ?> pass) {
      this.pass = pass;
      this.parts = pass.parts().stream().map(Entry::new).toList();
    }

    void list(int depth, List<PassResult> into) {
      var time = Duration.ofNanos(nanos);
      into.add(new PassResult(pass.name(), pass.description(), depth, runs, time, counts, program));
      parts.forEach(p -> p.list(depth + 1, into));
    }
  }

  /** Returns what all passes that were run did, in the order of the pipeline. */
  List<PassResult> results() {
    var all = new ArrayList<PassResult>();
    entries.forEach(e -> e.list(0, all));
    return all;
  }

  /** A pipeline's passes stand for themselves; those of a group are the same in each round. */
  private Entry entry(Pass<?, ?> pass) {
    if (current == null) {
      entries.add(new Entry(pass));
      return entries.getLast();
    }
    return current.parts.stream().filter(p -> p.pass == pass).findFirst().orElseThrow();
  }

  @Override
  public <A, B> B run(Pass<A, B> pass, A program) {
    var outer = current;
    var entry = entry(pass);
    current = entry;
    long start = System.nanoTime();
    try {
      var result = super.run(pass, program);
      entry.runs++;
      entry.program = result;
      return result;
    } finally {
      entry.nanos += System.nanoTime() - start;
      current = outer;
    }
  }

  /** A pass that can be left out gives a program of the kind that it takes. */
  @SuppressWarnings("unchecked")
  @Override
  protected <A, B> B call(Pass.Once<A, B> pass, A program) {
    if (leftOut.contains(pass.name())) {
      return (B) program;
    }
    var tally = new Tally();
    B result;
    try {
      result = tally.during(() -> super.call(pass, program));
    } catch (UserError | Limitation | CompilerBug e) {
      throw e;
    } catch (RuntimeException e) {
      throw new CompilerBug(pass.name(), e.toString(), e);
    }
    tally.counts().forEach((what, n) -> current.counts.merge(what, n, Integer::sum));
    if (verify && result != program) {
      Forms.verify(result, pass.name());
    }
    return result;
  }
}
