/**
 * This package implements the server protocol. A command is a line of words, and the answer to each
 * command ends with {@code %%% OK}. {@link dev.kenaz.jobs.tools.server.Server} knows the commands.
 * {@link dev.kenaz.jobs.tools.Item} has the values, their types, and what can be done with them.
 */
package dev.kenaz.jobs.tools.server;
