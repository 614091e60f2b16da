/**
 * This package is what Kenaz is in a Spark session: a data source for Arrow files, and functions of
 * SQL that are entry points of programs.
 *
 * <p>Spark's file sources divide files, keep columns of folders, and commit what is written. So
 * {@link dev.kenaz.spark.sql.ArrowFileFormat} only reads and writes single files.
 *
 * <p>A call of a function of a row is a {@link dev.kenaz.spark.sql.KenazCall} in Spark's
 * expressions. {@link dev.kenaz.spark.sql.ExtractCalls} makes it an operator {@link
 * dev.kenaz.spark.sql.EvalCalls} of the logical plan, {@link dev.kenaz.spark.sql.PlanCalls} plans
 * that, and {@link dev.kenaz.spark.sql.CallBatch} computes it for batches of rows or of columns.
 *
 * <p>A call of a function of a group is an aggregate function of Spark, {@link
 * dev.kenaz.spark.sql.GroupCall}, whose buffers are {@link dev.kenaz.spark.sql.GroupRows}. A
 * function of a table is an operator, {@link dev.kenaz.spark.sql.EvalTable}.
 */
package dev.kenaz.spark.sql;
