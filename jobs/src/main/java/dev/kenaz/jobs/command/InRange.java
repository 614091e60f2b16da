package dev.kenaz.jobs.command;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * This is the range of numbers that make sense for an option, both ends included; {@link Ranges}
 * checks it. Every numeric option has one. Infinities and NaNs never make sense.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.FIELD, ElementType.PARAMETER})
@interface InRange {
  /** The end of the range for a count that has no natural limit. */
  double MANY = 1_000_000_000;

  /** The end of the range for an option that takes all numbers of its type. */
  double ANY = Double.MAX_VALUE;

  /** The least number. */
  double from();

  /** Returns the greatest number. */
  double to();
}
