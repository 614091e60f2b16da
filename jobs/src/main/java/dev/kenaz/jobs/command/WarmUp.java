package dev.kenaz.jobs.command;

import picocli.CommandLine.Command;

/** Touches what every short command needs, so that the launcher can record start-up data for it. */
@Command(name = "warm-up", hidden = true, description = "For the launcher.")
public final class WarmUp implements Runnable {
  @Override
  public void run() {}
}
