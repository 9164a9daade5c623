package io.idlalayer.benchmarks;

import io.idlalayer.benchmarks.cache.CacheCommand;
import io.idlalayer.benchmarks.campaign.FaultsCommand;
import io.idlalayer.benchmarks.campaign.SoakCommand;
import io.idlalayer.benchmarks.capacity.CapacityCommand;
import io.idlalayer.benchmarks.rows.RowsCommand;
import io.idlalayer.benchmarks.source.SourceCommand;
import io.idlalayer.benchmarks.tensors.TensorsCommand;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code idla bench}: measurements that people run on their own traces. */
@Command(
    name = "idla bench",
    mixinStandardHelpOptions = true,
    description = "Measures on recorded traces, breaks a build on purpose, runs it for hours.",
    subcommands = {
      CacheCommand.class,
      CapacityCommand.class,
      TensorsCommand.class,
      RowsCommand.class,
      SourceCommand.class,
      FaultsCommand.class,
      SoakCommand.class
    })
public final class BenchMain implements Callable<Integer> {
  @Spec CommandSpec spec;

  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  static CommandLine commandLine() {
    CommandLine line = new CommandLine(new BenchMain());
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setExecutionExceptionHandler(
        (failed, command, arguments) -> {
          command.getErr().println("error: " + failed.getMessage());
          return 1;
        });
    return line;
  }

  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getOut());
    return 0;
  }
}
