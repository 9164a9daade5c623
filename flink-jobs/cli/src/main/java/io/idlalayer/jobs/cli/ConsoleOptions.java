package io.idlalayer.jobs.cli;

import io.idlalayer.jobs.terminal.UsageException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of a run's console in the browser. */
final class ConsoleOptions {
  @Option(names = "--no-console", description = "Without the console in the browser.")
  boolean none;

  @Option(
      names = "--console-port",
      paramLabel = "N",
      description =
          "Port of the console in the browser (default: 8095, or a free one if that is taken).")
  @Nullable Integer port;

  /**
   * Returns the process that will show the run in the browser; null if the user wants none or none
   * is installed.
   */
  @Nullable ConsoleProcess process() {
    String lib = System.getProperty(ConsoleProcess.LIB);
    if (none || lib == null) {
      if (none && port != null) {
        throw new UsageException("--no-console and --console-port contradict each other");
      }
      return null;
    }
    return new ConsoleProcess(lib, port);
  }
}
