/**
 * Differentiates: removes a core program's {@code Jvp}, {@code Vjp} and {@code WithVjp}, innermost
 * first. {@link dev.kenaz.ad.Differentiate} is the pass. Forward mode interleaves tangents with the
 * program ({@code Forward}); reverse mode follows every scope's forward sweep by its return sweep
 * and enters nested scopes by executing them again ({@code Reverse}). Each rule has a file of its
 * own, which opens with the rule's derivation.
 *
 * <p>Comments cite the papers by number: 000 is "Reverse mode automatic differentiation of
 * histograms in Futhark", 001 "AD for an Array Language with Nested Parallelism", 003 "Reverse-Mode
 * AD of Reduce-by-Index and Scan in Futhark", and 004 a draft of inference rules (FWDFORLOOP,
 * REVFORLOOP, REVIF, REVMAP). In formulas x̄ is the adjoint of x, x' its tangent, and {@code x̄ +=
 * e} adds e to what x̄ has been so far.
 */
package dev.kenaz.ad;
