package io.idlalayer.benchmarks.measure;

import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;

/** Runs experiments as programs. */
public final class Experiment {
  private Experiment() {}

  /** Reads options, runs an experiment and ends this process with its exit code. */
  public static void run(Callable<Integer> experiment, String[] options) {
    Locale.setDefault(Locale.ROOT);
    System.exit(
        new CommandLine(experiment).setCaseInsensitiveEnumValuesAllowed(true).execute(options));
  }
}
