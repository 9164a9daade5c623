package io.idlalayer.jobs.cli;

import io.idlalayer.jobs.cli.progress.TerminalMonitor;
import io.idlalayer.jobs.cluster.ClusterRun;
import io.idlalayer.jobs.cluster.LocalCluster;
import io.idlalayer.jobs.terminal.LogFile;
import io.idlalayer.jobs.terminal.Terminal;
import io.idlalayer.jobs.terminal.UsageException;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Starts the processes of a local cluster. */
@Command(
    name = "start",
    description = {
      "Starts broker, JobManager and TaskManagers, and waits until they are connected.",
      "Running processes are not touched: a second start replaces processes that have died."
          + " If the JobManager had died, its jobs are submitted again, each from its newest"
          + " recovery point."
    })
final class ClusterStart implements Callable<Integer> {
  @Spec CommandSpec spec;
  @Mixin ClusterCommand.Folder folder;
  @Mixin FlinkOptions flink;

  @Option(
      names = "--task-managers",
      paramLabel = "N",
      description = "Number of TaskManagers (default: ${DEFAULT-VALUE}).",
      defaultValue = "1")
  int taskManagers;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (taskManagers < 1 || taskManagers > 16) {
      throw new UsageException("--task-managers must be between 1 and 16");
    }
    PrintWriter out = spec.commandLine().getOut();
    Consumer<String> say =
        text -> {
          out.println(text);
          out.flush();
        };
    LogFile.in(folder.path);
    LocalCluster cluster = new LocalCluster(folder.path);
    LocalCluster.Addresses addresses = cluster.start(taskManagers, flink.settings, say);
    ClusterRun.resume(
        cluster, new TerminalMonitor(out, List.of(), new TerminalMonitor.Shows(false)), say);
    out.printf(
        "broker at %s, JobManager at %s:%d; next: idla cluster submit APP.yaml --work-dir %s%n",
        addresses.bootstrapServers(), addresses.host(), addresses.restPort(), folder.path);
    return Terminal.OK;
  }
}
