/**
 * This package has one class for each subcommand of {@code kenaz}. The class declares the options
 * of the subcommand and calls what does the work.
 */
package dev.kenaz.jobs.command;
