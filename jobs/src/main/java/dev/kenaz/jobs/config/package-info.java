/**
 * Job configurations: JSON, checked against the published schema, read into records. What is wrong
 * with one is told by its path in the document, with the name that was probably meant.
 */
package dev.kenaz.jobs.config;
