package io.idlalayer.jobs.metrics;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.events.UpdateRecord;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What was known of a learner at its latest event. Immutable: made by the operator's thread, read
 * by those of reporters.
 *
 * @param type of the event
 * @param atMillis of the event, epoch milliseconds
 * @param update that the event is about
 * @param training the latest one that was accepted since the learner was opened
 * @param staged when the newest update was accepted
 * @param served the version in service
 */
record LearnerSnapshot(
    DecisionEvent.Type type,
    long atMillis,
    Status status,
    @Nullable UpdateRecord update,
    UpdateRecord.@Nullable Training training,
    @Nullable Staged staged,
    Served served,
    Happened happened) {

  /** When an update was accepted. */
  record Staged(long update, long atMillis) {}

  /**
   * A version in service.
   *
   * @param version 0 for none
   * @param publishedAtMillis epoch milliseconds; negative if it is not known
   */
  record Served(long version, long publishedAtMillis) {
    private static final Served NONE = new Served(0, -1);
  }

  /** What happened since the learner was opened. */
  record Happened(long fired, long aborted, long dropped, long published, long failedPublications) {
    private static final Happened NOTHING = new Happened(0, 0, 0, 0, 0);

    private Happened and(DecisionEvent event) {
      UpdateRecord update = event.update();
      boolean trained = update != null && update.training() != null;
      return switch (event.type()) {
        case FIRED -> new Happened(fired + 1, aborted, dropped, published, failedPublications);
        case ABORTED -> new Happened(fired, aborted + 1, dropped, published, failedPublications);
        case PUBLISHED -> new Happened(fired, aborted, dropped, published + 1, failedPublications);
        case DROPPED ->
            new Happened(
                fired,
                aborted,
                dropped + (update == null || trained ? 0 : 1),
                published,
                failedPublications + (trained ? 1 : 0));
        default -> this;
      };
    }
  }

  /**
   * What is known after an event.
   *
   * @param before null if it is the first
   * @param publishedAt when a version was published, epoch milliseconds, or negative; asked when
   *     another version serves than before and the event does not say when it was published
   */
  static LearnerSnapshot after(
      @Nullable LearnerSnapshot before, DecisionEvent event, LongUnaryOperator publishedAt) {
    UpdateRecord update = event.update();
    UpdateRecord accepted = event.type() == DecisionEvent.Type.STAGED ? update : null;
    return new LearnerSnapshot(
        event.type(),
        event.atMillis(),
        event.status(),
        update,
        accepted != null ? accepted.training() : before == null ? null : before.training,
        accepted != null
            ? new Staged(accepted.number(), event.atMillis())
            : before == null ? null : before.staged,
        served(before == null ? Served.NONE : before.served, event, publishedAt),
        (before == null ? Happened.NOTHING : before.happened).and(event));
  }

  private static Served served(Served before, DecisionEvent event, LongUnaryOperator publishedAt) {
    long version = served(event.status());
    if (version == before.version()) {
      return before;
    }
    UpdateRecord update = event.update();
    UpdateRecord.Published published = update == null ? null : update.published();
    if (published != null && published.version() == version) {
      return new Served(version, published.atMillis());
    }
    return new Served(version, version == 0 ? -1 : publishedAt.applyAsLong(version));
  }

  private static long served(Status status) {
    Status.Pinned pinned = status.pinned();
    if (pinned != null) {
      return pinned.version();
    }
    Status.Gate gate = status.gate();
    return gate == null || gate.inServiceVersion() == 0
        ? status.modelVersion()
        : gate.inServiceVersion();
  }

  /** When the published update of this event was accepted; null if it is not known. */
  @Nullable Long stagedAtMillis() {
    if (update == null || staged == null || staged.update() != update.number()) {
      return null;
    }
    return staged.atMillis();
  }
}
