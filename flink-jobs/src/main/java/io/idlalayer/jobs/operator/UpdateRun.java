package io.idlalayer.jobs.operator;

import io.idlalayer.datacontroller.DataController;
import io.idlalayer.datacontroller.Selection;
import io.idlalayer.datacontroller.StageReport;
import io.idlalayer.jobs.events.UpdateView;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.Contribution;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.modelcontroller.training.ModelArtifact;
import io.idlalayer.modelcontroller.training.TrainingFailedException;
import io.idlalayer.modelcontroller.training.TrainingRequest;
import io.idlalayer.modelcontroller.training.TrainingResult;
import io.idlalayer.modelcontroller.update.UpdateController;
import io.idlalayer.modelcontroller.update.UpdateDecision;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The way of one update: decided, fired (samples chosen, remembered in state, handed to the trainer
 * thread), and accepted or dropped when the training has ended. At most one runs at a time. All
 * methods are called by the operator's thread.
 */
final class UpdateRun {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final LearnerParts parts;
  private final DataController data;
  private final UpdateController update;
  private final Ledger ledger;
  private final SampleCare samples;
  private final SampleCodec codec = new SampleCodec();
  private final AttemptBook attempts;

  private @Nullable AcceptedModel model;
  private @Nullable PendingUpdate pending;
  private @Nullable Future<TrainingResult> running;

  UpdateRun(
      LearnerParts parts,
      DataController data,
      UpdateController update,
      Ledger ledger,
      SampleCare samples) {
    this.parts = parts;
    this.data = data;
    this.update = update;
    this.ledger = ledger;
    this.samples = samples;
    attempts = new AttemptBook(parts.attempts());
  }

  /** The accepted model, or null before the first. */
  @Nullable AcceptedModel model() {
    return model;
  }

  /** The update that trains now, or null. */
  @Nullable PendingUpdate pending() {
    return pending;
  }

  boolean training() {
    return pending != null;
  }

  /** Takes the accepted model back. */
  void restoreModel() {
    byte[] head = parts.state().get(LearnerState.Slot.MODEL);
    byte[] artifact = parts.state().get(LearnerState.Slot.ARTIFACT);
    if (head != null && artifact != null) {
      model = AcceptedModel.decode(head, artifact);
    }
  }

  /**
   * Takes a pending update back: it starts training again on exactly its samples, less those whose
   * labels were taken back, unless it is to blame for the death of the process. Returns what became
   * of it for people, "" if nothing is worth telling.
   */
  String restorePending(long nowMillis) {
    byte[] remembered = parts.state().get(LearnerState.Slot.PENDING);
    Bisection step = attempts.bisection();
    if (remembered == null) {
      return step.searching() ? search(step) : "";
    }
    PendingUpdate before = PendingUpdate.decode(remembered);
    // State says what waits: whoever does not was withdrawn, or has just been given up.
    PendingUpdate restored = before.with(data.stillWaiting(before.selection().newIds()));
    ledger.unlabeled += before.withdrawnNew();
    if (restored.selection().newIds().length == 0 || step.searching()) {
      parts.state().put(LearnerState.Slot.PENDING, null);
      return step.searching() ? search(step) : "";
    }
    start(restored, nowMillis);
    return "";
  }

  private static String search(Bisection step) {
    return "the process died while it trained; at most %d of %d samples train at once until it is clear why"
        .formatted(step.limit(), step.suspects().length);
  }

  private void start(PendingUpdate update, long nowMillis) {
    data.beginTraining(update.selection());
    parts.state().put(LearnerState.Slot.PENDING, update.encode());
    pending = update;
    train(update, nowMillis);
  }

  /** How the next update is tried. */
  Bisection bisection() {
    return attempts.bisection();
  }

  /** What went wrong with the record of trainings since the last call, "" if nothing. */
  String takeProblem() {
    return attempts.takeProblem();
  }

  /** Tells the rule what waits and how much of it may train at once. */
  void tellWaiting(long nowMillis) {
    update.waiting(
        nowMillis * NANOS_PER_MILLI,
        each -> data.forEachPending(millis -> each.arrived(millis * NANOS_PER_MILLI)));
    tellLimit();
  }

  private void tellLimit() {
    Bisection step = attempts.bisection();
    long[] waiting = step.searching() ? data.waitingContents(step.limit()) : Longs.NONE;
    update.retry(step.asks(waiting) ? step.batch(waiting) : 0);
  }

  /** The label of a sample was taken back, which may train right now. */
  void withdrawn(long sampleId) {
    PendingUpdate fired = pending;
    if (fired != null && fired.holds(sampleId)) {
      pending = fired.withdrawing(sampleId);
      parts.state().put(LearnerState.Slot.PENDING, pending.encode());
    }
  }

