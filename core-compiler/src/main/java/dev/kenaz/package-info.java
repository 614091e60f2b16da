/**
 * The public API: {@link dev.kenaz.Kenaz} compiles a program, {@link dev.kenaz.Program} is what
 * comes out, {@link dev.kenaz.Entry} can be called.
 */
package dev.kenaz;
