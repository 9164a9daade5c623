package io.idlalayer.jobs.submission;

import io.idlalayer.jobs.run.GivenState;
import io.idlalayer.jobs.run.PublishedIdentity;
import io.idlalayer.jobs.run.StartOver;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.terminal.UsageException;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.runtime.jobmanager.HighAvailabilityMode;
import org.jspecify.annotations.Nullable;

/**
 * The submission of a learner that is attached to a stream of a user's job. Flink decides from
 * which state the job starts. The notes about submissions lie in the model store. The job has no id
 * yet when the learner is attached, so the submission gets another id.
 *
 * @param application the application, with the key by which its ids are hashed
 * @param id id of the submission; learners of the job find the note of the submission by this id
 */
public record StreamSubmission(ApplicationSettings application, String id) {
  /**
   * Checks whether a learner can be attached, and notes the submission beside the models.
   *
   * @param application the application, with the place of its models
   * @param flink settings of the job
   * @throws UsageException if a setting was changed on which the application's models depend, or if
   *     the job would begin from nothing although models are published
   * @throws IOException if the model store cannot be read or written
   */
  public static StreamSubmission note(
      ApplicationSettings application, ReadableConfig flink, StartOver startOver)
      throws IOException {
    NotedApplication noted = NotedApplication.read(application);
    List<ApplicationSettings> only = List.of(noted.application());
    String given = flink.getOptional(StateRecoveryOptions.SAVEPOINT_PATH).orElse(null);
    if (given != null && startOver.applies(noted.submissions().startOver())) {
      throw new UsageException(GivenState.startOverToo(given));
    }
    boolean over = given == null && noted.startsOver(startOver);
    if (over) {
      PublishedIdentity.startedOver(only, null);
    } else {
      PublishedIdentity.check(only, null);
      if (given == null && noted.lineage().exists() && !mayRecover(flink)) {
        throw new UsageException(fromNothing(noted));
      }
    }
    StreamSubmission submission =
        new StreamSubmission(noted.application(), "stream-" + UUID.randomUUID());
    noted.note(submission.id(), given, over, word(noted, over, startOver), null);
    return submission;
  }

  private static @Nullable String word(NotedApplication noted, boolean over, StartOver startOver) {
    return over ? startOver.word() : noted.submissions().startOver();
  }

  /** Returns whether Flink's high availability might find state, which only the cluster knows. */
  private static boolean mayRecover(ReadableConfig flink) {
    return HighAvailabilityMode.isHighAvailabilityModeActivated(
        Configuration.fromMap(flink.toMap()));
  }

  private static String fromNothing(NotedApplication noted) {
    return "%s has %s, but Flink was told to start this job from nothing. To continue, set %s to the newest checkpoint or savepoint of its job, or submit with -s. Or begin from nothing with a word: startOver(\"WORD\") of the stream, 'start-over' = 'WORD' of the table; version numbers go on"
        .formatted(
            noted.application().name(),
            noted.lineage().describe(),
            StateRecoveryOptions.SAVEPOINT_PATH.key());
  }
}
