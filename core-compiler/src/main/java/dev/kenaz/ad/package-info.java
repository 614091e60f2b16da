/**
 * This package replaces the derivatives in a core program ({@code Jvp}, {@code Vjp} and {@code
 * WithVjp}) by ordinary code, the innermost ones first. {@link dev.kenaz.ad.Differentiate} is the
 * pass. Each rule has a file of its own, which opens with the rule's derivation.
 *
 * <p>Forward mode ({@code Forward}) interleaves tangents with the program. In reverse mode ({@code
 * Reverse}), the return sweep of every scope follows its forward sweep, and enters nested scopes by
 * executing them again.
 *
 * <p>Comments cite the papers by number: 000 is "Reverse mode automatic differentiation of
 * histograms in Futhark", 001 "AD for an Array Language with Nested Parallelism", 003 "Reverse-Mode
 * AD of Reduce-by-Index and Scan in Futhark", and 004 a draft of inference rules (FWDFORLOOP,
 * REVFORLOOP, REVIF, REVMAP). In formulas, x̄ is the adjoint of x, x' is its tangent, and {@code x̄
 * += e} adds e to what x̄ has been so far.
 */
package dev.kenaz.ad;
