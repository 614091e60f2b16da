/**
 * This package translates seg IR to GPU programs, which any device can run.
 *
 * <p>A {@link dev.kenaz.loopir.GpuProgram} consists of code for the host and of {@link
 * dev.kenaz.loopir.Kernel}s in loop IR with {@link dev.kenaz.loopir.GpuCode}. The host launches the
 * kernels, and reads back only the scalars by which it decides something. All arrays lie in device
 * memory. {@link dev.kenaz.kernels.GpuRun} runs the host's part on any {@link
 * dev.kenaz.kernels.Device}.
 */
package dev.kenaz.kernels;
