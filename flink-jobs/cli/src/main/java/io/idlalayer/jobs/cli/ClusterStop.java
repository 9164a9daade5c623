package io.idlalayer.jobs.cli;

import io.idlalayer.jobs.cluster.LocalCluster;
import io.idlalayer.jobs.terminal.Terminal;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Stops the processes of a local cluster. */
@Command(
    name = "stop",
    description = {
      "Stops the cluster's processes and ends its jobs. Checkpoints, models and topics"
          + " stay; the next 'idla cluster submit' continues from them."
    })
final class ClusterStop implements Callable<Integer> {
  @Spec CommandSpec spec;
  @Mixin ClusterCommand.Folder folder;

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    new LocalCluster(folder.path)
        .stop(
            text -> {
              out.println(text);
              out.flush();
            });
    return Terminal.OK;
  }
}
