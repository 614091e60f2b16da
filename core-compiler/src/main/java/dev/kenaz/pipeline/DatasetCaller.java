package dev.kenaz.pipeline;

import dev.kenaz.value.Value;
import java.util.List;

/** Computes calls of entry points over data that isn't in memory. */
public interface DatasetCaller {
  /** Returns the core values of the result. */
  List<Value> compute(DatasetCall call);
}
