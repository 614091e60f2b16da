/**
 * This package says what a program looks like from Java: which Java names and types stand for its
 * names and types.
 */
package dev.kenaz.bind;
