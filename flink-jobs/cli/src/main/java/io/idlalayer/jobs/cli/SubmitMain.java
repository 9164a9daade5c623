package io.idlalayer.jobs.cli;

import io.idlalayer.jobs.capacity.TaskMemory;
import io.idlalayer.jobs.capacity.TrainingChecks;
import io.idlalayer.jobs.produce.Topics;
import io.idlalayer.jobs.recovery.WorkDirectory;
import io.idlalayer.jobs.run.JobStart;
import io.idlalayer.jobs.run.StartOver;
import io.idlalayer.jobs.run.TaskProcesses;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.terminal.Applications;
import io.idlalayer.jobs.terminal.Terminal;
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
        "Start from nothing although models were published. Each WORD takes effect once, so"
            + " a container that is restarted with the same command continues."
      })
  @Nullable String startOver;

  public static void main(String[] args) {
    CommandLine line = new CommandLine(new SubmitMain());
    int code = line.execute(args);
    if (code != 0) {
      // The exception is thrown instead of an exit, because the JobManager's entry point reports
      // it.
      throw new IllegalStateException("the job was not submitted, exit code " + code);
    }
  }

  @Override
  public Integer call() throws Exception {
    List<ApplicationSettings> applications = Applications.readToRun(files, new TrainingChecks());
    Topics.ensure(applications, servers);
    StreamExecutionEnvironment cluster = StreamExecutionEnvironment.getExecutionEnvironment();
    Submission submission =
        prepare(
            applications, TaskProcesses.memory(cluster.getConfiguration()), System.out::println);
    submission
        .start()
        .submit(
            StreamExecutionEnvironment.getExecutionEnvironment(submission.start().configuration()));
    // Work directory and slow directory stay held until the JobManager's process ends.
    return Terminal.OK;
  }

  /** A job that is ready to be submitted; it holds the work directory. */
  record Submission(WorkDirectory work, JobStart start) implements AutoCloseable {
    @Override
    public void close() throws IOException {
      start.close();
      work.close();
    }
  }

  /**
   * Finds the recovery point that the applications start from, and creates the job's configuration.
   *
   * @param memory memory of the cluster's TaskManagers
   */
  Submission prepare(
      List<ApplicationSettings> applications, TaskMemory memory, Consumer<String> say)
      throws IOException {
    WorkDirectory work = WorkDirectory.open(workDirectory);
    try {
      StartOver over = startOver == null ? StartOver.NO : StartOver.once(startOver);
      JobStart.Request request =
          new JobStart.Request(
              applications, servers, work.identity(), JobStart.Place.CLUSTER, memory, over);
      return new Submission(work, JobStart.prepare(request, say));
    } catch (IOException | RuntimeException refused) {
      work.close();
      throw refused;
    }
  }
}
