/**
 * FutharkScript: the small language of test inputs, in which entry points are called on each
 * other's results.
 */
package dev.kenaz.jobs.tools.script;
