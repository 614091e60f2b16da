/**
 * Loop IR to JVM classes, and what they need at run time.
 *
 * <p>{@link dev.kenaz.jvm.JvmProgram} compiles and calls. An entry becomes one hidden class ({@link
 * dev.kenaz.jvm.EntryClass}): a static method for the code that runs once and one for each parallel
 * body. Arrays are native memory addressed by plain longs; {@link dev.kenaz.jvm.NativeMemory} is
 * the allocator, {@link dev.kenaz.jvm.Workers} the pool of threads.
 */
package dev.kenaz.jvm;
