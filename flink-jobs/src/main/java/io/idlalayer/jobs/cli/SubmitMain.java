package io.idlalayer.jobs.cli;

import io.idlalayer.jobs.job.JobLocations;
import io.idlalayer.jobs.job.OnlineLearningJob;
import io.idlalayer.jobs.produce.Topics;
import io.idlalayer.jobs.settings.ApplicationSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The main class of an application-mode cluster: assembles the job in the JobManager. State
 * backend, checkpoints and memory come from the cluster's own {@code config.yaml}.
 */
@Command(name = "submit-main", mixinStandardHelpOptions = true)
public final class SubmitMain implements Callable<Integer> {
  @Parameters(arity = "1..*", paramLabel = "APP.yaml")
  List<Path> files;

  @Option(names = "--bootstrap-servers", required = true)
  String servers;

  @Option(names = "--work-dir", required = true, description = "Shared by all processes.")
  Path workDirectory;

  public static void main(String[] args) {
    CommandLine line = new CommandLine(new SubmitMain());
    int code = line.execute(args);
    if (code != 0) {
      // Thrown and not exited with: the entry point of the JobManager reports it.
      throw new IllegalStateException("the job was not submitted, exit code " + code);
    }
  }

  @Override
  public Integer call() throws Exception {
    List<ApplicationSettings> applications = Applications.read(files);
    Topics.ensure(applications, servers);
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    OnlineLearningJob.assemble(
        env,
        applications,
        new JobLocations(servers, workDirectory, "idla-" + applications.get(0).name()));
    env.executeAsync("iDlaLayer " + applications.get(0).name());
    return Idla.OK;
  }
}
