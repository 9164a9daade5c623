package io.idlalayer.jobs.cli;

import io.idlalayer.jobs.embedded.WorkDirectory;
import io.idlalayer.jobs.job.JobLocations;
import io.idlalayer.jobs.job.JobNames;
import io.idlalayer.jobs.job.JobStart;
import io.idlalayer.jobs.job.OnlineLearningJob;
import io.idlalayer.jobs.job.StartOver;
import io.idlalayer.jobs.produce.Topics;
import io.idlalayer.jobs.settings.ApplicationSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The main class of an application-mode cluster: assembles the job in the JobManager, from the
 * newest recovery point in the work directory, at every start of the JobManager. Memory and
 * addresses come from the cluster's own {@code config.yaml}.
 */
@Command(name = "submit-main", mixinStandardHelpOptions = true)
public final class SubmitMain implements Callable<Integer> {
  @Parameters(arity = "1..*", paramLabel = "APP.yaml")
  List<Path> files;

  @Option(names = "--bootstrap-servers", required = true)
  String servers;

  @Option(names = "--work-dir", required = true, description = "Shared by all processes.")
  Path workDirectory;

  @Option(
      names = "--start-over",
      paramLabel = "WORD",
      description = {
        "Begin from nothing although models were published, once for each word: a container that"
            + " is restarted with the same command goes on."
      })
  @Nullable String startOver;

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
    Submission submission = prepare(applications, System.out::println);
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.getExecutionEnvironment(submission.start().configuration());
    OnlineLearningJob.assemble(env, applications, submission.locations());
    env.executeAsync(JobNames.name(applications));
    // Work directory and slow directory stay ours until the JobManager's process ends.
    return Idla.OK;
  }

  /** A job that may be submitted; the work directory is held. */
  record Submission(WorkDirectory work, JobLocations locations, JobStart start)
      implements AutoCloseable {
    @Override
    public void close() throws IOException {
      start.close();
      work.close();
    }
  }

  /** Finds where the applications go on and makes the job's configuration. */
  Submission prepare(List<ApplicationSettings> applications, Consumer<String> say)
      throws IOException {
    WorkDirectory work = WorkDirectory.open(workDirectory);
    try {
      JobLocations locations =
          new JobLocations(servers, work.path(), "idla-" + applications.get(0).name());
      StartOver over = startOver == null ? StartOver.NO : StartOver.once(startOver);
      JobStart.Request request =
          new JobStart.Request(
              applications, locations, work.identity(), JobStart.Place.CLUSTER, over);
      return new Submission(work, locations, JobStart.prepare(request, say));
    } catch (IOException | RuntimeException refused) {
      work.close();
      throw refused;
    }
  }
}
