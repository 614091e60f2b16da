package dev.kenaz.jobs;

/**
 * The statuses with which the command ends; tools that drive a Futhark compiler distinguish 1 and
 * 2.
 */
public final class ExitStatus {
  public static final int OK = 0;

  /** A fault of ours. */
  public static final int BUG = 1;

  /** A fault in the program, the data or the configuration. */
  public static final int USER_ERROR = 2;

  /** Valid, but not supported. */
  public static final int LIMITATION = 3;

  /** The command line makes no sense. */
  public static final int USAGE = 64;

  private ExitStatus() {}
}
