/** What a user chooses of a compilation: the machine that the program is for, and how it is compiled. */
package dev.kenaz.options;
