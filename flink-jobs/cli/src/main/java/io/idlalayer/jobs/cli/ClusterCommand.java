package io.idlalayer.jobs.cli;

import io.idlalayer.jobs.terminal.Terminal;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Groups the commands on a local cluster. */
@Command(
    name = "cluster",
    description = "Runs broker, JobManager and TaskManager as separate processes on this machine.",
    subcommands = {ClusterStart.class, ClusterSubmit.class, ClusterStatus.class, ClusterStop.class})
final class ClusterCommand implements Callable<Integer> {
  /** The option that names a cluster by its work directory. */
  static final class Folder {
    @Option(
        names = "--work-dir",
        paramLabel = "DIR",
        description = "The cluster's work directory (default: ${DEFAULT-VALUE}).",
        defaultValue = "idla-work/cluster")
    Path path;
  }

  @Spec CommandSpec spec;

  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getOut());
    return Terminal.OK;
  }
}
