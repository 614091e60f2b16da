/**
 * This package leads from source text to code that runs. {@link dev.kenaz.pipeline.Pipelines} lists
 * the passes, and {@link dev.kenaz.pipeline.Compiler} runs them: it compiles a program to a {@link
 * dev.kenaz.pipeline.CompiledProgram}, each {@link dev.kenaz.pipeline.CompiledEntry} of which can
 * be called.
 */
package dev.kenaz.pipeline;
