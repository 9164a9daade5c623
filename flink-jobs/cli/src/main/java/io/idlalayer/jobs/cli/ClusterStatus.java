package io.idlalayer.jobs.cli;

import io.idlalayer.jobs.cluster.LocalCluster;
import io.idlalayer.jobs.terminal.Terminal;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Prints which processes of a local cluster are running. */
@Command(name = "status", description = "Shows which processes of the cluster run.")
final class ClusterStatus implements Callable<Integer> {
  @Spec CommandSpec spec;
  @Mixin ClusterCommand.Folder folder;

  @Override
  public Integer call() throws IOException {
    new LocalCluster(folder.path).status().forEach(spec.commandLine().getOut()::println);
    return Terminal.OK;
  }
}
