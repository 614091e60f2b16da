/** Estimators of {@code org.apache.spark.ml.feature} that Kenaz trains. */
package dev.kenaz.ml.feature;
