/** What programs look like from Java: names and types that stand for those of a program. */
package dev.kenaz.bind;
