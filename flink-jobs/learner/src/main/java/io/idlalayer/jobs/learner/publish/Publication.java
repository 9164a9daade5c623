package io.idlalayer.jobs.learner.publish;

import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.learner.state.LastingFailureException;
import io.idlalayer.jobs.learner.state.LearnerClock;
import io.idlalayer.jobs.learner.state.LearnerIdentity;
import io.idlalayer.jobs.learner.state.LearnerState.Slot;
import io.idlalayer.jobs.learner.state.StateChange;
import io.idlalayer.jobs.processor.ProcessorPart;
import io.idlalayer.jobs.processor.ProcessorTime;
import io.idlalayer.jobs.storage.StorageFault;
import io.idlalayer.middleware.embedding.table.RowTables;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.FencedPublisherException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The accepted model of a learner and its publication. {@link Transition} is the table of the
 * states of a publication:
 *
 * <pre>
 *            ACCEPT                 SUCCEED
 *   IDLE ------------&gt; PUBLISHING ----------&gt; IDLE
 *     | RESTORE, RENEW   ^  ^   | FAIL     (WRITE_ROWS: from PUBLISHING to itself)
 *     |   ACCEPT, RETRY  |  |   v
 *     +-------------&gt;    RETRYING
 *
 *            HOLD           RELEASE
 *   IDLE ------------&gt; HELD ----------&gt; PUBLISHING    (REFUSE: from HELD to IDLE;
 *                                                       HOLD: from RETRYING, DUE and HELD too;
 *                                                       ROLL_BACK: from IDLE, RETRYING and DUE
 *                                                       to IDLE)
 *
 *          POSTPONE            COME_DUE
 *   IDLE ------------&gt; DUE ----------&gt; PUBLISHING    (POSTPONE: from RETRYING and DUE too)
 *
 *          FALL_BEHIND             CATCH_UP
 *   IDLE, RETRYING ---> BEHIND ------------&gt; PUBLISHING    (WAIT: from BEHIND to itself;
 *                                                          STOP_WAITING: from BEHIND to IDLE)
 * </pre>
 *
 * <p>After a restore, the version in service can have learned more than the restored model. Models
 * are then accepted, but not published, until a model has learned as much, see {@link CatchUp}.
 *
 * <p>An accepted model sometimes has to wait, see {@link PublicationPace}. If the next model is
 * accepted first, it replaces the waiting model. The arrivals of the waiting model then count as
 * incorporated when the next model is published. No model waits once the input has ended and all
 * samples are learned.
 *
 * <p>A model that the release gate holds is published when the gate releases it. If the gate
 * refuses a model, the next update continues from this model or the version in service.
 *
 * <p>The trainer thread publishes a model, so the publication ends before the next training starts.
 * A failed publication (for example with a full disk) is tried again with growing pauses while the
 * last published version keeps serving. After {@link #ATTEMPTS} attempts the job fails and starts
 * again from its checkpoint, where the publication is still pending. If the next model is accepted
 * before a retry, it replaces the model that waits for the retry.
 *
 * <p>The learner claims the publisher's place at its first tick. So an older attempt of the job, or
 * another run that is still alive, is fenced before anything new is learned. If the learner itself
 * is fenced, it fails: for good if another run has the place, otherwise the job starts again.
 *
 * <p>The rows of a model's tables are published as changes since the parent version, and from time
 * to time in full, see {@link RowPublication}. If the store no longer has the parent's rows, the
 * attempt ends. The operator's thread, which owns the rows, then writes all of them to a file
 * before the next attempt. The operator's thread does nothing else meanwhile; this case is rare.
 *
 * <p>{@link VersionCleanUp} deletes old versions after a publication.
 */
public final class Publication {
  static final int ATTEMPTS = 10;
  private static final Logger LOG = LoggerFactory.getLogger(Publication.class);
  private static final long FIRST_PAUSE_MILLIS = 1_000;
  private static final long LONGEST_PAUSE_MILLIS = 60_000;

  /** The states of the publication of the accepted model. */
  enum State {
    /** The accepted model is published, or there is none. */
    IDLE,
    /** The release gate has not decided yet whether the accepted model is published. */
    HELD,
    /** An attempt is queued, is running, or has ended and was not polled yet. */
    PUBLISHING,
    /** The accepted model waits until the time between two publications is over. */
    DUE,
    /** The next attempt waits for its time or, after a restart, for the first tick. */
    RETRYING,
    /** The version in service has learned more than the accepted model, which is not published. */
    BEHIND
  }

  /** All transitions between states, with the state that each one writes. */
  public enum Transition implements StateChange {
    /**
     * A model is accepted and goes to its first attempt; state is written with {@code ACCEPT} of
     * the update.
     */
    ACCEPT(EnumSet.of(State.IDLE, State.RETRYING, State.DUE), State.PUBLISHING),
    /**
     * A model is accepted soon after a publication; state is written with {@code ACCEPT} of the
     * update.
     */
    POSTPONE(EnumSet.of(State.IDLE, State.RETRYING, State.DUE), State.DUE),
    COME_DUE(EnumSet.of(State.DUE), State.PUBLISHING),
    /**
     * The release gate holds the accepted model; state is written with {@code ACCEPT} of the
     * update, or was written before.
     */
    HOLD(EnumSet.of(State.IDLE, State.RETRYING, State.DUE, State.HELD), State.HELD),
    RELEASE(EnumSet.of(State.HELD), State.PUBLISHING),
    /**
     * The release gate refuses the held model; state is written with the transition of the release.
     */
    REFUSE(EnumSet.of(State.HELD), State.IDLE),
    /**
     * An older version is put in service again. The accepted model stays, or is replaced by that
     * version; at a start it may be a model that was not published yet. The state is written with
     * the transition of the release.
     */
    ROLL_BACK(EnumSet.of(State.IDLE, State.RETRYING, State.DUE), State.IDLE),
    /**
     * The accepted model is not published, because it has learned samples that are to be forgotten;
     * the state is written with {@code BEGIN} of the forgetting.
     */
    WITHHOLD(EnumSet.of(State.IDLE, State.RETRYING, State.DUE), State.IDLE),
    SUCCEED(
        EnumSet.of(State.PUBLISHING),
        State.IDLE,
        Slot.COUNTERS,
        Slot.MODEL,
        Slot.PUBLISHING,
        Slot.INCORPORATION,
        Slot.TABLES),
    FAIL(EnumSet.of(State.PUBLISHING), State.RETRYING),
    RETRY(EnumSet.of(State.RETRYING), State.PUBLISHING),
    /** The learner has written all its rows to a file, which is published now. */
    WRITE_ROWS(EnumSet.of(State.PUBLISHING), State.PUBLISHING),
    /** A start restores an unpublished model from state, so nothing is written. */
    RESTORE(EnumSet.of(State.IDLE), State.RETRYING),
    /** The accepted model is published once more; the reason is in state. */
    RENEW(EnumSet.of(State.IDLE), State.RETRYING),
    /** A start finds a version in service that has learned more; each start checks this anew. */
    FALL_BEHIND(EnumSet.of(State.IDLE, State.RETRYING), State.BEHIND),
    /**
     * A model that has learned less than the version in service is accepted; state is written with
     * {@code ACCEPT} of the update.
     */
    WAIT(EnumSet.of(State.BEHIND), State.BEHIND),
    /** The accepted model has learned as much as the version in service, and is published. */
    CATCH_UP(EnumSet.of(State.BEHIND), State.PUBLISHING),
    /** Nothing is left to learn, and the accepted model is published already, or there is none. */
    STOP_WAITING(EnumSet.of(State.BEHIND), State.IDLE);

    private final Set<State> from;
    private final State to;
    private final Set<Slot> slots;

    Transition(Set<State> from, State to, Slot... slots) {
      this.from = from;
      this.to = to;
      this.slots = Set.of(slots);
    }

    @Override
    public Set<Slot> slots() {
      return slots;
    }
  }

  private final LearnerIdentity learner;
  private final LearnerClock clock;
  private final PublishedModels models;
  private final WorkQueue trainerThread;
  private final PublicationAttempt attempt;
  private final @Nullable RowTables tables;
  private final @Nullable PublishedRows place;
  private final ProcessorTime processor;
  private final PublicationPace pace;
  private State state = State.IDLE;
  private @Nullable AcceptedModel model;
  private UnpublishedArrivals unpublished = UnpublishedArrivals.NONE;
  private @Nullable Future<ModelCheckpoint> running;
  private final VersionCleanUp cleanUp;
  private Forgotten forgotten = Forgotten.NOTHING;
  private Finding compared = Finding.NONE;
  private @Nullable CatchUp catchUp;
  private int failures;
  private long retryAtMillis;

  /**
   * @param clock clock for displayed times
   * @param engine engine of the trainer, for the manifests
   * @param tables tables of the model; null if it has none
   * @param processor counts the processor time of publications and of the deletion of old versions
   */
  public Publication(
      LearnerIdentity learner,
      LearnerClock clock,
      PublishedModels models,
      WorkQueue trainerThread,
      Status.Engine engine,
      @Nullable RowTables tables,
      ProcessorTime processor) {
    this.learner = learner;
    this.clock = clock;
    this.models = models;
    this.trainerThread = trainerThread;
    this.tables = tables;
    this.processor = processor;
    cleanUp = new VersionCleanUp(learner, models, trainerThread, processor);
    pace =
        new PublicationPace(
            learner.settings().publishing().everySeconds(),
            learner.settings().update().weight(),
            processor::publicationSeconds);
    place = tables == null ? null : models.rows().orElse(null);
    attempt = new PublicationAttempt(models, new VersionDrafts(learner, models, engine), place);
  }

  private void move(Transition transition) {
    if (!transition.from.contains(state)) {
      throw new IllegalStateException(
          "a publication cannot %s while it is %s".formatted(transition, state));
    }
    state = transition.to;
  }

  /** Returns the accepted model, published or not; null before the first. */
  public @Nullable AcceptedModel model() {
    return model;
  }

  /**
   * Returns the arrivals of the new samples whose models are not published yet; if there are too
   * many, only the last arrivals.
   */
  public UnpublishedArrivals unpublished() {
    return unpublished;
  }

  /**
   * Returns whether it is undecided if the accepted model will be published. Until the decision, no
   * other model must be accepted, because the version from which it continues is unknown.
   */
  public boolean undecided() {
    return state == State.PUBLISHING || state == State.HELD;
  }

  /** Returns whether the release gate holds the accepted model. */
  public boolean held() {
    return state == State.HELD;
  }

  public boolean idle() {
    return state == State.IDLE && !owesRows();
  }

  /** Returns whether the accepted model must be published once more, for the sake of its rows. */
  private boolean owesRows() {
    AcceptedModel accepted = model;
    return place != null && accepted != null && accepted.published() && models.owesRows();
  }

  /** Restores the accepted model and the unpublished arrivals from state. */
  public void restore(AcceptedModel accepted, UnpublishedArrivals arrivals) {
    model = accepted;
    unpublished = arrivals;
    if (!accepted.published() && !accepted.withheld()) {
      move(Transition.RESTORE);
    }
  }

  /** Claims the right to publish this learner's models, so that an older publisher is refused. */
  public void claim() {
    try {
      models.claim();
    } catch (IOException failed) {
      LOG.warn(
          "{} could not claim the right to publish, and claims it with its first model",
          learner.key(),
          failed);
    }
  }

  /**
   * Publishes the model once more if no version is left to serve, because all were deleted or
   * damaged while the learner was stopped. The state does not change: there the model stays
   * published. If the process dies before the publication, the next start checks again.
   */
  public void restoreLost() {
    AcceptedModel accepted = model;
    if (state != State.IDLE || accepted == null || !accepted.published()) {
      return;
    }
    try {
      if (models.current().isEmpty()) {
        LOG.warn(
            "{}: version {} and all others are gone, so its model is published again",
            learner.key(),
            accepted.publishedVersion());
        model = accepted.lost();
        move(Transition.RESTORE);
      }
    } catch (IOException unreadable) {
      LOG.warn(
          "{}: cannot find out whether a published version is left to serve",
          learner.key(),
          unreadable);
    }
  }

  /**
   * Checks whether the version in service has learned more than the restored model. If so, no model
   * is published until one has learned as much. A version that people have pinned does not count,
   * unless the version in service has forgotten samples that the restored model has not.
   *
   * @param givenUp newest version with which the learner need not catch up; 0 for none
   */
  public void fallBehind(long givenUp) {
    if (state != State.IDLE && state != State.RETRYING) {
      return;
    }
    catchUp = CatchUp.find(models, learner, model, forgotten, givenUp);
    if (catchUp != null) {
      move(Transition.FALL_BEHIND);
    }
  }

  /** Returns the version in service; 0 if there is none, or if it cannot be read. */
  public long servedVersion() {
    try {
      return models.current().map(each -> each.manifest().version()).orElse(0L);
    } catch (IOException unreadable) {
      LOG.warn("{}: the version in service cannot be read", learner.key(), unreadable);
      return 0;
    }
  }

  /** Returns the version that has learned more than the accepted model; 0 if none has. */
  public long behindVersion() {
    CatchUp open = catchUp;
    return open == null ? 0 : open.version();
  }

  /** Returns whether the version in service has forgotten samples that the model has not. */
  public boolean behindInForgetting() {
    CatchUp open = catchUp;
    return open != null && !open.forgottenBy(forgotten);
  }

  /** Returns whether a restart interrupted the publication of the accepted model. */
  public boolean interrupted() {
    return state == State.RETRYING;
  }

  /**
   * Continues the publication that a restart has interrupted, unless it has to wait longer.
   *
   * @param held whether the release gate holds the model
   */
  public void resume(long minimumVersion, boolean held, long nowMillis) {
    AcceptedModel interrupted = model;
    if (state != State.RETRYING || interrupted == null) {
      return;
    }
    if (held) {
      move(Transition.HOLD);
    } else if (nowMillis >= pace.dueMillis()) {
      submit(Transition.RETRY, interrupted, minimumVersion);
    }
  }

  /**
   * Accepts a model, and starts to publish it unless it is held or another one was published just
   * before.
   *
   * @param newArrivalsMillis arrival times of its new samples
   * @param held whether the release gate holds it
   * @param nothingWaits whether no sample waits for another training
   */
  public void accept(
      AcceptedModel accepted,
      long[] newArrivalsMillis,
      long nowMillis,
      long minimumVersion,
      boolean held,
      boolean nothingWaits) {
    model = accepted;
    unpublished = unpublished.plus(newArrivalsMillis, IncorporationLatency.MOST_WAITING);
    pace.accepted(newArrivalsMillis.length, nowMillis);
    failures = 0;
    compared = Finding.NONE;
    CatchUp open = catchUp;
    if (open != null) {
      if (open.reachedBy(accepted.lineage(), forgotten, nothingWaits)) {
        caughtUp(accepted, minimumVersion);
      } else {
        move(Transition.WAIT);
      }
    } else if (held) {
      move(Transition.HOLD);
    } else if (nowMillis < pace.dueMillis()) {
      move(Transition.POSTPONE);
    } else {
      submit(Transition.ACCEPT, accepted, minimumVersion);
    }
  }

  public PublicationPace pace() {
    return pace;
  }

  /** Replaces the accepted model by one that continues from it. No publication is under way. */
  public void goOnWith(AcceptedModel adopted) {
    if (undecided()) {
      throw new IllegalStateException("the accepted model is " + state);
    }
    model = adopted;
  }

  private void caughtUp(AcceptedModel accepted, long minimumVersion) {
    catchUp = null;
    submit(Transition.CATCH_UP, accepted, minimumVersion);
  }

  /** Publishes the held model, which the release gate has released. */
  public void release(Finding finding, long minimumVersion) {
    compared = finding;
    submit(Transition.RELEASE, requireModel(), minimumVersion);
  }

  /**
   * Refuses the held model, which is then never published.
   *
   * @param continued version that the next update continues from; null for the refused model itself
   */
  public void refuse(@Nullable ServedVersion continued) {
    move(Transition.REFUSE);
    AcceptedModel refused = requireModel();
    if (continued == null) {
      model = refused.withhold();
    } else {
      model = refused.replacedBy(continued, noRowChanges());
      unpublished = UnpublishedArrivals.NONE;
      pace.nothingWaits();
    }
  }

  /**
   * Records that an older version serves in place of the newest one.
   *
   * @param continued version from which the next update continues; a pending publication of the
   *     accepted model is then dropped. Null for the newest model, which is published or withheld
   */
  public void rollBack(@Nullable ServedVersion continued) {
    move(Transition.ROLL_BACK);
    if (continued != null) {
      model = requireModel().replacedBy(continued, noRowChanges());
      unpublished = UnpublishedArrivals.NONE;
      pace.nothingWaits();
    } else if (!requireModel().published()) {
      model = requireModel().withhold();
    }
  }

  /**
   * Stops the publication of the accepted model, because it has learned samples that are to be
   * forgotten. No attempt must be under way. A model that has to catch up is not published anyway.
   */
  public void withhold() {
    if (state != State.BEHIND) {
      move(Transition.WITHHOLD);
      AcceptedModel accepted = model;
      if (accepted != null && !accepted.published()) {
        model = accepted.withhold();
      }
    }
  }

  /** Gives up the accepted model, after {@link #withhold}: the next one begins anew. */
  public void beginAnew() {
    model = null;
    unpublished = UnpublishedArrivals.NONE;
    pace.nothingWaits();
  }

  /** Returns whether no version is left that has learned forgotten samples. */
  public boolean forgottenDeleted() {
    return cleanUp.deleted(forgotten.deletedUpTo());
  }

  /** Returns the object that deletes versions. */
  public VersionCleanUp cleanUp() {
    return cleanUp;
  }

  /** Sets what the accepted model and all models after it have forgotten. */
  public void forgotten(Forgotten samples) {
    forgotten = samples;
    if (!forgottenDeleted()) {
      cleanUp.becomesDue();
    }
  }

  private byte[] noRowChanges() {
    RowTables rows = tables;
    return rows == null ? new byte[0] : rows.noChanges();
  }

  private AcceptedModel requireModel() {
    AcceptedModel accepted = model;
    if (accepted == null) {
      throw new IllegalStateException("no model was accepted");
    }
    return accepted;
  }

  private void submit(Transition how, AcceptedModel accepted, long minimumVersion) {
    submit(how, accepted, minimumVersion, null);
  }

  /**
   * @param full file with all rows, which the attempt deletes; null if changes suffice, or if that
   *     is not known yet
   */
  private void submit(
      Transition how, AcceptedModel accepted, long minimumVersion, @Nullable Path full) {
    move(how);
    VersionDrafts.Facts facts = new VersionDrafts.Facts(compared, forgotten);
    RowTables rows = tables;
    long otherRowsUpTo = rows == null ? 0 : rows.otherRowsUpTo();
    running =
        trainerThread.run(
            () -> {
              try (ProcessorTime.Counted counted = processor.begin(ProcessorPart.PUBLISHING)) {
                return attempt.publish(accepted, minimumVersion, facts, full, otherRowsUpTo);
              }
            });
  }

  /** Returns when to poll the publication again; Long.MAX_VALUE if there is nothing to wait for. */
  public long nextLookMillis(long nowMillis, long pollMillis) {
    long publication =
        switch (state) {
          case IDLE -> Long.MAX_VALUE;
          case PUBLISHING, HELD -> nowMillis + pollMillis;
          case RETRYING -> Math.max(retryAtMillis, pace.dueMillis());
          case DUE -> pace.dueMillis();
          case BEHIND -> nowMillis + FIRST_PAUSE_MILLIS;
        };
    return Math.min(publication, cleanUp.nextLookMillis(nowMillis, pollMillis));
  }

  /**
   * Returns the outcome of an attempt that has just ended; null if none has. Starts a retry that is
   * due.
   *
   * @param progress how far the learner is with its input
   * @param needed versions that must not be deleted
   */
  public @Nullable PublicationOutcome poll(
      InputProgress progress, long nowMillis, long minimumVersion, Set<Long> needed)
      throws InterruptedException {
    PublicationOutcome outcome = poll(progress, nowMillis, minimumVersion);
    cleanUp.poll(progress.ending(), nowMillis, needed, forgotten.deletedUpTo());
    return outcome;
  }

  private @Nullable PublicationOutcome poll(
      InputProgress progress, long nowMillis, long minimumVersion) throws InterruptedException {
    AcceptedModel current = model;
    if (state == State.BEHIND) {
      stopWaiting(current, progress, minimumVersion);
      return null;
    }
    if (current != null && state == State.IDLE && owesRows()) {
      model = current.lost();
      move(Transition.RENEW);
      return null;
    }
    if (current == null || state == State.IDLE || state == State.HELD) {
      return null;
    }
    if (state == State.DUE) {
      if (nowMillis >= pace.dueMillis() || progress.ended()) {
        submit(Transition.COME_DUE, current, minimumVersion);
      }
      return null;
    }
    if (state == State.RETRYING) {
      if (nowMillis >= retryAtMillis && (nowMillis >= pace.dueMillis() || progress.ended())) {
        submit(Transition.RETRY, current, minimumVersion);
      }
      return null;
    }
    Future<ModelCheckpoint> attempt = running;
    if (attempt == null || !attempt.isDone()) {
      return null;
    }
    running = null;
    try {
      return succeeded(current, attempt.get(), nowMillis);
    } catch (ExecutionException failed) {
      RowTables rows = tables;
      PublishedRows rowsPlace = place;
      if (failed.getCause() instanceof FullRowsNeededException broken
          && rows != null
          && rowsPlace != null) {
        LOG.info("all rows of {} are published: {}", learner.key(), broken.getMessage());
        return writeRows(current, rows, rowsPlace, nowMillis, minimumVersion);
      }
      return failed(current, failed.getCause(), nowMillis);
    }
  }

  private void stopWaiting(
      @Nullable AcceptedModel current, InputProgress progress, long minimumVersion) {
    CatchUp open = catchUp;
    if (open == null || !open.over(progress, forgotten)) {
      return;
    }
    if (current == null || current.published() || current.withheld()) {
      catchUp = null;
      move(Transition.STOP_WAITING);
    } else {
      caughtUp(current, minimumVersion);
    }
  }

  /**
   * Writes all rows of the embedding tables to a file and starts to publish it; returns an outcome
   * only if that fails.
   */
  private @Nullable PublicationOutcome writeRows(
      AcceptedModel current,
      RowTables rows,
      PublishedRows rowsPlace,
      long nowMillis,
      long minimumVersion) {
    Path file;
    try {
      Path folder = rowsPlace.folder();
      file = folder.resolve("all-" + UUID.randomUUID());
      rows.writeAll(folder, file);
      rows.rememberAnew();
    } catch (IOException failed) {
      return failed(current, failed, nowMillis);
    }
    submit(Transition.WRITE_ROWS, current, minimumVersion, file);
    return null;
  }

  private PublicationOutcome succeeded(
      AcceptedModel current, ModelCheckpoint done, long nowMillis) {
    move(Transition.SUCCEED);
    processor.publicationEnded();
    pace.published(nowMillis);
    AcceptedModel published =
        current.published(done.manifest().version(), done.digest(), clock.wallMillis());
    UnpublishedArrivals arrivals = unpublished;
    model = published;
    unpublished = UnpublishedArrivals.NONE;
    cleanUp.becomesDue();
    return new PublicationOutcome(published, arrivals, done, null);
  }

  private PublicationOutcome failed(
      AcceptedModel current, @Nullable Throwable cause, long nowMillis) {
    if (cause instanceof FencedPublisherException fenced) {
      if (fenced.sameRun()) {
        throw new IllegalStateException(fenced.getMessage(), fenced);
      }
      throw new LastingFailureException(String.valueOf(fenced.getMessage()), fenced);
    }
    move(Transition.FAIL);
    failures++;
    String message =
        "publishing update %d failed (attempt %d of %d): %s"
            .formatted(current.update().number(), failures, ATTEMPTS, StorageFault.why(cause));
    if (failures >= ATTEMPTS) {
      throw new IllegalStateException(message, cause);
    }
    long pause = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << (failures - 1));
    retryAtMillis = nowMillis + pause;
    return new PublicationOutcome(
        current,
        UnpublishedArrivals.NONE,
        null,
        message + "; the last version keeps serving, next attempt in " + pause + " ms");
  }
}
