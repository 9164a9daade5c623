package io.idlalayer.jobs.learner.update;

import io.idlalayer.datacontroller.api.DataController;
import io.idlalayer.jobs.learner.forget.Anchor;
import io.idlalayer.jobs.learner.forget.LoggedUpdate;
import io.idlalayer.jobs.learner.forget.RetrainedUpdates;
import io.idlalayer.jobs.learner.forget.RetrainingPlan;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.modelcontroller.training.TrainingResult;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Trains the updates of a plan again, one after the other, on the trainer thread: each with its
 * original number, which determines the original seed, and with the samples that have not changed.
 * Samples that left the store or changed are left out. An update is left out if its training fails
 * or if none of its samples is left. Called by the operator's thread.
 */
final class Retraining {
  private final RetrainingPlan plan;
  private final DataController data;
  private final Trainings trainings;
  private final byte[] mixture;
  private final SampleCodec codec = new SampleCodec();
  private final Iterator<LoggedUpdate> left;
  private final List<LoggedUpdate> trained = new ArrayList<>();
  private final List<Anchor> anchors = new ArrayList<>();
  private final Set<Long> missing = new HashSet<>();
  private int updatesLeftOut;
  private @Nullable ModelArtifact model;
  private @Nullable LoggedUpdate current;
  private @Nullable Future<TrainingResult> running;

  /**
   * @param mixture file of the mixture that becomes part of the model; empty if there is none
   */
  Retraining(RetrainingPlan plan, DataController data, Trainings trainings, byte[] mixture) {
    this.plan = plan;
    this.data = data;
    this.trainings = trainings;
    this.mixture = mixture;
    left = plan.updates().iterator();
    model = plan.base().artifact();
  }

  RetrainingPlan plan() {
    return plan;
  }

  /**
   * Takes the results that are available, and begins the next training.
   *
   * @return whether all updates of the plan are trained
   * @throws IllegalStateException if a training fails for a reason that does not depend on its
   *     batch
   */
  boolean poll() throws InterruptedException {
    while (running == null || running.isDone()) {
      Future<TrainingResult> ended = running;
      LoggedUpdate update = current;
      running = null;
      if (ended != null && update != null) {
        take(update, ended);
      }
      if (!left.hasNext()) {
        return true;
      }
      begin(left.next());
    }
    return false;
  }

  /**
   * Waits for the running training, and not for later ones, at most {@code mostMillis}
   * milliseconds.
   */
  void await(long mostMillis) throws InterruptedException {
    Future<TrainingResult> now = running;
    if (now != null) {
      try {
        now.get(mostMillis, TimeUnit.MILLISECONDS);
      } catch (ExecutionException | TimeoutException later) {
        // The next poll finds out.
        return;
      }
    }
  }

  private void begin(LoggedUpdate update) {
    List<TrainingRow> rows = data.samples().asTrained(update.rows(), codec::decode);
    Set<Long> there = rows.stream().map(TrainingRow::sampleId).collect(Collectors.toSet());
    for (long id : update.rows().ids()) {
      if (!there.contains(id)) {
        missing.add(id);
      }
    }
    if (rows.isEmpty()) {
      updatesLeftOut++;
      return;
    }
    current = update.only(there);
    running = trainings.begin(new TrainingBatch(update.number(), rows), model, mixture);
  }

  private void take(LoggedUpdate update, Future<TrainingResult> ended) throws InterruptedException {
    TrainingResult result;
    try {
      result = ended.get();
    } catch (ExecutionException failed) {
      if (Trainings.ofThisBatch(failed.getCause()) != null) {
        updatesLeftOut++;
        return;
      }
      throw new IllegalStateException(
          "training update %d again failed".formatted(update.number()), failed.getCause());
    }
    if (Trainings.notFinite(result.contributions()) != null) {
      updatesLeftOut++;
      return;
    }
    model = result.model();
    trained.add(update);
    if (plan.anchored().contains(update.number())) {
      anchors.add(
          new Anchor(update.number(), result.model(), plan.base().version(), plan.base().digest()));
    }
  }

  /** Returns the model after the updates so far; null if there is none. */
  @Nullable ModelArtifact model() {
    return model;
  }

  /** Returns the updates that were trained so far. */
  RetrainedUpdates trained() {
    return new RetrainedUpdates(trained, anchors);
  }

  /** Returns what was trained and what could not be repeated, as a sentence. */
  String describe() {
    String from =
        plan.base().artifact() == null
            ? "a new network"
            : "the model of update " + plan.base().update();
    String text = "%d updates were trained again from %s".formatted(trained.size(), from);
    if (plan.fromBeginning()) {
      text += ", because it may have been trained before the log of updates begins";
    }
    if (!missing.isEmpty()) {
      text +=
          "; %d samples were left out, because they have left the store or changed"
              .formatted(missing.size());
    }
    if (updatesLeftOut > 0) {
      text +=
          "; %d updates were left out, because none of their samples is left or their training failed"
              .formatted(updatesLeftOut);
    }
    return text;
  }
}
