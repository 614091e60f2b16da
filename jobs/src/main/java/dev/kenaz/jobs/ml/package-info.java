/**
 * Trainings over Datasets of a user's Spark session, for the estimators of {@code dev.kenaz.ml}.
 */
package dev.kenaz.jobs.ml;
