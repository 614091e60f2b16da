/**
 * This package reads the configurations of jobs. A configuration is a JSON document; it is checked
 * against the published schema and then read into records. An error message names the path in the
 * document at which the error is and, for a misspelt name, the name that was probably meant.
 */
package dev.kenaz.jobs.config;
