/** Runs what the test blocks of programs ask for: see {@link dev.kenaz.spec.TestSpec}. */
package dev.kenaz.jobs.tools.suite;
