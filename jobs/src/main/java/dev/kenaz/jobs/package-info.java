/**
 * The {@code kenaz} command: {@link dev.kenaz.jobs.Main} chooses a subcommand, runs it, and turns
 * what goes wrong into a message and an exit status. This module and {@code spark-connector} are
 * the only ones that know Spark.
 */
package dev.kenaz.jobs;
