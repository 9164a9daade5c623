package io.idlalayer.jobs.learner.update;

import io.idlalayer.datacontroller.api.DataController;
import io.idlalayer.datacontroller.api.TrainingSession;
import io.idlalayer.datacontroller.evaluation.StageReport;
import io.idlalayer.datacontroller.selection.Selection;
import io.idlalayer.jobs.events.ArrivalTimes;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Grounds;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.jobs.learner.mixing.MixedLearning;
import io.idlalayer.jobs.learner.mixing.MixingCycle;
import io.idlalayer.jobs.learner.publish.AcceptedModel;
import io.idlalayer.jobs.learner.publish.IncorporationLatency;
import io.idlalayer.jobs.learner.publish.InputProgress;
import io.idlalayer.jobs.learner.publish.Lineage;
import io.idlalayer.jobs.learner.publish.LineageStart;
import io.idlalayer.jobs.learner.publish.Publication;
import io.idlalayer.jobs.learner.publish.PublicationOutcome;
import io.idlalayer.jobs.learner.publish.VersionDrafts;
import io.idlalayer.jobs.learner.release.GivenUpUpdates;
import io.idlalayer.jobs.learner.release.Release;
import io.idlalayer.jobs.learner.release.Scoring;
import io.idlalayer.jobs.learner.samples.SamplePrefetcher;
import io.idlalayer.jobs.learner.state.EventCounters;
import io.idlalayer.jobs.learner.state.LastingFailureException;
import io.idlalayer.jobs.learner.state.LearnerClock;
import io.idlalayer.jobs.learner.state.LearnerIdentity;
import io.idlalayer.jobs.learner.state.LearnerTime;
import io.idlalayer.jobs.learner.state.StateChange;
import io.idlalayer.jobs.learner.state.StateSaver;
import io.idlalayer.jobs.processor.ProcessorPart;
import io.idlalayer.jobs.processor.ProcessorTime;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.modelcontroller.cost.MeasuredUpdate;
import io.idlalayer.modelcontroller.drift.DriftUrgency;
import io.idlalayer.modelcontroller.training.TrainingFailedException;
import io.idlalayer.modelcontroller.training.TrainingResult;
import io.idlalayer.modelcontroller.update.UpdateController;
import io.idlalayer.modelcontroller.update.rule.UpdateDecision;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The steps of an update in their order: it is decided, trained, accepted and published. A decision
 * is carried out: samples are chosen and passed to the trainer thread. When the training has ended,
 * its result is accepted or dropped. An accepted model is passed on to {@link Release} and {@link
 * Publication}. {@link UpdateCycle} has the state of the update; each step is one of its
 * transitions and saves its state. The operator's thread calls all methods.
 */
public final class UpdatePipeline implements GivenUpUpdates {
  private final LearnerIdentity learner;
  private final LearnerClock clock;
  private final EventCounters counters;
  private final DataController data;
  private final UpdateController controller;
  private final DriftUrgency drift;
  private final IncorporationLatency incorporation;
  private final TrainingAttempts attempts;
  private final UpdateCycle cycle;
  private final Publication publication;
  private final ProcessorTime processor;
  private final Release release;
  private final Trainings trainings;
  private final TrainedRows rows;
  private final SamplePrefetcher prefetcher;
  private final Scoring scoring;
  private final StateSaver state;
  private final UpdateLog log;
  private final @Nullable MixedLearning mixing;
  private final LineageStart begun;
  private final ForgetPipeline forget;
  private final FirstTrainings trained = new FirstTrainings();
  private final SampleCodec codec = new SampleCodec();
  private final ColumnWarnings columnWarnings = new ColumnWarnings();
  private final PlanNews plans = new PlanNews();

  /** Session of the data controller for the samples in training; null while no update trains. */
  private @Nullable TrainingSession session;

  public UpdatePipeline(
      LearnerIdentity learner,
      LearnerClock clock,
      UpdateParts parts,
      Release release,
      Trainings trainings,
      TrainedRows rows,
      SamplePrefetcher prefetcher,
      Scoring scoring,
      StateSaver state,
      UpdateLog log) {
    this.learner = learner;
    this.clock = clock;
    counters = parts.counters();
    data = parts.data();
    controller = parts.controller();
    drift = parts.drift();
    incorporation = parts.incorporation();
    attempts = parts.attempts();
    cycle = parts.cycle();
    publication = parts.publication();
    processor = parts.processor();
    mixing = parts.mixing();
    begun = parts.start();
    this.release = release;
    this.trainings = trainings;
    this.rows = rows;
    this.prefetcher = prefetcher;
    this.scoring = scoring;
    this.state = state;
    this.log = log;
    forget = new ForgetPipeline(parts, release, trainings, scoring, state, log);
  }

