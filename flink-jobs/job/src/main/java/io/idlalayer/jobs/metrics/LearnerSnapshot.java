package io.idlalayer.jobs.metrics;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.events.UpdateRecord;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The facts about a learner at its latest event, from which metrics are computed. Immutable: the
 * operator's thread creates it, and the reporters' threads read it.
 *
 * @param type type of the event
 * @param atMillis time of the event, epoch milliseconds
 * @param update the update that the event is about
 * @param training the training of the newest update that was accepted since the learner was opened;
 *     null if there is none
 * @param staged the newest accepted update, with the time when it was accepted; null if there is
 *     none
 * @param served the version in service, with its publication time
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
  /**
   * Milliseconds after which an unknown publication time of the version in service is looked up
   * again.
   */
  static final long LOOK_UP_AGAIN_MILLIS = 10_000;

  /** The time when an update was accepted. */
  record Staged(long update, long atMillis) {}

  /**
   * A version in service, with the time of its publication.
   *
   * @param version the version; 0 for none
   * @param publishedAtMillis publication time, epoch milliseconds; negative if unknown
   * @param lookedUpAtMillis time when the publication time was looked up, epoch milliseconds
   */
  record Served(long version, long publishedAtMillis, long lookedUpAtMillis) {
    private static final Served NONE = new Served(0, -1, 0);

    /**
     * Returns whether the publication time of the version must be looked up again. The lookup might
     * read a file.
     */
    private boolean outdated(long nowMillis) {
      return version != 0
          && publishedAtMillis < 0
          && nowMillis - lookedUpAtMillis >= LOOK_UP_AGAIN_MILLIS;
    }
  }

  /** The number of occurrences of each kind since the learner was opened. */
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
   * Returns the facts about a learner after an event.
   *
   * @param before the facts before the event; null before the first event
   * @param publishedAt returns when a version was published, epoch milliseconds, negative if
   *     unknown. It is called when a new version serves and the event does not have the publication
   *     time of this version, and again every {@link #LOOK_UP_AGAIN_MILLIS} while the time is
   *     unknown
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
    long nowMillis = event.atMillis();
    if (version == before.version() && !before.outdated(nowMillis)) {
      return before;
    }
    UpdateRecord update = event.update();
    UpdateRecord.Published published = update == null ? null : update.published();
    if (published != null && published.version() == version) {
      return new Served(version, published.atMillis(), nowMillis);
    }
    return new Served(version, version == 0 ? -1 : publishedAt.applyAsLong(version), nowMillis);
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

  /** Returns when the published update of this event was accepted; null if unknown. */
  @Nullable Long stagedAtMillis() {
    if (update == null || staged == null || staged.update() != update.number()) {
      return null;
    }
    return staged.atMillis();
  }
}
