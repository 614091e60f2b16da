/** Choices among models of {@code org.apache.spark.ml.tuning} that train a whole grid together. */
package dev.kenaz.ml.tuning;
