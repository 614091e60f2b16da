package dev.kenaz.jobs.bench;

/** Which data sets programs are measured with. */
public enum DataSize {
  /** Those for counting. */
  SMALL,
  /** Those for a CPU. */
  ORDINARY,
  /** Those of the papers' GPUs, where they are others. */
  LARGE
}
