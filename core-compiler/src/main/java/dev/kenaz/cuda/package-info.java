/**
 * GPU programs on NVIDIA's GPUs.
 *
 * <p>{@link dev.kenaz.cuda.CudaText} writes kernels as CUDA C.
 */
package dev.kenaz.cuda;
