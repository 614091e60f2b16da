/**
 * This package runs GPU programs without a GPU. {@link dev.kenaz.simulate.SimulatedDevice} runs
 * kernels with a grid, blocks and warps, and fails where a GPU would compute something wrong
 * without a message.
 */
package dev.kenaz.simulate;
