/** What a GPU bundle is made of: classes, modules of the Java runtime, compiled kernels. */
package dev.kenaz.jobs.bundle;
