/**
 * Trainings as estimators of spark.ml. {@link dev.kenaz.ml.KenazEstimator} trains any program; the
 * packages below have estimators with the names and parameters of Spark's MLlib.
 */
package dev.kenaz.ml;
