/**
 * This package generates code for NVIDIA's GPUs: {@link dev.kenaz.cuda.CudaText} writes kernels as
 * CUDA C.
 */
package dev.kenaz.cuda;
