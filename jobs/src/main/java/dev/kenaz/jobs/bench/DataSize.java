package dev.kenaz.jobs.bench;

/** Says which data sets programs are measured with. */
public enum DataSize {
  /** The data sets for counting. */
  SMALL,
  /** The data sets for a CPU. */
  ORDINARY,
  /** The data sets that the papers measured on GPUs, if they are others. */
  LARGE
}
