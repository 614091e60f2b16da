/**
 * The way from source text to code that runs: {@link dev.kenaz.pipeline.Compiler} compiles a
 * program, {@link dev.kenaz.pipeline.CompiledProgram} is what comes out, and each {@link
 * dev.kenaz.pipeline.CompiledEntry} of it can be called.
 */
package dev.kenaz.pipeline;
