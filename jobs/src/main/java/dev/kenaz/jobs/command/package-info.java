/** One class a subcommand of {@code kenaz}: its options, and what it calls. */
package dev.kenaz.jobs.command;
