package io.idlalayer.jobs.cli.progress;

import picocli.CommandLine.Option;

/** Option of commands that follow a run. */
public final class VerboseOption {
  /** Whether there is a line for each update. */
  @Option(
      names = {"-v", "--verbose"},
      description = "Also print a line for each update: what it learned, and why it was made then.")
  public boolean updates;
}
