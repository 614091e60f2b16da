/**
 * This package is what Kenaz is in a Spark session: a data source for Arrow files.
 *
 * <p>Spark's file sources divide files, keep columns of folders, and commit what is written. So
 * {@link dev.kenaz.spark.sql.ArrowFileFormat} only reads and writes single files.
 */
package dev.kenaz.spark.sql;
