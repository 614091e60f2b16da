/**
 * Sweeps: one training job for every combination of settings, in one table. {@link
 * dev.kenaz.jobs.sweep.SweepJob} runs a {@link dev.kenaz.jobs.sweep.Cell} after the other on one
 * Spark; one that fails is a line of the table like the others.
 */
package dev.kenaz.jobs.sweep;
