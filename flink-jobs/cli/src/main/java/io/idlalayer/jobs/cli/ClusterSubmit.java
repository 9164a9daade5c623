package io.idlalayer.jobs.cli;

import io.idlalayer.jobs.capacity.TrainingChecks;
import io.idlalayer.jobs.cli.progress.TerminalMonitor;
import io.idlalayer.jobs.cli.progress.VerboseOption;
import io.idlalayer.jobs.cluster.ClusterRun;
import io.idlalayer.jobs.cluster.LocalCluster;
import io.idlalayer.jobs.produce.TopicPatterns;
import io.idlalayer.jobs.report.RunReport;
import io.idlalayer.jobs.run.RunOutcome;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.terminal.Applications;
import io.idlalayer.jobs.terminal.LogFile;
import io.idlalayer.jobs.terminal.Terminal;
import io.idlalayer.modelloader.natives.KernelRuntime;
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
      "Submits applications to the cluster as one job, which continues from its newest"
          + " recovery point. Refused while a job with one of the applications runs there.",
      "With --input, the command sends the file, follows the job until everything is"
          + " learned, and stops the job with a savepoint. Without --input, the job keeps running"
          + " in the cluster.",
      "With --input and the same application files, a job that already runs is fed and followed."
          + " So if the command was killed, repeat it to continue.",
      "If the JobManager dies, 'idla cluster start' starts it again and submits the job again."
    })
final class ClusterSubmit implements Callable<Integer> {
  @Spec CommandSpec spec;
  @Mixin ClusterCommand.Folder folder;
  @Mixin InputOptions input;
  @Mixin StartOptions start;
  @Mixin LossOptions losses;
  @Mixin VerboseOption verbose;

  @Parameters(arity = "1..*", paramLabel = "APP.yaml", description = "Application files.")
  List<Path> files;

  @Option(names = "--report", paramLabel = "FILE.json", description = "Where to write a report.")
  @Nullable Path report;

  @Override
  public Integer call() throws IOException, InterruptedException {
    List<ApplicationSettings> read = Applications.readToRun(files, new TrainingChecks());
    PrintWriter out = spec.commandLine().getOut();
    LogFile.in(folder.path);
    LocalCluster cluster = new LocalCluster(folder.path);
    TopicPatterns found = TopicPatterns.find(read, cluster.addresses().bootstrapServers());
    found.sentences().forEach(out::println);
    List<ApplicationSettings> applications = found.applications();
    TerminalMonitor monitor =
        new TerminalMonitor(out, applications, new TerminalMonitor.Shows(verbose.updates));
    ClusterRun.Options options =
        new ClusterRun.Options(
            input.plan(applications), start.startOver(), start.stopLimit(), start.unsaved());
    RunOutcome outcome =
        new ClusterRun(cluster, applications, files, monitor).run(options, () -> false);
    if (outcome != null) {
      int code = monitor.end(outcome, cluster.workDirectory(), losses.allowedShare);
      if (report != null) {
        RunReport.write(
            RunReport.of(
                outcome.view(), outcome.wallSeconds(), outcome.saved(), KernelRuntime.describe()),
            report);
      }
      return code;
    }
    return Terminal.OK;
  }
}
