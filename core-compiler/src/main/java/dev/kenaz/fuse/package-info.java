/**
 * Core to core: fewer and larger parallel operators.
 *
 * <p>{@link dev.kenaz.fuse.Fuse} is the list of passes. Producers are fused into consumers and
 * neighbours that read the same arrays are joined (seed 002), at every depth, never duplicating
 * work; accumulators become maps, reductions and histograms where their updates allow it (seed 001
 * section 6.1).
 */
package dev.kenaz.fuse;
