/**
 * This package is what Kenaz is in a Spark session: a data source for Arrow files, and functions of
 * SQL that are entry points of programs.
 *
 * <p>Spark's file sources divide files, keep columns of folders, and commit what is written. So
 * {@link dev.kenaz.spark.sql.ArrowFileFormat} only reads and writes single files.
 *
 * <p>A call of a function is a {@link dev.kenaz.spark.sql.KenazCall} in Spark's expressions. {@link
 * dev.kenaz.spark.sql.ExtractCalls} makes it an operator {@link dev.kenaz.spark.sql.EvalCalls} of
 * the logical plan, {@link dev.kenaz.spark.sql.PlanCalls} plans that, and {@link
 * dev.kenaz.spark.sql.CallRows} computes it for batches of rows.
 */
package dev.kenaz.spark.sql;