  /** Claims the right to publish models, and continues the work that a restart has interrupted. */
  public void start(LearnerTime now) {
    publication.claim();
    publication.restoreLost();
    forget.start();
    if (mixing != null) {
      mixing.start(progress(), now.millis());
      if (!mixing.settled()) {
        publication.pace().pause(mixing.openUntilMillis());
      }
    } else if (!release.compares()) {
      publication.fallBehind(forget.givenUpVersion());
    }
    // This call must come before the release, which continues publications.
    if (forget.due(false, now)) {
      if (cycle.busy()) {
        cycle.end(UpdateCycle.Transition.GIVE_UP);
        state.save(UpdateCycle.Transition.GIVE_UP);
      }
      forget.begin(now);
    }
    // This call must come before the training, which must know from which version it continues.
    release.start(now);
    // Before the first training, its starting network scores new samples.
    ModelArtifact first = publication.model() == null ? begun.first() : null;
    if (first != null) {
      scoring.begin(first);
    }
    if (!begun.news().isEmpty()) {
      log.say(DecisionEvent.Type.INPUT, now, null, begun.news());
    }
    FiredUpdate interrupted = cycle.fired();
    if (interrupted != null) {
      train(interrupted, UpdateCycle.Transition.RESUME, now);
    }
    tellWaiting(now);
  }

  /**
   * Returns whether an update is fired, or earlier ones are trained again, so that no other update
   * can be fired.
   */
  public boolean training() {
    return cycle.busy() || forget.retraining();
  }

  /**
   * Returns whether the running update has new samples that arrived no later than {@code millis}.
   */
  public boolean trainsArrivedBy(long millis) {
    FiredUpdate fired = cycle.fired();
    return fired != null && Arrays.stream(fired.arrivedAtMillis()).anyMatch(at -> at <= millis);
  }

  /**
   * Returns whether every accepted model is published, no rollback is under way, and the mixed
   * model contains all contributions of this partition.
   */
  public boolean published() {
    return publication.idle()
        && release.idle()
        && forget.idle()
        && (mixing == null || mixing.settled());
  }

  /**
   * Returns the version in service that has learned more than the restored model, so that versions
   * wait; 0 if none has.
   */
  public long behindVersion() {
    return publication.behindVersion();
  }

  /** Returns when {@link #poll} must check the publication again; Long.MAX_VALUE if it need not. */
  public long nextPublicationLookMillis(LearnerTime now, long pollMillis) {
    long next =
        release.idle()
            ? publication.nextLookMillis(now.millis(), pollMillis)
            : now.millis() + pollMillis;
    next = Math.min(next, Math.max(forget.nextLookMillis(), now.millis() + pollMillis));
    return mixing == null ? next : Math.min(next, mixing.nextPollMillis(now.millis(), pollMillis));
  }

  // ---- decided --------------------------------------------------------------------------------

  /** Carries out a decision of the update controller. */
  public void carryOut(UpdateDecision decision, LearnerTime now) {
    UpdateDecision next = decision;
    if (decision instanceof UpdateDecision.Restart restart) {
      if (!abort(restart, now)) {
        return;
      }
      next = controller.evaluate(now.nanos());
    }
    if (next instanceof UpdateDecision.Train train && !training() && data.waiting().size() > 0) {
      processor.count(ProcessorPart.DECIDING, () -> fire(train, now));
    }
  }

  /** Passes the urgency to the update controller, after the prequential loss has changed it. */
  public void urgencyChanged(LearnerTime now) {
    carryOut(controller.urgency(drift.urgency(), now.nanos()), now);
  }

  /**
   * Aborts the running training, which the update controller replaces with a larger one. Returns
   * false if the training has ended already, or there is none.
   */
  private boolean abort(UpdateDecision.Restart restart, LearnerTime now) {
    Future<TrainingResult> training = cycle.training();
    if (training == null || training.isDone()) {
      return false;
    }
    abort(restart.explanation().reason(), now);
    return true;
  }

