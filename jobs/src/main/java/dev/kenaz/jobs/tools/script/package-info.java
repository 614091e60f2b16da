/**
 * This package implements FutharkScript, the small language of test inputs, in which entry points
 * are called on the results of other entry points.
 */
package dev.kenaz.jobs.tools.script;