  /** Gives up waiting samples whose contents killed the process alone. Returns how many. */
  int quarantineKillers() {
    int given = 0;
    for (ContentHash content : attempts.givenUp()) {
      if (data.quarantine(content)) {
        given++;
      }
    }
    ledger.quarantined += given;
    return given;
  }

  /** Fires what was decided. Returns the update that was started, or null for a wait. */
  @Nullable PendingUpdate act(UpdateDecision decision, long nowMillis) {
    int waiting = data.pending();
    if (!(decision instanceof UpdateDecision.Train train) || pending != null || waiting == 0) {
      return null;
    }
    Bisection step = attempts.bisection();
    int most = Math.min(waiting, train.samples());
    if (step.searching()) {
      most = step.batch(data.waitingContents(most));
    }
    long number = ledger.updates + 1;
    Selection selection = step.replays() ? data.select(number, most) : data.selectNew(number, most);
    long[] arrivedAtMillis = new long[selection.newIds().length];
    for (int i = 0; i < arrivedAtMillis.length; i++) {
      arrivedAtMillis[i] = data.arrivedAtMillis(selection.newIds()[i]);
    }
    PendingUpdate fired =
        new PendingUpdate(
            selection, arrivedAtMillis, parts.clock().wallMillis(), decision.explanation());
    start(fired, nowMillis);
    return fired;
  }

  private void train(PendingUpdate fired, long nowMillis) {
    Selection selection = fired.selection();
    TrainingBatch batch = samples.load(() -> data.load(selection, codec::decode));
    update.trainingStarted(
        selection.newIds().length, extra(selection), nowMillis * NANOS_PER_MILLI);
    ModelArtifact base = model == null ? null : model.artifact();
    running =
        parts
            .trainerThread()
            .train(
                parts.key().text(),
                () -> new RecordedTrainer(parts.newTrainer().get(), attempts),
                new TrainingRequest(base, batch, seed(selection.updateNumber())));
  }

  /** How many rows train beside the new samples; below 0 if more of those are passed over. */
  private static int extra(Selection selection) {
    return selection.replayedIds().length - selection.passedIds().length;
  }

  /** Gives the running training up; its samples wait again. Returns it, or null if none runs. */
  @Nullable PendingUpdate abort() {
    Future<TrainingResult> future = running;
    PendingUpdate fired = pending;
    if (future == null || fired == null || future.isDone()) {
      return null;
    }
    future.cancel(true);
    running = null;
    pending = null;
    ledger.unlabeled += fired.selection().newIds().length - data.abandon(fired.selection());
    parts.state().put(LearnerState.Slot.PENDING, null);
    return fired;
  }

  /** A seed of its own for every update, the same after a restore. */
  private long seed(long updateNumber) {
    return parts.settings().seed() * 0x9E3779B97F4A7C15L
        + updateNumber * 0xBF58476D1CE4E5B9L
        + parts.key().partition();
  }

  /** How a training ended. */
  sealed interface Ended {
    PendingUpdate update();

    /** What the update controller says next. */
    UpdateDecision next();

    record Accepted(
        PendingUpdate update, AcceptedModel model, StageReport report, UpdateDecision next)
        implements Ended {}

    record Dropped(PendingUpdate update, String reason, UpdateDecision next) implements Ended {}
  }

  /** The training that ended since the last call, or null. */
  @Nullable Ended poll(long nowMillis) throws InterruptedException {
    Future<TrainingResult> future = running;
    PendingUpdate fired = pending;
    if (future == null || fired == null || !future.isDone()) {
      return null;
    }
    running = null;
    pending = null;
    TrainingResult result;
    try {
      result = future.get();
    } catch (ExecutionException failed) {
      String why = blame(failed.getCause());
      if (why == null) {
        throw fatal(fired, failed);
      }
      return drop(fired, why, nowMillis);
    } catch (CancellationException givenUp) {
      return drop(fired, "the training was cancelled", nowMillis);
    }
    String sick = notFinite(result.contributions());
    return sick == null ? accept(fired, result, nowMillis) : drop(fired, sick, nowMillis);
  }

  /** Why a training failed that another batch might survive; null if none would. */
  private static @Nullable String blame(@Nullable Throwable cause) {
    if (cause instanceof TrainingFailedException failed) {
      return failed.ofThisBatch() ? failed.getMessage() : null;
    }
    boolean maybe =
        cause instanceof RuntimeException
            || cause instanceof OutOfMemoryError
            || cause instanceof TimeoutException;
    return maybe ? "the trainer failed: " + cause : null;
  }

