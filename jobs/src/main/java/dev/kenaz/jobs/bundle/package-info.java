/**
 * Finds out what belongs into a GPU bundle: which classes its command reaches, which modules of the
 * Java runtime they need, and the compiled kernels of its programs.
 */
package dev.kenaz.jobs.bundle;
