/**
 * CUDA devices: finding the driver, compiling kernels for a device's architecture, memory, copies
 * and launches.
 *
 * <p>{@link dev.kenaz.cuda.runtime.DriverProbe} looks through {@code java.lang.foreign} before
 * anything of JCuda is touched, so a machine without a GPU gets an explanation instead of a link
 * error. Kernels are compiled by NVRTC of whatever version is there, or by {@code nvcc}, and cached
 * on disk.
 */
package dev.kenaz.cuda.runtime;
