/**
 * This package translates text to the surface tree and back: it has the lexer, the parser and the
 * pretty-printer. It also formats programs, and prints diagnostics.
 *
 * <p>The surface tree is what the user wrote. It has no types, and its names are not resolved.
 * Every node has its {@link dev.kenaz.error.Span}. If the language defines that two notations mean
 * the same, the tree has only one of them: parentheses are gone, record puns are written out,
 * {@code let a[i] = v} is {@code let a = a with [i] = v}, a loop always has its initial value,
 * {@code let} at top level is {@code def}, and unit is the empty tuple.
 */
package dev.kenaz.source;
