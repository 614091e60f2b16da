/**
 * This package keeps files between runs because it takes long to make them again: compiled kernels
 * and classes. None is needed: what can't be read is made again.
 */
package dev.kenaz.cache;
