/**
 * Loop IR to GPU programs, for any device.
 *
 * <p>A {@link dev.kenaz.loopir.GpuProgram} is code for the host, which launches kernels and reads
 * back no more than the scalars that it decides by, and {@link dev.kenaz.loopir.Kernel}s, in loop
 * IR with {@link dev.kenaz.loopir.GpuCode}. All arrays lie in device memory. {@link
 * dev.kenaz.kernels.GpuRun} runs the host's part on any {@link dev.kenaz.kernels.Device}.
 */
package dev.kenaz.kernels;
