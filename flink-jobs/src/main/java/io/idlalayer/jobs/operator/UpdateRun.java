package io.idlalayer.jobs.operator;

import io.idlalayer.datacontroller.DataController;
import io.idlalayer.datacontroller.Selection;
import io.idlalayer.datacontroller.StageReport;
import io.idlalayer.jobs.events.UpdateView;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.modelcontroller.training.ModelArtifact;
import io.idlalayer.modelcontroller.training.TrainingFailedException;
import io.idlalayer.modelcontroller.training.TrainingRequest;
import io.idlalayer.modelcontroller.training.TrainingResult;
import io.idlalayer.modelcontroller.update.UpdateController;
import io.idlalayer.modelcontroller.update.UpdateDecision;
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
  static final int FAILURES_BEFORE_QUARANTINE = 3;
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final LearnerParts parts;
  private final DataController data;
  private final UpdateController update;
  private final Ledger ledger;
  private final SampleCare samples;
  private final SampleCodec codec = new SampleCodec();

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

  /** Takes state back; a pending update starts training again on exactly its samples. */
  void restore(long nowMillis) {
    byte[] head = parts.state().get(LearnerState.Slot.MODEL);
    byte[] artifact = parts.state().get(LearnerState.Slot.ARTIFACT);
    if (head != null && artifact != null) {
      model = AcceptedModel.decode(head, artifact);
    }
    byte[] remembered = parts.state().get(LearnerState.Slot.PENDING);
    if (remembered != null) {
      PendingUpdate restored = PendingUpdate.decode(remembered);
      data.beginTraining(restored.selection());
      pending = restored;
      train(restored, nowMillis);
    }
  }

  /** Fires what was decided. Returns the update that was started, or null for a wait. */
  @Nullable PendingUpdate act(UpdateDecision decision, long nowMillis) {
    // Labels may have been taken back of samples that the rule still counts.
    int waiting = data.pending();
    if (!(decision instanceof UpdateDecision.Train train) || pending != null || waiting == 0) {
      return null;
    }
    Selection selection = data.select(ledger.updates + 1, Math.min(waiting, train.samples()));
    long[] arrivedAtMillis = new long[selection.newIds().length];
    for (int i = 0; i < arrivedAtMillis.length; i++) {
      arrivedAtMillis[i] = data.arrivedAtMillis(selection.newIds()[i]);
    }
    PendingUpdate fired =
        new PendingUpdate(selection, arrivedAtMillis, nowMillis, decision.explanation());
    data.beginTraining(selection);
    parts.state().put(LearnerState.Slot.PENDING, fired.encode());
    pending = fired;
    train(fired, nowMillis);
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
                parts.newTrainer(),
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
    data.abandon(fired.selection());
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
    try {
      return accept(fired, future.get(), nowMillis);
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof TrainingFailedException dropped && dropped.ofThisBatch()) {
        return drop(fired, dropped, nowMillis);
      }
      throw fatal(fired, failed);
    }
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

  /** Blocks until the running training has ended: back-pressure when no sample can be stored. */
  void await(long boundSeconds) throws InterruptedException {
    Future<TrainingResult> future = running;
    if (future == null) {
      return;
    }
    try {
      future.get(boundSeconds, TimeUnit.SECONDS);
    } catch (ExecutionException ended) {
      return; // poll() reports it.
    } catch (TimeoutException stuck) {
      throw new IllegalStateException(
          "the store is full and the running training did not end within " + boundSeconds + " s",
          stuck);
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

  private Ended drop(PendingUpdate fired, TrainingFailedException failure, long nowMillis) {
    Selection selection = fired.selection();
    boolean giveUp = update.failures() + 1 >= FAILURES_BEFORE_QUARANTINE;
    int back = selection.newIds().length;
    String fate = "its %d new samples wait for the next attempt".formatted(back);
    if (giveUp) {
      fate =
          "its %d new samples are quarantined after %d failures in a row"
              .formatted(back, FAILURES_BEFORE_QUARANTINE);
      ledger.quarantined += back;
      data.quarantine(selection);
      back = 0;
    } else {
      data.abandon(selection);
    }
    UpdateDecision next = update.trainingDropped(nowMillis * NANOS_PER_MILLI, back);
    saveControllers();
    return new Ended.Dropped(fired, failure.getMessage() + "; " + fate, next);
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
