/**
 * This package is the door for programs in Java. {@link dev.kenaz.Kenaz} compiles a program, a
 * {@link dev.kenaz.Program} has entry points, and each {@link dev.kenaz.Entry} can be called with
 * Java arrays or memory segments and has derivatives. docs/embedding.md shows how.
 *
 * <p>A fault of a program or of its arguments is a {@link dev.kenaz.error.UserError}, whose
 * diagnostics have a code and a place. A {@link dev.kenaz.error.Limitation} says that something is
 * valid but not supported. A null that isn't documented as allowed is a {@link
 * NullPointerException}, whose message is the name of the parameter; among the arguments of a call
 * it is a {@code UserError}, as any other object that doesn't fit.
 */
package dev.kenaz;
