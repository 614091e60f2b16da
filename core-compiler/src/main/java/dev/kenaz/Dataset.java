package dev.kenaz;

import dev.kenaz.pipeline.DatasetCall;
import java.util.List;

/**
 * Parameters of an entry that are no arguments of a call but data elsewhere, and what computes over
 * it. With {@code dev.kenaz:arrow-io} there is {@code ArrowData}, with {@code
 * dev.kenaz:spark-connector} there is {@code SparkData}.
 */
public interface Dataset {
  /** Returns the names of the parameters that are the data. */
  List<String> parameters();

  /** Computes a call; this method is for the compiler. */
  @SuppressWarnings("exports")
  List<dev.kenaz.value.Value> compute(DatasetCall call);
}
