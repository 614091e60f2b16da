/**
 * This package measures how long programs take: {@link dev.kenaz.jobs.measure.Cells} makes the
 * cells of a configuration, {@link dev.kenaz.jobs.measure.BenchmarkSweep} measures them, each in a
 * process of its own ({@link dev.kenaz.jobs.measure.CellWorker}), {@link
 * dev.kenaz.jobs.measure.Statistics} tells how sure a time is, and {@link
 * dev.kenaz.jobs.measure.Comparison} whether two times differ.
 */
package dev.kenaz.jobs.measure;