  /** Aborts the training, whether it has ended or not, and makes its samples wait again. */
  private void abort(String reason, LearnerTime now) {
    FiredUpdate given = cycle.fired();
    Future<TrainingResult> training = cycle.training();
    if (given == null || training == null) {
      return;
    }
    training.cancel(true);
    cycle.end(UpdateCycle.Transition.ABORT);
    counters.unlabeled(given.selection().newIds().length - session().abandon());
    controller.trainingAborted(now.nanos());
    tellWaiting(now);
    state.save(UpdateCycle.Transition.ABORT);
    log.say(DecisionEvent.Type.ABORTED, now, given.toRecord(), reason);
  }

  // ---- fired ----------------------------------------------------------------------------------

  private void fire(UpdateDecision.Train decision, LearnerTime now) {
    Bisection step = attempts.bisection();
    int most = Math.min(data.waiting().size(), decision.samples());
    if (step.searching()) {
      most = step.batch(data.waiting().oldestContents(most));
    }
    if (rows.any()) {
      most = Math.max(1, Math.min(most, rows.mostSamples()));
    }
    long number = counters.updates() + 1;
    Selection selection = step.replays() ? data.select(number, most) : data.selectNew(number, most);
    long[] arrivedAtMillis =
        Arrays.stream(selection.newIds()).map(data.samples()::arrivedAtMillis).toArray();
    UpdateRecord.Firing firing =
        new UpdateRecord.Firing(
            clock.wallMillis(),
            selection.newIds().length,
            selection.replayedIds().length,
            Grounds.of(decision.explanation()));
    FiredUpdate fired = new FiredUpdate(selection, arrivedAtMillis, firing, scoring.mixture());
    train(fired, UpdateCycle.Transition.FIRE, now);
    prefetcher.trainingStarted(data, number + 1);
    long shift = clock.toWallMillis();
    long[] wallMillis = Arrays.stream(arrivedAtMillis).map(each -> each + shift).toArray();
    log.fired(fired.toRecord(), ArrivalTimes.of(wallMillis), now);
  }

  private void train(FiredUpdate fired, UpdateCycle.Transition how, LearnerTime now) {
    Selection selection = fired.selection();
    TrainingSession begun = data.begin(selection);
    TrainingBatch batch = prefetcher.load(() -> begun.load(codec::decode));
    forget.training(batch);
    controller.trainingStarted(selection.newIds().length, extra(selection), now.nanos());
    AcceptedModel model = publication.model();
    Future<TrainingResult> training =
        trainings.begin(batch, model == null ? first() : model.artifact(), fired.mixture());
    session = begun;
    cycle.train(how, fired, training);
    state.save(how);
  }

  /** Returns the model that the first training continues; null if it begins with a new network. */
  private @Nullable ModelArtifact first() {
    return mixing == null ? begun.first() : mixing.first();
  }

  private TrainingSession session() {
    return Objects.requireNonNull(session, "no update trains");
  }

  /**
   * Returns the number of replayed samples minus the number of waiting new samples that are passed
   * over.
   */
  private static int extra(Selection selection) {
    return selection.replayedIds().length - selection.passedIds().length;
  }

  /** Records that the label of a sample was taken back. The sample is possibly in training. */
  public void labelWithdrawn(long sampleId) {
    FiredUpdate fired = cycle.fired();
    if (fired != null && fired.holds(sampleId)) {
      cycle.withdrawLabel(fired.withdrawing(sampleId));
      state.save(UpdateCycle.Transition.WITHDRAW_LABEL);
    }
  }

  /**
   * Handles a request to forget the sample of an event whose label was taken back. If the sample is
   * in training, the training is given up.
   *
   * @param eventId the event's own id
   * @param sampleId id of the event's stored sample; 0 if there is none
   */
  public void forget(String eventId, long sampleId, LearnerTime now) {
    FiredUpdate fired = cycle.fired();
    if (fired != null && (fired.holds(sampleId) || fired.withdrew(sampleId))) {
      abort(eventId + " is to be forgotten", now);
    }
    forget.request(eventId, sampleId, now);
  }

  // ---- trained --------------------------------------------------------------------------------

