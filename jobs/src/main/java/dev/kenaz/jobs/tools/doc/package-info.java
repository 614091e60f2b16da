/** This package makes HTML pages about libraries from their documentation comments. */
package dev.kenaz.jobs.tools.doc;
