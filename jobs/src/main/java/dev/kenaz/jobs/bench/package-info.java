/**
 * This package implements {@code kenaz bench}: it measures the entry points of a program on the
 * inputs of its test blocks, and the papers' programs beside other systems that do the same work.
 */
package dev.kenaz.jobs.bench;