  /**
   * Handles the results of the other threads: publications, releases and trainings.
   *
   * @param ending whether the end of the input was received
   * @param lostOffsets offsets of the input whose records were lost
   */
  public void poll(boolean ending, long lostOffsets, LearnerTime now) throws InterruptedException {
    InputProgress progress =
        new InputProgress(
            lostOffsets, !training() && !forget.busy() && data.waiting().size() == 0, ending);
    PublicationOutcome outcome =
        publication.poll(progress, now.millis(), counters.nextVersion(), release.neededVersions());
    if (outcome != null) {
      processor.count(ProcessorPart.ACCEPTING, () -> publicationEnded(outcome, now));
    }
    release.poll(now, this);
    if (forget.due(ending, now)) {
      abort("samples are to be forgotten", now);
      forget.begin(now);
    }
    forget.poll(now);
    FiredUpdate fired = cycle.fired();
    Future<TrainingResult> training = cycle.ended();
    if (fired != null && training != null && release.acceptsModels()) {
      trainingEnded(fired, training, now);
    }
    if (mixing != null) {
      pollMixing(mixing, now);
    }
    String problem = attempts.takeProblem();
    if (!problem.isEmpty()) {
      log.say(DecisionEvent.Type.DROPPED, now, null, problem);
    }
  }

