package io.idlalayer.jobs.submission;

import io.idlalayer.jobs.capacity.IndexSpaceCheck;
import io.idlalayer.jobs.capacity.TaskMemory;
import io.idlalayer.jobs.capacity.TensorSpaceCheck;
import io.idlalayer.jobs.job.JobLocations;
import io.idlalayer.jobs.job.OnlineLearningJob;
import io.idlalayer.jobs.lineage.Submissions;
import io.idlalayer.jobs.run.FirstStarts;
import io.idlalayer.jobs.run.GivenState;
import io.idlalayer.jobs.run.JobAnswers;
import io.idlalayer.jobs.run.JobNames;
import io.idlalayer.jobs.run.PublishedIdentity;
import io.idlalayer.jobs.run.StartOver;
import io.idlalayer.jobs.settings.ApplicationSet;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.source.LearnerPlacement;
import io.idlalayer.jobs.start.FirstStart;
import io.idlalayer.jobs.start.StartPositions;
import io.idlalayer.jobs.topics.KafkaPartitionOffsets;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.PipelineOptionsInternal;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.jobmanager.HighAvailabilityMode;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;

/**
 * A job for a Flink that the product did not start, without a work directory. Flink decides from
 * which state the job starts and where checkpoints lie. The model store of each application holds
 * its models and what a work directory would hold otherwise: the key by which ids are hashed, notes
 * of submissions, and notes of training attempts.
 *
 * <p>All checks that can make a start fail belong in {@link #prepare}. Some facts are known only in
 * the cluster, such as the state that high availability finds. Each learner checks these facts when
 * it opens.
 */
public final class FlinkSubmission {
  private final Request request;
  private final JobLocations locations;
  private final StartPositions starts;
  private final Configuration configuration;

  private FlinkSubmission(
      Request request, JobLocations locations, StartPositions starts, Configuration configuration) {
    this.request = request;
    this.locations = locations;
    this.starts = starts;
    this.configuration = configuration;
  }

  /**
   * The description of a job to be submitted.
   *
   * @param servers Kafka servers, "host:port,..."
   * @param flink settings of the user: the configuration of the client or of the cluster, with the
   *     settings of the command line
   * @param memory memory of the processes that will run the tasks
   */
  public record Request(
      List<ApplicationSettings> applications,
      String servers,
      ReadableConfig flink,
      TaskMemory memory,
      StartOver startOver) {
    public Request {
      applications = List.copyOf(applications);
    }

    /**
     * Returns the checkpoint or savepoint from which Flink was told to start; null if there is
     * none.
     */
    @Nullable String given() {
      return flink.getOptional(StateRecoveryOptions.SAVEPOINT_PATH).orElse(null);
    }

    /** Returns the job's id if the cluster has chosen it, or null. */
    @Nullable String chosenJob() {
      return flink.getOptional(PipelineOptionsInternal.PIPELINE_FIXED_JOB_ID).orElse(null);
    }

    /**
     * Returns whether Flink's high availability might find state of this job. Only the cluster
     * knows whether there is such state.
     */
    boolean mayRecover() {
      return chosenJob() != null
          && HighAvailabilityMode.isHighAvailabilityModeActivated(
              Configuration.fromMap(flink.toMap()));
    }

    private Request with(List<ApplicationSettings> keyed) {
      return new Request(keyed, servers, flink, memory, startOver);
    }
  }

  /**
   * Checks whether a job can be submitted, and notes the submission beside the models.
   *
   * @param say receives sentences about where the job continues, and about its settings
   * @throws IOException with the reason and advice; nothing was submitted
   */
  public static FlinkSubmission prepare(Request asked, Consumer<String> say)
      throws IOException, InterruptedException {
    ApplicationSet.check(asked.applications());
    refuse(problems(asked));
    List<NotedApplication> noted = new ArrayList<>();
    for (ApplicationSettings application : asked.applications()) {
      noted.add(NotedApplication.read(application));
    }
    Request request = asked.with(noted.stream().map(NotedApplication::application).toList());
    NotedApplication first = noted.get(0);
    String word = first.submissions().startOver();
    String given = request.given();
    Function<ApplicationSettings, FirstStarts.Origin> origin =
        application -> FirstStarts.Origin.NOTHING;
    boolean fromNothing = given == null && !request.mayRecover();
    boolean over =
        fromNothing ? first.startsOver(request.startOver()) : request.startOver().applies(word);
    if (over) {
      if (given != null) {
        throw new IOException(GivenState.startOverToo(given));
      }
      say.accept("starting over: nothing that was learned is used; version numbers continue");
    } else {
      PublishedIdentity.check(request.applications(), null);
      if (given != null) {
        origin = GivenState.check(given, request.applications(), null, say);
      } else if (request.mayRecover()) {
        origin = recovered(request, noted);
        say.accept("Flink's high availability decides from which state the job starts");
      } else {
        refuse(fromNothing(request, noted));
      }
    }
    FirstStarts starts =
        FirstStarts.find(
            request.applications(),
            origin,
            over ? Map.of() : begun(request, noted),
            new KafkaPartitionOffsets(request.applications().get(0).kafka(), request.servers()));
    starts.sentences().forEach(say);
    if (over) {
      PublishedIdentity.startedOver(request.applications(), null);
    }
    announceSettings(request, say);
    String chosen = request.chosenJob();
    String job = chosen == null ? new JobID().toHexString() : chosen;
    String lineage = over ? request.startOver().word() : word;
    for (NotedApplication each : noted) {
      each.note(job, given, over, lineage, starts.notes().get(each.application().name()));
    }
    Configuration configuration =
        SubmissionSettings.missing(request.flink(), request.applications());
    configuration.set(PipelineOptionsInternal.PIPELINE_FIXED_JOB_ID, job);
    return new FlinkSubmission(
        request,
        new JobLocations(
            request.servers(), null, null, "idla-" + first.application().name(), null, job),
        starts.positions(),
        configuration);
  }

