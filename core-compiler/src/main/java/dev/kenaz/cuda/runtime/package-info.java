/**
 * This package uses CUDA devices: it finds the driver, compiles kernels for the architecture of a
 * device, manages device memory, and does copies and launches.
 *
 * <p>{@link dev.kenaz.cuda.runtime.DriverProbe} looks for the driver through {@code
 * java.lang.foreign} before any class of JCuda is loaded, so that a machine without a GPU gets an
 * explanation instead of a link error. NVRTC, in any version that is found, or {@code nvcc}
 * compiles kernels, which are then cached on disk.
 */
package dev.kenaz.cuda.runtime;
