/**
 * This package makes JVM classes from loop IR, and contains what these classes need at run time.
 *
 * <p>{@link dev.kenaz.jvm.JvmProgram} compiles entry points and calls them. An entry point becomes
 * one hidden class ({@link dev.kenaz.jvm.EntryClass}), with a static method for the code that runs
 * once and a static method for each parallel body. Arrays are native memory, which plain longs
 * address. {@link dev.kenaz.jvm.NativeMemory} is the allocator, and {@link dev.kenaz.jvm.Workers}
 * is the pool of threads.
 */
package dev.kenaz.jvm;
