/**
 * This package trains models. {@link dev.kenaz.jobs.train.JobProgram} finds out what the functions
 * of a job's program are, {@link dev.kenaz.jobs.train.JobText} puts entry points behind it, which
 * {@link dev.kenaz.jobs.train.Trainer} plans, and {@link dev.kenaz.jobs.train.Training} calls them
 * again and again. The package also writes checkpoints, and the model at the end.
 */
package dev.kenaz.jobs.train;