  /**
   * Returns what applications begin with if high availability might find their state. A job that
   * was never submitted before has no such state.
   */
  private static Function<ApplicationSettings, FirstStarts.Origin> recovered(
      Request request, List<NotedApplication> noted) {
    String job = request.chosenJob();
    boolean again =
        noted.stream()
            .map(each -> each.submissions().newest())
            .anyMatch(newest -> newest != null && newest.job().equals(job));
    boolean published = noted.stream().anyMatch(each -> each.lineage().exists());
    return application ->
        again || published ? FirstStarts.Origin.UNKNOWN : FirstStarts.Origin.NOTHING;
  }

  /** Returns where applications began to read in earlier submissions of the same job. */
  private static Map<String, FirstStart> begun(Request request, List<NotedApplication> noted) {
    Map<String, FirstStart> begun = new TreeMap<>();
    String job = request.chosenJob();
    for (NotedApplication each : noted) {
      FirstStart start = job == null ? null : each.submissions().start(job);
      if (start != null) {
        begun.put(each.application().name(), start);
      }
    }
    return begun;
  }

  /** Returns everything that prevents a job from running on this Flink. */
  private static List<String> problems(Request request) {
    List<String> problems = new ArrayList<>();
    for (ApplicationSettings application : request.applications()) {
      if (application.publishing().directory() == null) {
        problems.add(
            "%s: publishing.directory is missing: without --work-dir, name a folder that all hosts share, or s3://BUCKET/PREFIX"
                .formatted(application.name()));
      }
    }
    problems.addAll(SubmissionSettings.problems(request.flink(), request.applications()));
    problems.addAll(IndexSpaceCheck.problems(request.applications(), request.memory()));
    problems.addAll(TensorSpaceCheck.problems(request.applications(), request.memory()));
    return problems;
  }

  private static void refuse(List<String> problems) throws IOException {
    if (!problems.isEmpty()) {
      throw new IOException(String.join("\n", problems));
    }
  }

  /**
   * Returns a sentence for each application with models about why it is not allowed to begin from
   * nothing.
   */
  private static List<String> fromNothing(Request request, List<NotedApplication> noted) {
    List<String> refusals = new ArrayList<>();
    for (NotedApplication each : noted) {
      if (each.lineage().exists()) {
        refusals.add(
            "%s has %s, but Flink was told to start this job from nothing. %s. Or begin from nothing with --start-over=WORD: version numbers go on, and what the topic still holds is learned again"
                .formatted(
                    each.application().name(),
                    each.lineage().describe(),
                    howToContinue(request.flink(), each.submissions())));
      }
    }
    return refusals;
  }

  private static String howToContinue(ReadableConfig flink, Submissions submissions) {
    Optional<String> known = KnownPoints.newest(flink, submissions);
    if (known.isPresent()) {
      return "To continue from the newest checkpoint or savepoint that is known here: flink run -s %s, and the rest of the command as it was"
          .formatted(known.get());
    }
    Submissions.Submission newest = submissions.newest();
    return "To continue: flink run -s PATH, with the newest checkpoint or savepoint%s"
        .formatted(newest == null ? " of its job" : " of job " + newest.job());
  }

  /** Reports effects of the settings that the user might not expect. */
  private static void announceSettings(Request request, Consumer<String> say) {
    int subtasks = request.flink().get(CoreOptions.DEFAULT_PARALLELISM);
    int most = OnlineLearningJob.parallelism(request.applications(), LearnerPlacement.KEY_GROUPS);
    if (subtasks > most) {
      say.accept(
          "parallelism %d is more than the %d learners use, one for each partition of an application; the others only read events"
              .formatted(subtasks, most));
    }
    if (request.flink().getOptional(CheckpointingOptions.CHECKPOINTS_DIRECTORY).isEmpty()) {
      say.accept(
          "warning: %s is not set here; if the cluster has none either, checkpoints stay in the JobManager's memory, and fail when they reach a few MiB"
              .formatted(CheckpointingOptions.CHECKPOINTS_DIRECTORY.key()));
    }
  }

  /**
   * Adds the job to an environment that has {@link #configuration()}, and submits it.
   *
   * @throws IOException if Flink refuses the job
   */
  public JobClient submit(StreamExecutionEnvironment env) throws IOException {
    OnlineLearningJob.assemble(env, request.applications(), locations, starts);
    try {
      return env.executeAsync(JobNames.name(request.applications()));
    } catch (Exception refused) {
      throw new IOException("Flink refuses the job: " + JobAnswers.rootCause(refused), refused);
    }
  }

  /**
   * Returns the settings with which the job is submitted, in addition to the settings of the user.
   */
  public Configuration configuration() {
    return new Configuration(configuration);
  }
}
