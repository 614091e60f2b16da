/**
 * This package measures how long the entry points of programs take on the inputs of their test
 * blocks.
 */
package dev.kenaz.jobs.tools.bench;
