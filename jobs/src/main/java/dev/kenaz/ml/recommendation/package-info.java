/** Estimators of {@code org.apache.spark.ml.recommendation} that Kenaz trains. */
package dev.kenaz.ml.recommendation;
