package io.idlalayer.jobs.cli;

import io.idlalayer.jobs.cluster.LocalCluster;
import io.idlalayer.jobs.terminal.Terminal;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Prints which processes of a local cluster are running. */
@Command(name = "status", description = "Shows which processes of the cluster run.")
final class ClusterStatus implements Callable<Integer> {
  @Spec CommandSpec spec;

  @Option(
      names = "--work-dir",
      paramLabel = "DIR",
      description = "The cluster's work directory (default: ${DEFAULT-VALUE}).",
      defaultValue = "idla-work/cluster")
  Path workDirectory;

  @Override
  public Integer call() throws IOException {
    new LocalCluster(workDirectory).status().forEach(spec.commandLine().getOut()::println);
    return Terminal.OK;
  }
}
