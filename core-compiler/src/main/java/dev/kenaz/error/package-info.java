/**
 * What can go wrong, and where: source spans, diagnostics, and the three kinds of failure.
 *
 * <p>{@link dev.kenaz.error.UserError} is a fault in a program, data or configuration; {@link
 * dev.kenaz.error.Limitation} is something valid that Kenaz does not do; {@link
 * dev.kenaz.error.CompilerBug} is ours. Nothing else leaves a public method.
 */
package dev.kenaz.error;
