/**
 * This package runs sweeps. A sweep trains once for every combination of settings and writes one
 * table of the results. {@link dev.kenaz.jobs.sweep.SweepJob} runs one {@link
 * dev.kenaz.jobs.sweep.Cell} after the other on the same Spark. A cell that fails is a line of the
 * table like the others.
 */
package dev.kenaz.jobs.sweep;
