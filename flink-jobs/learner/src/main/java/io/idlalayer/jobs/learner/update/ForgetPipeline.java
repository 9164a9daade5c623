package io.idlalayer.jobs.learner.update;

import io.idlalayer.datacontroller.api.DataController;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.learner.forget.Anchor;
import io.idlalayer.jobs.learner.forget.ForgetCycle;
import io.idlalayer.jobs.learner.forget.Forgetting;
import io.idlalayer.jobs.learner.publish.AcceptedModel;
import io.idlalayer.jobs.learner.publish.Forgotten;
import io.idlalayer.jobs.learner.publish.Publication;
import io.idlalayer.jobs.learner.release.Release;
import io.idlalayer.jobs.learner.release.Scoring;
import io.idlalayer.jobs.learner.state.EventCounters;
import io.idlalayer.jobs.learner.state.LearnerTime;
import io.idlalayer.jobs.learner.state.StateChange;
import io.idlalayer.jobs.learner.state.StateSaver;
import io.idlalayer.jobs.processor.ProcessorTime;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The steps of forgetting in their order: a request is taken, collected with others, carried out by
 * a {@link Retraining}, and reported when the first version that has forgotten the samples is
 * published and all earlier versions are deleted. From the beginning of the retraining on, also
 * after a restart, no model that has learned from the samples is published. {@link UpdatePipeline}
 * fires no update meanwhile. The operator's thread calls all methods.
 */
final class ForgetPipeline {
  private static final long[] NO_ARRIVALS = {};

  /** Largest number of events that a message names. */
  private static final int NAMED = 10;

  private final EventCounters counters;
  private final DataController data;
  private final Publication publication;
  private final ProcessorTime processor;
  private final Forgetting forgetting;
  private final Release release;
  private final Trainings trainings;
  private final Scoring scoring;
  private final StateSaver state;
  private final UpdateLog log;
  private @Nullable Retraining retraining;

  ForgetPipeline(
      UpdateParts parts,
      Release release,
      Trainings trainings,
      Scoring scoring,
      StateSaver state,
      UpdateLog log) {
    counters = parts.counters();
    data = parts.data();
    publication = parts.publication();
    processor = parts.processor();
    forgetting = parts.forgetting();
    this.release = release;
    this.trainings = trainings;
    this.scoring = scoring;
    this.state = state;
    this.log = log;
  }

  // ---- logged ---------------------------------------------------------------------------------

  /** Begins the log of updates, if the restored state has none. */
  void start() {
    publication.forgotten(forgetting.forgotten());
    if (forgetting.beginsLog() && publication.model() == null && counters.receivedCount() == 0) {
      state.save(forgetting.beginsFromNothing(publication.servedVersion()));
    }
    if (forgetting.begin(Anchor.of(publication.model(), counters.updates()), data.lastSampleId())) {
      // A request that comes before the next update needs this anchor.
      state.save(StateChange.Other.LOGGED);
    }
  }

  /**
   * Returns the newest version that was in service when the learner began without state. The
   * learner need not catch up with this version. 0 if there is none.
   */
  long givenUpVersion() {
    return forgetting.givenUpVersion();
  }

  /** Records the batch of an update whose training begins. */
  void training(TrainingBatch batch) {
    forgetting.training(batch);
  }

  /**
   * Logs the update whose training has begun last. It is now accepted.
   *
   * @param before the model from which the update continued; null if there was none
   * @param number number of the update
   */
  void accepted(@Nullable AcceptedModel before, long number) {
    forgetting.accepted(Anchor.of(before, number - 1));
  }

  // ---- requested ------------------------------------------------------------------------------

  /**
   * Handles a request to forget the sample of an event whose label was taken back.
   *
   * @param event the event's own id
   * @param storedAs id of the sample that is stored for the event; 0 if there is none
   */
  void request(String event, long storedAs, LearnerTime now) {
    if (!forgetting.on()) {
      say(
          DecisionEvent.Type.INPUT,
          "the label of %s is taken back, and what was learned from it stays: set selection.forget"
                  .formatted(event)
              + " in the application file to forget samples",
          now);
      return;
    }
    Forgetting.Answer answer =
        forgetting.request(event, storedAs, counters.updates(), now.millis());
    if (answer == Forgetting.Answer.NEVER_TRAINED || answer == Forgetting.Answer.UNKNOWN) {
      publication.forgotten(forgetting.forgotten());
      state.save(ForgetCycle.Transition.ANSWER);
    }
    switch (answer) {
      case WAITS -> {
        state.save(forgetting.requested());
        say(DecisionEvent.Type.INPUT, event + " is to be forgotten; " + when(now), now);
      }
      case NEVER_TRAINED ->
          say(
              DecisionEvent.Type.FORGOTTEN,
              event + " was never trained; there is nothing to forget",
              now);
      case UNKNOWN ->
          say(
              DecisionEvent.Type.INPUT,
              "%s is neither in the sample store nor in the log of updates, so nothing is forgotten;"
                      .formatted(event)
                  + " if it was trained, that was before the log begins, and it has left the store",
              now);
      case REFUSED ->
          say(
              DecisionEvent.Type.INPUT,
              "refused to forget %s: too many requests wait; send it again later".formatted(event),
              now);
      case FULL ->
          say(
              DecisionEvent.Type.INPUT,
              "refused to forget %s: %d events are forgotten or wait, and more cannot be recorded; only a start with --start-over forgets it"
                  .formatted(event, Forgotten.MOST_EVENTS),
              now);
    }
  }

