/**
 * Runs one stage of a distribution plan on Spark: the same local program on every shard of the
 * data, the partial results combined in the order of the shards.
 *
 * <p>{@link dev.kenaz.spark.StageProgram} says what to compute, {@link dev.kenaz.spark.ShardSource}
 * over what, and {@link dev.kenaz.spark.SparkRunner} runs it. A task depends on nothing but its
 * shard and the broadcast values, so Spark may repeat it anywhere at any time.
 */
package dev.kenaz.spark;
