/**
 * Training: an {@link dev.kenaz.jobs.train.Objective} evaluated over and over, an {@link
 * dev.kenaz.jobs.train.Optimiser} that moves the parameters, checkpoints, and the model that is
 * written at the end. Knows neither Spark nor Arrow, except in what implements the objective and
 * writes the model.
 */
package dev.kenaz.jobs.train;
