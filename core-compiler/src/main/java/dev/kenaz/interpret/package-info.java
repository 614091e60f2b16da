/**
 * The slow, obvious meaning of a core program: the oracle that every backend is tested against.
 *
 * <p>Shares nothing with the compiler's stages but the program and {@link dev.kenaz.ir.ScalarOps}.
 * Derivatives are by dual numbers, so they are independent of the {@code ad} stage too.
 */
package dev.kenaz.interpret;
