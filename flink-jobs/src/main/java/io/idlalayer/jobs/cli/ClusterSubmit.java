package io.idlalayer.jobs.cli;

import io.idlalayer.jobs.cluster.ClusterRun;
import io.idlalayer.jobs.cluster.LocalCluster;
import io.idlalayer.jobs.embedded.EmbeddedRun;
import io.idlalayer.jobs.report.RunReport;
import io.idlalayer.jobs.report.RunView;
import io.idlalayer.jobs.settings.ApplicationSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Submits applications to a local cluster. */
@Command(
    name = "submit",
    description = {
      "Submits applications to the cluster as one job, from its newest recovery point if there is"
          + " one. Refused while a job of one of the applications runs there.",
      "With --input it feeds the file, follows the job until all of it is learned, then stops the"
          + " job with a savepoint. Without, the job runs on in the cluster.",
      "If the JobManager dies, 'idla cluster start' starts it again and submits the job again."
    })
final class ClusterSubmit implements Callable<Integer> {
  @Spec CommandSpec spec;
  @Mixin InputOptions input;
  @Mixin StartOptions start;

  @Parameters(arity = "1..*", paramLabel = "APP.yaml", description = "Application files.")
  List<Path> files;

  @Option(
      names = "--work-dir",
      paramLabel = "DIR",
      description = "The cluster's work directory (default: ${DEFAULT-VALUE}).",
      defaultValue = "idla-work/cluster")
  Path workDirectory;

  @Option(names = "--report", paramLabel = "FILE.json", description = "Where to write a report.")
  @Nullable Path report;

  @Override
  public Integer call() throws IOException, InterruptedException {
    long begin = System.nanoTime();
    List<ApplicationSettings> applications = Applications.read(files);
    PrintWriter out = spec.commandLine().getOut();
    ConsoleMonitor monitor = new ConsoleMonitor(out, null);
    LocalCluster cluster = new LocalCluster(workDirectory);
    ClusterRun.Options options =
        new ClusterRun.Options(input.plan(applications), start.startOver(), start.stopLimit());
    RunView view = new ClusterRun(cluster, applications, files, monitor).run(options, () -> false);
    if (view != null) {
      double seconds = (System.nanoTime() - begin) / 1e9;
      monitor.end(new EmbeddedRun.Outcome(view, true, seconds), cluster.workDirectory());
      if (report != null) {
        RunReport.write(RunReport.of(view, seconds), report);
      }
    }
    return Idla.OK;
  }
}
