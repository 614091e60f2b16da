/**
 * This package implements {@code kenaz bench} for the papers' programs, and for comparisons with
 * other systems that do the same work.
 */
package dev.kenaz.jobs.bench;
