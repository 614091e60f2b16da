/**
 * This package describes what can go wrong, and where: it has source spans, diagnostics, the error
 * codes, and the three kinds of failure.
 *
 * <p>A {@link dev.kenaz.error.UserError} is a fault in a program, data or configuration. A {@link
 * dev.kenaz.error.Limitation} is something valid that Kenaz does not support. A {@link
 * dev.kenaz.error.CompilerBug} is a fault of Kenaz. Public methods throw no other exceptions.
 */
package dev.kenaz.error;
