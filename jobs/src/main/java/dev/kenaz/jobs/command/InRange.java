package dev.kenaz.jobs.command;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The numbers that make sense for an option, both ends among them; {@link Ranges} checks them.
 * Every numeric option has one. Infinities and NaNs never make sense.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.FIELD, ElementType.PARAMETER})
@interface InRange {
  /** As a count of things that there may be any number of. */
  double MANY = 1_000_000_000;

  /** All numbers of the option's type. */
  double ANY = Double.MAX_VALUE;

  /** The least. */
  double from();

  /** The greatest. */
  double to();
}
