/**
 * This package reads test blocks: the comments after {@code -- ==} which say how a program is to
 * behave, in the notation of Futhark's test tool.
 */
package dev.kenaz.spec;
