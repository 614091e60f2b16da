package dev.kenaz.distribute;

import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ValueReader;
import dev.kenaz.value.ValueWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Takes every state, and notes which stages run.
 *
 * @param from the state from which the run goes on
 */
record TakesStates(Optional<PlanState> from, List<PlanState> states, List<String> stages)
    implements PlanObserver {
  static TakesStates beginning() {
    return new TakesStates(Optional.empty(), new ArrayList<>(), new ArrayList<>());
  }

  static TakesStates goingOn(PlanState from) {
    return new TakesStates(Optional.of(from), new ArrayList<>(), new ArrayList<>());
  }

  /** What would be files, by pieces. */
  private record Written(Map<Integer, byte[]> pieces) implements RowFiles {
    @Override
    public void write(int piece, ArrayValue rows) {
      var out = new ByteArrayOutputStream();
      try {
        ValueWriter.writeBinary(rows, out);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      pieces.put(piece, out.toByteArray());
    }

    @Override
    public ArrayValue read(int piece) {
      return (ArrayValue) ValueReader.of(pieces.get(piece), "piece").next();
    }

    /** Places are the same only if they are one. */
    @Override
    public boolean equals(Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }
  }

  @Override
  public void begins(Plan.Stage stage, List<Iteration> loops) {
    stages.add(stage.number() + " in " + loops);
  }

  @Override
  public boolean takes(long iterations) {
    return true;
  }

  @Override
  public RowFiles place() {
    return new Written(new HashMap<>());
  }

  @Override
  public void take(PlanState state) {
    states.add(state);
  }

  @Override
  public Optional<PlanState> goesOnFrom() {
    return from;
  }
}
