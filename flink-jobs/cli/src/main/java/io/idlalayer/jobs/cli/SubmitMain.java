package io.idlalayer.jobs.cli;

import io.idlalayer.jobs.capacity.TaskMemory;
import io.idlalayer.jobs.capacity.TrainingChecks;
import io.idlalayer.jobs.job.OnlineLearningJob;
import io.idlalayer.jobs.operator.JobClassLoader;
import io.idlalayer.jobs.produce.TopicPatterns;
import io.idlalayer.jobs.produce.Topics;
import io.idlalayer.jobs.recovery.WorkDirectory;
import io.idlalayer.jobs.run.JobStart;
import io.idlalayer.jobs.run.StartOver;
import io.idlalayer.jobs.run.TaskProcesses;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.submission.FlinkSubmission;
import io.idlalayer.jobs.terminal.Applications;
import io.idlalayer.jobs.terminal.Terminal;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The main class of a job that {@code flink run} or a JobManager in application mode submits.
 * Without a work directory, Flink decides from which state the job starts and where checkpoints
 * lie. With a work directory, as in the containers, the job starts from the newest recovery point
 * in the work directory at every start of the JobManager, unless Flink was given another recovery
 * point. Memory and addresses come from Flink's own configuration.
 */
@Command(name = "submit-main", mixinStandardHelpOptions = true)
public final class SubmitMain implements Callable<Integer> {
  @Parameters(arity = "1..*", paramLabel = "APP.yaml")
  List<Path> files;

  @Option(names = "--bootstrap-servers", required = true)
  String servers;

  @Option(
      names = "--work-dir",
      description = {
        "Folder for checkpoints and models that all processes share. Without it, Flink's own settings"
            + " say where checkpoints lie, and publishing.directory where models lie."
      })
  @Nullable Path workDirectory;

  @Option(
      names = "--start-over",
      paramLabel = "WORD",
      description = {
        "Start from nothing although models were published. Each WORD takes effect once, so"
            + " a container that is restarted with the same command continues."
      })
  @Nullable String startOver;

  public static void main(String[] args) {
    AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
    CommandLine line = new CommandLine(new SubmitMain());
    line.setExecutionExceptionHandler(
        (failed, command, parsed) -> {
          failure.set(failed);
          return Terminal.FAILED;
        });
    int code;
    try {
      code = line.execute(args);
    } finally {
      // Flink's web interface runs this method in the JobManager, which must not end.
      JobClassLoader.leave();
    }
    Exception failed = failure.get();
    if (failed != null) {
      throw new IllegalStateException("the job was not submitted: " + failed.getMessage(), failed);
    }
    if (code != 0) {
      // The exception is thrown instead of an exit, because the JobManager's entry point and
      // Flink's client report it.
      throw new IllegalStateException("the job was not submitted, exit code " + code);
    }
  }

  @Override
  public Integer call() throws Exception {
    TopicPatterns found =
        TopicPatterns.find(Applications.readToRun(files, new TrainingChecks()), servers);
    found.sentences().forEach(System.out::println);
    List<ApplicationSettings> applications = found.applications();
    Topics.ensure(applications, servers);
    ReadableConfig flink = StreamExecutionEnvironment.getExecutionEnvironment().getConfiguration();
    TaskMemory memory = TaskProcesses.memory(flink);
    Path work = workDirectory;
    if (work == null) {
      FlinkSubmission.Request request =
          new FlinkSubmission.Request(applications, servers, flink, memory, startOver());
      FlinkSubmission submission = FlinkSubmission.prepare(request, System.out::println);
      submission.submit(
          StreamExecutionEnvironment.getExecutionEnvironment(submission.configuration()));
      return Terminal.OK;
    }
    String given = flink.getOptional(StateRecoveryOptions.SAVEPOINT_PATH).orElse(null);
    Submission submission = prepare(work, applications, memory, given, System.out::println);
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.getExecutionEnvironment(submission.start().configuration());
    environment.setParallelism(
        OnlineLearningJob.parallelism(applications, environment.getParallelism()));
    submission.start().submit(environment);
    // Work directory and slow directory stay held until the JobManager's process ends.
    return Terminal.OK;
  }

  private StartOver startOver() {
    return startOver == null ? StartOver.NO : StartOver.once(startOver);
  }

  /** A job that is ready to be submitted; it holds the work directory. */
  private record Submission(WorkDirectory work, JobStart start) {}

  /**
   * Finds the recovery point that the applications start from, and creates the job's configuration.
   *
   * @param memory memory of the cluster's TaskManagers
   * @param given checkpoint or savepoint that Flink was given, which takes precedence; null for
   *     none
   */
  private Submission prepare(
      Path directory,
      List<ApplicationSettings> applications,
      TaskMemory memory,
      @Nullable String given,
      Consumer<String> say)
      throws IOException, InterruptedException {
    WorkDirectory work = WorkDirectory.open(directory);
    try {
      JobStart.Request request =
          new JobStart.Request(
                  applications,
                  servers,
                  work.identity(),
                  JobStart.Place.CLUSTER,
                  memory,
                  startOver())
              .from(given);
      return new Submission(work, JobStart.prepare(request, say));
    } catch (IOException | InterruptedException | RuntimeException refused) {
      work.close();
      throw refused;
    }
  }
}
