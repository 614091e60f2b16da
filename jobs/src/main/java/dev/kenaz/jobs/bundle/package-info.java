/**
 * This package finds out what a GPU bundle has to contain: the classes that its command reaches,
 * the modules of the Java runtime that these classes need, and the compiled kernels of its
 * programs.
 */
package dev.kenaz.jobs.bundle;