  private static @Nullable String notFinite(List<Contribution> contributions) {
    for (Contribution each : contributions) {
      if (!Float.isFinite(each.lossBefore()) || !Float.isFinite(each.lossAfter())) {
        return "sample %d has loss %s before and %s after its training"
            .formatted(each.sampleId(), each.lossBefore(), each.lossAfter());
      }
    }
    return null;
  }

  /** What to throw when a training failed in a way that no other batch would mend. */
  private RuntimeException fatal(PendingUpdate fired, ExecutionException failed) {
    String what =
        "training update %d of %s failed"
            .formatted(fired.selection().updateNumber(), parts.key().text());
    Throwable cause = failed.getCause();
    if (cause instanceof TrainingFailedException lasting) {
      return new LastingFailureException(what + ": " + lasting.getMessage(), lasting);
    }
    return new IllegalStateException(what, cause);
  }

  /**
   * Waits a while for the running training to end, well or not; {@link #poll} tells how. Called
   * when the store is full, so that the source is slowed down.
   */
  void await(Duration most) throws InterruptedException {
    Future<TrainingResult> future = running;
    if (future == null) {
      return;
    }
    try {
      future.get(most.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException | CancellationException | TimeoutException later) {
      return;
    }
  }

  private Ended accept(PendingUpdate fired, TrainingResult result, long nowMillis) {
    Selection selection = fired.selection();
    int fresh = selection.newIds().length;
    StageReport report = data.accept(selection, result.contributions(), result.trainSeconds());
    samples.trained(fresh + extra(selection), result.trainSeconds());
    ledger.updates = selection.updateNumber();
    ledger.trainedNewSamples += fresh;
    ledger.passedOver += selection.passedIds().length;
    AcceptedModel accepted = accepted(fired, result);
    model = accepted;
    attempts.bisection(attempts.bisection().succeeded(data.contents(selection.newIds())));
    tellLimit();
    UpdateDecision next =
        update.trainingEnded(
            nowMillis * NANOS_PER_MILLI, fresh, extra(selection), result.trainSeconds());
    parts.state().put(LearnerState.Slot.ARTIFACT, accepted.encodeArtifact());
    saveHead(accepted);
    saveControllers();
    return new Ended.Accepted(fired, accepted, report, next);
  }

  private AcceptedModel accepted(PendingUpdate fired, TrainingResult result) {
    AcceptedModel parent = model;
    long parentVersion = 0;
    String parentDigest = "";
    if (parent != null) {
      boolean published = parent.published();
      parentVersion = published ? parent.update().version() : parent.update().parentVersion();
      parentDigest = published ? parent.digest() : parent.parentDigest();
    }
    UpdateView view =
        StatusView.fired(fired, parentVersion)
            .trained(
                result.trainSeconds(),
                result.meanLossBefore(),
                result.meanLossAfter(),
                StatusView.tensors(parts.settings().memory().tensors().policy(), result.traffic()));
    return new AcceptedModel(
        result.model(), view, parentDigest, "", ledger.inputOffsets(), ledger.trainedNewSamples);
  }

  private Ended drop(PendingUpdate fired, String why, long nowMillis) {
    Selection selection = fired.selection();
    int fresh = selection.newIds().length;
    Bisection.Step step =
        attempts.bisection().failed(data.contents(selection.newIds()), Bisection.Failure.FAILED);
    boolean other = step.next().searching() && step.next().attempts() == 0;
    int back = step.givenUp() ? data.quarantine(selection) : data.abandon(selection);
    ledger.unlabeled += fresh - back;
    String fate =
        "its %d new samples wait for the next attempt, of at most %d at once"
            .formatted(back, Math.min(step.next().limit(), fresh));
    if (step.givenUp()) {
      ledger.quarantined += back;
      fate =
          "its new sample is quarantined after %d failures alone"
              .formatted(Bisection.FAILURES_OF_ONE);
    }
    attempts.bisection(step.next());
    long nowNanos = nowMillis * NANOS_PER_MILLI;
    update.trainingDropped(nowNanos, step.givenUp() ? 0 : back, other);
    tellWaiting(nowMillis);
    saveControllers();
    return new Ended.Dropped(fired, why + "; " + fate, update.evaluate(nowNanos));
  }

  /** Books the publication of a model; an older one than the accepted only counts as a version. */
  void published(AcceptedModel done) {
    ledger.modelVersion = done.update().version();
    if (model != null && model.update().number() == done.update().number()) {
      model = done;
      saveHead(done);
    }
  }

  private void saveHead(AcceptedModel accepted) {
    parts.state().put(LearnerState.Slot.MODEL, accepted.encodeHead());
  }

  private void saveControllers() {
    parts.state().put(LearnerState.Slot.PENDING, null);
    parts.state().put(LearnerState.Slot.DATA, data.snapshot());
    parts.state().put(LearnerState.Slot.UPDATE, update.snapshot());
  }
}
