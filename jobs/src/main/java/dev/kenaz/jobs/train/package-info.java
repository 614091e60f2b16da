/**
 * This package trains models. An {@link dev.kenaz.jobs.train.Optimiser} evaluates an {@link
 * dev.kenaz.jobs.train.Objective} repeatedly and moves the parameters. The package also writes
 * checkpoints, and the model at the end. Only the classes that implement the objective or write the
 * model know Spark or Arrow.
 */
package dev.kenaz.jobs.train;
