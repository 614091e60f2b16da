package dev.kenaz.jobs;

/**
 * These are the statuses with which the command ends; tools that drive a Futhark compiler
 * distinguish 1 and 2.
 */
public final class ExitStatus {
  public static final int OK = 0;

  /** Kenaz itself has a fault, or a test failed. */
  public static final int BUG = 1;

  /** The program, the data or the configuration has a fault. */
  public static final int USER_ERROR = 2;

  /** The input is valid, but Kenaz does not support it. */
  public static final int LIMITATION = 3;

  /** A comparison has found that something has become slower. */
  public static final int SLOWER = 4;

  /** The command line makes no sense. */
  public static final int USAGE = 64;

  /** Nobody reads the output any more; a process that is ended by the signal has this status. */
  static final int BROKEN_PIPE = 141;

  private ExitStatus() {}
}
