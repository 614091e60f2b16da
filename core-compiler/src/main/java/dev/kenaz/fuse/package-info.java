/**
 * Makes fewer and larger parallel operators, from core to core.
 *
 * <p>{@link dev.kenaz.fuse.Fuse} is the list of passes. Producers are fused into consumers and
 * neighbours that read the same arrays are joined, at every depth, never duplicating work;
 * accumulators become maps, reductions and histograms where their updates allow it (001 §6.1).
 * Comments cite papers by number, as in {@link dev.kenaz.ad}; 002 is "A T2 Graph-Reduction Approach
 * to Fusion".
 */
package dev.kenaz.fuse;
