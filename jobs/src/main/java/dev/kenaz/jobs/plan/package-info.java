/** This package shows plans for computing over a dataset in pieces: what they do, and move. */
package dev.kenaz.jobs.plan;
