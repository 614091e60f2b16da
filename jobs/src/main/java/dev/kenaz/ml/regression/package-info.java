/** Estimators of {@code org.apache.spark.ml.regression} that Kenaz trains. */
package dev.kenaz.ml.regression;
