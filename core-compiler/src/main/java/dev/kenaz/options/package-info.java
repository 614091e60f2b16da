/**
 * This package holds what a user chooses for a compilation: the backend that the program is
 * compiled for, and how it is compiled.
 */
package dev.kenaz.options;
