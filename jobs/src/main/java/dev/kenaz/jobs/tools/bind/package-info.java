/**
 * This package implements {@code kenaz bind}: it writes Java classes that stand for programs, with
 * a method for each entry point.
 */
package dev.kenaz.jobs.tools.bind;
