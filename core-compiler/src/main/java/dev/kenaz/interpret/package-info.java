/**
 * This package runs core programs in the slowest and most obvious way. It is the reference that
 * every backend is tested against.
 *
 * <p>It shares nothing with the passes of the compiler except the program and {@link
 * dev.kenaz.ir.ScalarOps}. It computes derivatives with dual numbers and a tape of scalar
 * operations, and so independently of {@code ad} too.
 */
package dev.kenaz.interpret;
