/**
 * Text to surface tree and back: lexer, parser, pretty-printer, and how diagnostics are shown.
 *
 * <p>The surface tree is what the user wrote, with every name unresolved and no types. Every node
 * has its {@link dev.kenaz.error.Span}. Where two ways of writing mean the same by definition of
 * the language, the tree has one: parentheses are gone, record puns are written out, {@code let
 * a[i] = v} is {@code let a = a with [i] = v}, a loop always has its initial value, {@code let} at
 * top level is {@code def}, and unit is the empty tuple.
 */
package dev.kenaz.source;
