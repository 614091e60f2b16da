/**
 * This package runs the test blocks of programs; {@link dev.kenaz.spec.TestSpec} describes them.
 */
package dev.kenaz.jobs.tools.suite;
