/** Pages about libraries, made of their documentation comments. */
package dev.kenaz.jobs.tools.doc;
