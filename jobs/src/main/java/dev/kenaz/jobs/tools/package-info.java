/**
 * This package and those below it implement the tools that users of Futhark know: they serve, test,
 * measure and document programs. Nothing here knows Spark or Arrow, so these commands start on a
 * small class path.
 */
package dev.kenaz.jobs.tools;
