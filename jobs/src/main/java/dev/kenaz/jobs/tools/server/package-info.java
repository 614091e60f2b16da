/**
 * The server protocol: a line of words is a command, and every command ends with {@code %%% OK}.
 * {@link dev.kenaz.jobs.tools.server.Server} knows the commands; values, their types and what can
 * be done with them are in {@link dev.kenaz.jobs.tools.Item}.
 */
package dev.kenaz.jobs.tools.server;
