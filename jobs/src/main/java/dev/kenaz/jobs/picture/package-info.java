/** This package draws charts as SVG, for reports of trainings and of measurements. */
package dev.kenaz.jobs.picture;