  private String when(LearnerTime now) {
    long due = forgetting.dueMillis();
    if (due == Long.MAX_VALUE) {
      return "it follows those that are forgotten now";
    }
    long left = due <= now.millis() ? 0 : due - now.millis();
    return "updates are trained again in %d s".formatted(left / 1_000);
  }

  // ---- carried out ----------------------------------------------------------------------------

  /**
   * Returns whether logged updates are being trained again, or will be because a restart has
   * interrupted the retraining. If so, no update must be fired.
   */
  boolean retraining() {
    return forgetting.begun();
  }

  /** Returns whether everything that was to be forgotten is forgotten, and published. */
  boolean idle() {
    // If there is no model, nothing is published before the next update.
    boolean published = !forgetting.announces() || publication.model() == null;
    boolean ended = publication.forgottenDeleted() && published;
    return !forgetting.busy() && (ended || publication.cleanUp().gaveUp());
  }

  /** Returns whether requests wait or are carried out. */
  boolean busy() {
    return forgetting.busy();
  }

  /**
   * Returns whether the waiting requests are to be carried out now.
   *
   * @param ending whether the end of the input was received
   */
  boolean due(boolean ending, LearnerTime now) {
    long due = forgetting.dueMillis();
    return due != Long.MAX_VALUE
        && !publication.undecided()
        && (ending || now.millis() >= due || publication.behindInForgetting());
  }

  /** Returns when the result of {@link #due} can change; Long.MAX_VALUE if no request waits. */
  long nextLookMillis() {
    return forgetting.dueMillis();
  }

  /**
   * Begins to carry out the waiting requests. Meanwhile no update is fired and no model is
   * published.
   */
  void begin(LearnerTime now) {
    publication.withhold();
    Retraining begun = new Retraining(forgetting.plan(), data, trainings, scoring.mixture());
    retraining = begun;
    state.save(ForgetCycle.Transition.BEGIN);
    log.changed();
    say(
        DecisionEvent.Type.INPUT,
        "%d updates are trained again, to forget samples".formatted(begun.plan().updates().size()),
        now);
  }

  /**
   * Goes on with the retraining, and ends it when all updates are trained. Reports the forgotten
   * samples when the earlier versions are deleted.
   */
  void poll(LearnerTime now) throws InterruptedException {
    String problem = publication.cleanUp().takeProblem();
    if (problem != null) {
      say(DecisionEvent.Type.DROPPED, problem, now);
    }
    if (forgetting.announcesVersion() && publication.forgottenDeleted()) {
      announce(now);
    }
    Retraining running = retraining;
    if (running != null && running.poll()) {
      retraining = null;
      end(running, now);
    }
  }

  /** Waits at most some time for the running training of a retraining. */
  void await(Duration most) throws InterruptedException {
    Retraining running = retraining;
    if (running != null) {
      running.await(most.toMillis());
    }
  }

  private void end(Retraining ended, LearnerTime now) {
    ForgetCycle.Transition how = forgetting.finish(ended.plan(), ended.trained(), ended.describe());
    publication.forgotten(forgetting.forgotten());
    scoring.forgotten();
    // The cost of the retraining is not part of the cost of the next update.
    var unused = processor.updateEnded();
    AcceptedModel before = publication.model();
    ModelArtifact trained = ended.model();
    if (trained == null || before == null) {
      publication.beginAnew();
      state.save(how);
      say(
          DecisionEvent.Type.INPUT,
          "no update could be trained again; the next one begins with a new network",
          now);
      return;
    }
    Anchor base = ended.plan().base();
    AcceptedModel model = before.trainedAgain(trained, base.version(), base.digest());
    publication.pace().pause(now.millis());
    publication.accept(
        model,
        NO_ARRIVALS,
        now.millis(),
        counters.nextVersion(),
        false,
        data.waiting().size() == 0);
    state.save(how);
    release.score(model);
  }

  // ---- published ------------------------------------------------------------------------------

  /**
   * Records that a version was published. If it is the first version that has forgotten the
   * samples, the earlier versions are deleted now.
   *
   * @param model the published model
   */
  void published(AcceptedModel model) {
    if (forgetting.forgotten().unpublished()) {
      forgetting.published(model.publishedVersion());
      publication.forgotten(forgetting.forgotten());
      state.save(ForgetCycle.Transition.PUBLISH);
    }
  }

  private void announce(LearnerTime now) {
    Forgetting.Announcement done = forgetting.announced();
    state.save(ForgetCycle.Transition.ANNOUNCE);
    AcceptedModel model = publication.model();
    long before = forgetting.forgotten().before();
    log.say(
        DecisionEvent.Type.FORGOTTEN,
        now,
        model == null ? null : model.update(),
        "no version since %d has learned from %s; %s; versions up to %d are deleted"
            .formatted(before + 1, names(done.events()), done.details(), before));
  }

  private static String names(List<String> events) {
    String named = events.stream().limit(NAMED).collect(Collectors.joining(", "));
    return events.size() <= NAMED
        ? named
        : named + " and %d others".formatted(events.size() - NAMED);
  }

  private void say(DecisionEvent.Type type, String message, LearnerTime now) {
    log.say(type, now, null, message);
  }
}
