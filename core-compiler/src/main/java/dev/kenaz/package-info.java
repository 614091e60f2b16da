/**
 * The door for programs in Java: {@link dev.kenaz.Kenaz} compiles a program, a {@link
 * dev.kenaz.Program} has entry points, and each {@link dev.kenaz.Entry} is called with arrays of
 * Java or memory segments and has derivatives. docs/embedding.md shows how.
 *
 * <p>Faults of programs and of arguments are {@link dev.kenaz.error.UserError}s, whose diagnostics
 * tell code and place; what is valid and not supported is a {@link dev.kenaz.error.Limitation}.
 */
package dev.kenaz;
