/** This package runs entry points over data in pieces, in this process or on Spark. */
package dev.kenaz.jobs.run;
