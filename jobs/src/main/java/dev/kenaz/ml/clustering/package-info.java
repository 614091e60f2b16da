/** Estimators of {@code org.apache.spark.ml.clustering} that Kenaz trains. */
package dev.kenaz.ml.clustering;
