/**
 * Test blocks: what a program's comments after {@code -- ==} say about how it is to behave, in the
 * notation of Futhark's test tool.
 */
package dev.kenaz.spec;
