/** Classes of Java that stand for programs: {@code kenaz bind}. */
package dev.kenaz.jobs.tools.bind;
