package dev.kenaz;

import java.util.List;

/**
 * Parameters of an entry that are no arguments of a call but data elsewhere, and what computes over
 * it. With {@code dev.kenaz:arrow-io} there is {@code ArrowData}, with {@code
 * dev.kenaz:spark-connector} there is {@code SparkData}; there are no others.
 */
public interface Dataset {
  /** Returns the names of the parameters that are the data. */
  List<String> parameters();
}
