/** This package shows what a plan for a dataset in pieces does, and which data it moves. */
package dev.kenaz.distribute.report;
