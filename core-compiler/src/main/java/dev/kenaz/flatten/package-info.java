/**
 * This package translates core IR to seg IR, and so decides what runs in parallel.
 *
 * <p>{@link dev.kenaz.flatten.Flatten} turns parallel operators into {@link dev.kenaz.segir.SegOp}s
 * over regular index spaces. A perfect nest of maps becomes one index space. For the JVM only the
 * outermost operators become seg-ops, and what is parallel in their bodies is sequential. For GPUs
 * nested parallelism is used. The result has no calls but those of functions that call themselves.
 */
package dev.kenaz.flatten;
