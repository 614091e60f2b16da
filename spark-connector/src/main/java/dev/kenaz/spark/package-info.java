/**
 * This package runs the stages of a distribution plan on Spark. It runs the same local program on
 * every shard of the data, and combines the partial results in the order of the shards.
 *
 * <p>{@link dev.kenaz.spark.ShardProgram} says what to compute, {@link dev.kenaz.spark.ShardSource}
 * says on which data, and {@link dev.kenaz.spark.SparkRunner} runs it. A task depends only on its
 * shard and the broadcast values, so Spark may repeat it anywhere at any time.
 */
package dev.kenaz.spark;
