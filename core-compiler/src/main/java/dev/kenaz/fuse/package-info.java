/**
 * This package makes fewer and larger parallel operators in core programs.
 *
 * <p>{@link dev.kenaz.fuse.Fuse} has the passes. They fuse producers into consumers, and join
 * neighbours that read the same arrays (002), at every depth, without duplicating work. They turn
 * accumulators into maps, reductions and histograms where the updates allow it (001 §6.1). Further
 * passes make more parallelism for backends with many threads.
 *
 * <p>Comments cite papers by number, as in {@link dev.kenaz.ad}; 002 is "A T2 Graph-Reduction
 * Approach to Fusion".
 */
package dev.kenaz.fuse;
