/**
 * Differentiation: a core program's {@code Jvp}, {@code Vjp} and {@code WithVjp} disappear,
 * innermost first. {@link dev.kenaz.ad.Differentiate} is the pass. Forward mode interleaves
 * tangents with the program ({@code Forward}); reverse mode follows every scope's forward sweep by
 * its return sweep and enters nested scopes by executing them again ({@code Reverse}), as in "AD
 * for an Array Language with Nested Parallelism" (seed 001). One file a rule.
 */
package dev.kenaz.ad;