  /**
   * Waits at most {@code most} for the training to end, whether it succeeds or fails; {@link #poll}
   * handles the result. Called when the store is full, which slows the source down.
   */
  public void await(Duration most) throws InterruptedException {
    forget.await(most);
    Future<TrainingResult> training = cycle.training();
    if (training == null) {
      return;
    }
    try {
      training.get(most.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException | CancellationException | TimeoutException later) {
      return;
    }
  }

  private void trainingEnded(FiredUpdate fired, Future<TrainingResult> training, LearnerTime now)
      throws InterruptedException {
    TrainingResult result;
    try {
      result = training.get();
    } catch (ExecutionException failed) {
      String why = Trainings.ofThisBatch(failed.getCause());
      if (why == null) {
        throw fatal(fired, failed);
      }
      dropCounted(fired, why, now);
      return;
    } catch (CancellationException givenUp) {
      dropCounted(fired, "the training was cancelled", now);
      return;
    }
    String sick = Trainings.notFinite(result.contributions());
    if (sick == null) {
      processor.count(ProcessorPart.ACCEPTING, () -> accept(fired, result, now));
    } else {
      dropCounted(fired, sick, now);
    }
  }

  private void dropCounted(FiredUpdate fired, String why, LearnerTime now) {
    processor.count(ProcessorPart.ACCEPTING, () -> drop(fired, why, now));
  }

  /** Returns the exception for a failed training, if every other batch would fail too. */
  private RuntimeException fatal(FiredUpdate fired, ExecutionException failed) {
    String what =
        "training update %d of %s failed"
            .formatted(fired.selection().updateNumber(), learner.key().text());
    Throwable cause = failed.getCause();
    if (cause instanceof TrainingFailedException lasting) {
      return new LastingFailureException(what + ": " + lasting.getMessage(), lasting);
    }
    return new IllegalStateException(what, cause);
  }

  // ---- accepted -------------------------------------------------------------------------------

  /**
   * Accepts the model of a successful training, which the next update continues from. The order is
   * visible outside, because each event has the status of its moment:
   *
   * <ol>
   *   <li>The result is recorded: life stages, counters, rows. From then on there is a model.
   *   <li>The bisection, the update controller and the drift get the costs. The controller returns
   *       the next decision.
   *   <li>The model is passed to the release, which decides whether to hold it, reports a
   *       superseded model, and forgets versions it no longer needs. Then the publication begins,
   *       unless the model is held.
   *   <li>The update ends, and the state is written together with all of the above.
   *   <li>The acceptance is reported, with the update as ended.
   *   <li>The model scores new samples. This comes after the release, which chooses the rival.
   *   <li>The next decision is carried out, which must wait for the end of this update.
   * </ol>
   */
  private void accept(FiredUpdate fired, TrainingResult result, LearnerTime now) {
    Selection selection = fired.selection();
    int fresh = selection.newIds().length;
    StageReport report = session().accept(result.contributions(), result.trainSeconds());
    prefetcher.trained(fresh + extra(selection), result.trainSeconds());
    counters.accepted(selection);
    if (release.continuesInService() || (mixing != null && mixing.alone())) {
      trained.add(selection.updateNumber(), selection.newIds());
    }
    forget.accepted(publication.model(), selection.updateNumber());
    AcceptedModel model = mixed(accepted(fired, result), result, now);

    attempts.bisection(attempts.bisection().succeeded(data.samples().contents(selection.newIds())));
    tellLimit();
    UpdateDecision next =
        controller.trainingEnded(
            now.nanos(),
            fresh,
            extra(selection),
            new MeasuredUpdate(result.trainSeconds(), processor.updateEnded()));
    boolean urgencyChanged = drift.updated();

    boolean held = release.accepted(model, now);
    boolean nothingWaits = data.waiting().size() == 0;
    publication.accept(
        model, fired.arrivedAtMillis(), now.millis(), counters.nextVersion(), held, nothingWaits);

    cycle.end(UpdateCycle.Transition.ACCEPT);
    state.save(UpdateCycle.Transition.ACCEPT);
    if (begun.end()) {
      state.save(StateChange.Other.BEGUN);
    }
    log.staged(model.update(), report, now);
    for (String warning : columnWarnings.news(result.coarse())) {
      log.say(DecisionEvent.Type.INPUT, now, null, warning);
    }
    UpdateRecord trainedUpdate = model.update();
    plans
        .news(result.traffic())
        .ifPresent(plan -> log.planned(trainedUpdate, plan, PlanNews.message(plan), now));
    release.score(model);
    if (urgencyChanged) {
      urgencyChanged(now);
    } else {
      carryOut(next, now);
    }
  }

  private AcceptedModel accepted(FiredUpdate fired, TrainingResult result) {
    AcceptedModel parent = publication.model();
    // The collected samples are scored with the rows from before.
    scoring.flush();
    byte[] rowChanges =
        rows.commit(
            fired.selection().updateNumber(),
            result,
            parent,
            TimeUnit.MILLISECONDS.toSeconds(clock.wallMillis()));
    long parentVersion = parent == null ? 0 : parent.publishedVersion();
    UpdateRecord.Training training =
        UpdateRecords.training(
            result, parentVersion, learner.settings().memory().tensors().policy());
    Lineage lineage =
        new Lineage(
            parent == null ? "" : parent.lineage().publishedDigest(),
            "",
            counters.inputOffsets(),
            counters.trainedNewSamples());
    return new AcceptedModel(
        fired.toRecord().trained(training), result.model(), lineage, rowChanges, false);
  }

  @Override
  public void giveUpAfter(long update, LearnerTime now) {
    abort("the model that it continues is given up", now);
    data.giveUp(trained.takeAfter(update));
  }

  // ---- dropped --------------------------------------------------------------------------------

  private void drop(FiredUpdate fired, String why, LearnerTime now) {
    Selection selection = fired.selection();
    int fresh = selection.newIds().length;
    Bisection.Step step =
        attempts
            .bisection()
            .failed(data.samples().contents(selection.newIds()), Bisection.Failure.FAILED);
    boolean other = step.next().searching() && step.next().attempts() == 0;
    int back = step.givenUp() ? session().quarantine() : session().abandon();
    counters.unlabeled(fresh - back);
    String fate =
        "its %d new samples wait for the next attempt, of at most %d at once"
            .formatted(back, Math.min(step.next().limit(), fresh));
    if (step.givenUp()) {
      counters.quarantined(back);
      fate =
          "its new sample is quarantined after %d failures alone"
              .formatted(Bisection.FAILURES_OF_ONE);
    }
    attempts.bisection(step.next());
    controller.trainingDropped(now.nanos(), step.givenUp() ? 0 : back, other);
    tellWaiting(now);
    cycle.end(UpdateCycle.Transition.DROP);
    state.save(UpdateCycle.Transition.DROP);
    UpdateDecision next = controller.evaluate(now.nanos());
    log.say(DecisionEvent.Type.DROPPED, now, fired.toRecord(), why + "; " + fate);
    carryOut(next, now);
  }

  /** Gives up waiting samples whose contents killed the process when they trained alone. */
  public void quarantineKillers(LearnerTime now) {
    int given = attempts.quarantineIn(data);
    if (given > 0) {
      counters.quarantined(given);
      tellWaiting(now);
      sayQuarantined(given, now);
    }
  }

  public void sayQuarantined(int samples, LearnerTime now) {
    if (samples > 0) {
      String message =
          "%d new samples are quarantined: the process died whenever they trained"
              .formatted(samples);
      log.say(DecisionEvent.Type.DROPPED, now, null, message);
    }
  }

  /**
   * Passes a summary of the waiting samples, and how many of them can train at once, to the update
   * controller.
   */
  public void tellWaiting(LearnerTime now) {
    controller.waiting(now.nanos(), WaitingSummary.of(data));
    tellLimit();
  }

  private void tellLimit() {
    Bisection step = attempts.bisection();
    long[] waiting = step.searching() ? data.waiting().oldestContents(step.limit()) : new long[0];
    controller.retry(step.asks(waiting) ? step.batch(waiting) : 0);
  }

  // ---- published ------------------------------------------------------------------------------

  private void publicationEnded(PublicationOutcome outcome, LearnerTime now) {
    ModelCheckpoint done = outcome.published();
    if (done == null) {
      String why = String.valueOf(outcome.failure());
      log.say(DecisionEvent.Type.DROPPED, now, outcome.model().update(), why);
      return;
    }
    if (mixing != null) {
      contributed(mixing, outcome, done, now);
      return;
    }
    counters.published(done.manifest().version());
    release.published(outcome.model(), done);
    incorporation.add(outcome.arrivals().atMillis(), now.millis());
    state.save(Publication.Transition.SUCCEED);
    log.serves(done.manifest().version(), done.digest());
    String branch = done.manifest().attributes().getOrDefault(VersionDrafts.BRANCH, "");
    log.say(DecisionEvent.Type.PUBLISHED, now, outcome.model().update(), branch);
    forget.published(outcome.model());
  }

  // ---- mixed ----------------------------------------------------------------------------------

  private MixedLearning.Progress progress() {
    boolean idle = !cycle.busy() && data.waiting().size() == 0;
    return new MixedLearning.Progress(counters.trainedNewSamples(), counters.inputOffsets(), idle);
  }

  /** Tells the mixer that a model is stored as a contribution; the next one waits for a version. */
  private void contributed(
      MixedLearning own, PublicationOutcome outcome, ModelCheckpoint stored, LearnerTime now) {
    release.published(outcome.model(), stored);
    own.contributed(
        outcome.model(), stored, outcome.arrivals().atMillis(), progress(), now.millis());
    publication.pace().pause(own.openUntilMillis());
    state.save(Publication.Transition.SUCCEED);
    state.save(MixingCycle.Transition.CONTRIBUTE);
  }

  /** Adopts a mixed version if there is one, and no training and no publication is under way. */
  private void pollMixing(MixedLearning own, LearnerTime now) {
    MixedLearning.GoesOnAlone alone = own.poll(now.millis());
    if (alone != null) {
      if (alone.refused()) {
        counters.heldModel();
      }
      publication.pace().pause(now.millis());
      state.save(alone.how());
      log.say(alone.type(), now, null, alone.message());
    }
    if (!own.ready() || cycle.busy() || publication.undecided()) {
      return;
    }
    scoring.flush();
    AcceptedModel adopted = adopt(own, publication.model(), now);
    if (adopted != null) {
      publication.goOnWith(adopted);
      release.score(adopted);
    }
  }

  /** Returns a model that was just trained, after a mixed version was adopted if there is one. */
  private AcceptedModel mixed(AcceptedModel model, TrainingResult result, LearnerTime now) {
    MixedLearning own = mixing;
    if (own == null) {
      return model;
    }
    AcceptedModel whole = own.trained(model, publication.model(), result.rows());
    return own.ready() ? Objects.requireNonNull(adopt(own, whole, now)) : whole;
  }

  private @Nullable AcceptedModel adopt(
      MixedLearning own, @Nullable AcceptedModel local, LearnerTime now) {
    MixedLearning.Adopted adopted =
        own.adopt(local == null ? null : local.artifact(), progress(), now.millis());
    if (adopted.joined()) {
      data.giveUp(trained.takeAfter(0));
    }
    if (adopted.version() > 0) {
      counters.published(adopted.version());
    }
    incorporation.add(adopted.arrivedAtMillis(), now.millis());
    publication.pace().pause(now.millis());
    state.save(MixingCycle.Transition.ADOPT);
    UpdateRecord contains = adopted.contains();
    if (contains != null) {
      UpdateRecord.Published as = new UpdateRecord.Published(adopted.version(), clock.wallMillis());
      log.say(DecisionEvent.Type.PUBLISHED, now, contains.published(as), "");
    }
    log.say(DecisionEvent.Type.MIXED, now, null, adopted.message());
    ModelArtifact model = adopted.model();
    return local == null || model == null ? null : local.with(model);
  }

  /** Records that a checkpoint is taken. */
  public void checkpointed() {
    if (mixing != null) {
      mixing.checkpointed();
    }
  }
}
