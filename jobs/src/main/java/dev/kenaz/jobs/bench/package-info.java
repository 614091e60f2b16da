/** Comparisons with others who do the same job: {@code kenaz bench}. */
package dev.kenaz.jobs.bench;
