/**
 * GPU programs without a GPU: {@link dev.kenaz.simulate.SimulatedDevice} runs kernels as grid,
 * blocks and warps would, and fails on what a GPU would do silently.
 */
package dev.kenaz.simulate;
