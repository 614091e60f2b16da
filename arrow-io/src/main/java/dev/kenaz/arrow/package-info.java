/**
 * Arrow columns to values and back, and datasets of many Arrow files: reading, writing, import from
 * CSV, generation, inspection.
 *
 * <p>Files are mapped, so an uncompressed column of the right type becomes an array without a copy.
 * Who owns memory is stated at each method: what is read from files belongs to the garbage
 * collector; what comes from an Arrow vector is borrowed and must not outlive it. Knows no engine.
 */
package dev.kenaz.arrow;
