package io.idlalayer.benchmarks.campaign;

import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Options of commands that run a build of the product, and what their reports say of it. */
final class BuildOptions {
  @Spec(Spec.Target.MIXEE)
  CommandSpec command;

  @Option(
      names = "--work",
      paramLabel = "DIR",
      description = "Where the build runs (default: idla-work and the name of the command).")
  @Nullable Path work;

  @Option(names = "--lib", paramLabel = "FOLDER", description = "Jars of the build.")
  Path lib = Path.of(System.getProperty("idla.lib", "flink-jobs/cli/target/lib"));

  @Option(
      names = "--output",
      paramLabel = "DIR",
      description = "Where the results go, as JSON and as Markdown (default: the work directory).")
  @Nullable Path output;

  /** The work directory, absolute. */
  Path work() {
    Path given = work == null ? Path.of("idla-work", command.name()) : work;
    return given.toAbsolutePath().normalize();
  }

  /** Where the results go. */
  Path output() {
    return output == null ? work() : output;
  }

  /** The command line of this run. */
  String line() {
    return "./idla bench "
        + String.join(" ", command.commandLine().getParent().getParseResult().originalArgs());
  }

  /** Processors and software of this machine. */
  static String machine() {
    return "%d cores, %s %s, Java %s"
        .formatted(
            Runtime.getRuntime().availableProcessors(),
            System.getProperty("os.name"),
            System.getProperty("os.version"),
            Runtime.version());
  }

  /** The day in UTC. */
  static String today() {
    return LocalDate.now(ZoneOffset.UTC).toString();
  }
}
