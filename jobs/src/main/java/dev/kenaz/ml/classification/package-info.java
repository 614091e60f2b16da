/** Estimators of {@code org.apache.spark.ml.classification} that Kenaz trains. */
package dev.kenaz.ml.classification;
