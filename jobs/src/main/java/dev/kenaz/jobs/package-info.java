/**
 * This package contains the {@code kenaz} command. {@link dev.kenaz.jobs.Main} chooses a
 * subcommand, runs it, and turns an exception into a message and an exit status. Only this module
 * and {@code spark-connector} know Spark.
 */
package dev.kenaz.jobs;
