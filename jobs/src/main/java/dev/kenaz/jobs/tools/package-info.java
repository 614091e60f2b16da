/**
 * What the users of Futhark's tools expect to find: programs served, tested, measured, documented.
 * Nothing here knows Spark or Arrow, so that these commands start on the light class path.
 */
package dev.kenaz.jobs.tools;
