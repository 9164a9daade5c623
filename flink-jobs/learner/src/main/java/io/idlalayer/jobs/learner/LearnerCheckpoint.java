package io.idlalayer.jobs.learner;

import io.idlalayer.datacontroller.api.DataController;
import io.idlalayer.jobs.learner.forget.Anchor;
import io.idlalayer.jobs.learner.forget.Forgetting;
import io.idlalayer.jobs.learner.memory.StoredSplit;
import io.idlalayer.jobs.learner.mixing.MixedLearning;
import io.idlalayer.jobs.learner.publish.AcceptedModel;
import io.idlalayer.jobs.learner.publish.UnpublishedArrivals;
import io.idlalayer.jobs.learner.state.LastingFailureException;
import io.idlalayer.jobs.learner.state.LearnerState;
import io.idlalayer.jobs.learner.state.LearnerState.Slot;
import io.idlalayer.jobs.learner.state.LearnerTime;
import io.idlalayer.jobs.learner.state.StateChange;
import io.idlalayer.jobs.learner.state.StateConversion;
import io.idlalayer.jobs.learner.state.StateSaver;
import io.idlalayer.jobs.learner.state.StoredIdentity;
import io.idlalayer.jobs.learner.update.Bisection;
import io.idlalayer.jobs.learner.update.FiredUpdate;
import io.idlalayer.jobs.learner.update.TrainingAttempts;
import io.idlalayer.jobs.learner.update.UpdateCycle;
import io.idlalayer.jobs.learner.update.WaitingSummary;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.change.IdentityChange;
import io.idlalayer.middleware.embedding.table.RowTables;
import io.idlalayer.middleware.sample.change.ColumnMap;
import io.idlalayer.middleware.sample.change.SchemaChange;
import io.idlalayer.modelcontroller.drift.DriftSettings;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Writes and restores all durable state of a learner. Only this class knows which component is in
 * which slot. Samples are written through at once, see {@link LearnerState#samples}. The slots are
 * written right before a checkpoint, see {@link Learner#beforeCheckpoint}: a restore reads state
 * only from checkpoints, and between two checkpoints many updates change the same slots.
 * Checkpoints are taken between two calls of {@link Learner}, so everything that one call changes
 * is in one checkpoint.
 */
final class LearnerCheckpoint implements StateSaver {
  private final LearnerState state;
  private final LearnerContext context;
  private final LearnerComponents components;

  /** The slots whose content changed since they were written. */
  private final Set<Slot> changed = EnumSet.noneOf(Slot.class);

  /**
   * State of the update controller that the next checkpoint must contain; null if it is written
   * already. The controller counts the cost of an update when the update starts, and counts the
   * cost again if a restore repeats the update. So a checkpoint during the update must contain the
   * state from before the update.
   */
  private byte @Nullable [] updateController;

  private final StoredSplit divided = new StoredSplit();

  LearnerCheckpoint(LearnerContext context, LearnerComponents components) {
    state = context.ports().state();
    this.context = context;
    this.components = components;
  }

  @Override
  public void save(StateChange change) {
    changed.addAll(change.slots());
    if (change.slots().contains(Slot.UPDATE)) {
      updateController = components.update().controller().snapshot();
    }
  }

  /** Writes the slots that changed since the last call. */
  void write() {
    if (divided.takeChanged()) {
      changed.add(Slot.FAST_MEMORY);
    }
    for (Slot slot : changed) {
      state.put(slot, snapshot(slot));
    }
    changed.clear();
    updateController = null;
  }

  /**
   * Returns the split of the DRAM. It is the restored split at first, and is written to the state
   * after each change.
   */
  StoredSplit divided() {
    return divided;
  }

  /** Returns the current content of a slot; null if it is empty. */
  private byte @Nullable [] snapshot(Slot slot) {
    return switch (slot) {
      case IDENTITY ->
          throw new IllegalStateException(
              "the identity is written at the start only, not with a checkpoint");
      case COUNTERS -> components.counters().snapshot();
      case SURVEY -> components.survey().snapshot();
      case REQUESTS -> components.requests().snapshot();
      case FIRED_UPDATE -> {
        FiredUpdate fired = components.update().cycle().fired();
        yield fired == null ? null : fired.snapshot();
      }
      case MODEL -> {
        AcceptedModel model = components.publication().model();
        yield model == null ? null : model.snapshot();
      }
      case ARTIFACT -> {
        AcceptedModel model = components.publication().model();
        yield model == null ? null : model.artifactSnapshot();
      }
      case START -> components.update().start().snapshot();
      case PUBLISHING -> {
        UnpublishedArrivals arrivals = components.publication().unpublished();
        yield arrivals.isEmpty() ? null : arrivals.snapshot();
      }
      case DATA -> components.data().snapshot();
      case UPDATE -> updateController;
      case EVALUATION -> components.evaluator().snapshot();
      case MIXTURE -> components.references().snapshot();
      case INCORPORATION -> components.update().incorporation().snapshot();
      case TABLES -> {
        RowTables rows = components.tables().rows();
        yield rows == null ? null : rows.snapshot();
      }
      case HISTORY ->
          components.history().histories().kept()
              ? components.history().histories().snapshot()
              : null;
      case WITHOUT_CONTEXT ->
          components.history().histories().kept()
              ? components.history().withoutContext().snapshot()
              : null;
      case COMPARISON -> components.comparison().snapshot();
      case COMPARED_VERSIONS -> components.comparison().versionsSnapshot();
      case PREDICTIONS -> predictions();
      case MIXING -> {
        MixedLearning mixing = components.mixing();
        yield mixing == null ? null : mixing.snapshot();
      }
      case FORGETTING -> forgets() ? components.forgetting().snapshot() : null;
      case ANCHORS -> forgets() ? components.forgetting().anchorsSnapshot() : null;
      case FAST_MEMORY -> divided.snapshot();
      case DRIFT -> watchesDrift() ? components.update().drift().snapshot() : null;
    };
  }

  /** Returns whether samples can be forgotten, or were forgotten earlier. */
  private boolean forgets() {
    Forgetting forgetting = components.forgetting();
    return forgetting.on() || forgetting.forgotten().samples() > 0;
  }

  /** Returns the position of the end of the prediction log. */
  private byte @Nullable [] predictions() {
    try {
      return context.ports().predictions().save();
    } catch (IOException failed) {
      throw new LastingFailureException(
          "predictions cannot be written any more: " + failed.getMessage(), failed);
    }
  }

  private void openPredictions() {
    try {
      context.ports().predictions().open(state.get(Slot.PREDICTIONS));
    } catch (IOException refused) {
      throw new LastingFailureException(
          "predictions cannot be written: " + refused.getMessage(), refused);
    }
  }

  private boolean watchesDrift() {
    return context.identity().settings().update().drift().detector() != DriftSettings.Detector.OFF;
  }

  /**
   * The facts that a restore of a learner's state found.
   *
   * @param known whether the learner has a history at all
   * @param quarantined waiting samples that were given up, because they killed the process
   * @param suspicion message about an update that is not trained again, "" if there is no such
   *     update
   * @param changes message about changed features or classes, "" if none have changed
   */
  record Restored(boolean known, int quarantined, String suspicion, String changes) {
    private static final Restored NOTHING = new Restored(false, 0, "", "");
  }

  /**
   * Reads all state back and starts nothing; interrupted work continues at the learner's first
   * tick. The order is part of the format:
   *
   * <ol>
   *   <li>the identity: state of other settings is refused before any other state is read. If
   *       features or classes have changed, samples and rows are converted now, and the components
   *       that depend on them are converted when they are restored
   *   <li>the end of the prediction log; the log is truncated to this position
   *   <li>the network that the first training begins with
   *   <li>components that do not depend on other components: counters, requests, the survey of
   *       events, the split of the DRAM, evaluation, mixture, incorporation, the history of keys,
   *       tables
   *   <li>the data controller: its small state, then its index, built from the stored samples
   *   <li>the log of updates with the requests to forget samples
   *   <li>the update controller's small state; the waiting samples follow later
   *   <li>the clock, which starts later than every time in the restored state of the two
   *       controllers and of the requests
   *   <li>the drift; the update controller gets its urgency at the present time of the clock
   *   <li>samples that killed the process are given up, so that they do not wait any more
   *   <li>the update controller gets the waiting samples. These include the samples of a fired
   *       update until its training begins again
   *   <li>the accepted model, the arrivals that are not published yet, and the mixed model from
   *       which the learner continues; the log of updates begins anew if the samples were converted
   *   <li>the fired update, without the samples that were given up or withdrawn
   * </ol>
   *
   * @throws LastingFailureException if the state was made with other settings, or does not fit into
   *     memory
   */
  Restored restore() {
    ApplicationSettings settings = context.identity().settings();
    IdentityChange change = StoredIdentity.require(state, settings);
    byte[] fired = state.get(Slot.FIRED_UPDATE);
    TrainingAttempts attempts = components.update().attempts();
    StateConversion conversion =
        change.isNone()
            ? null
            : StateConversion.convert(state, change, settings, attempts.givenUp());
    openPredictions();
    byte[] counted = state.get(Slot.COUNTERS);
    components.update().start().open(state);
    if (counted == null) {
      context.ports().clock().start(Long.MIN_VALUE);
      long millis = context.ports().clock().now().millis();
      components
          .update()
          .start()
          .beginRows(state, components.tables().rows(), TimeUnit.MILLISECONDS.toSeconds(millis));
      return Restored.NOTHING;
    }
    components.counters().restore(counted);
    restoreIndependent(conversion == null ? null : conversion.schema());
    if (conversion != null) {
      components.counters().unlabeled(conversion.removedUntrained());
      components.counters().labelsGivenUp(conversion.removedLabels());
      if (fired != null && state.get(Slot.FIRED_UPDATE) == null) {
        components.counters().unlabeled(FiredUpdate.restore(fired).withdrawnNew());
      }
      RowTables rows = components.tables().rows();
      if (rows != null && !conversion.sameRows()) {
        rows.changedAfter(components.counters().modelVersion());
      }
      components.beginSurvey();
      save(StateChange.Other.CONVERTED);
    }

    byte[] small = state.get(Slot.DATA);
    if (small != null) {
      components.data().restore(small);
    }
    components.data().rebuild(context.ports().loading());
    int given = restoreForgetting();

    byte[] rule = state.get(Slot.UPDATE);
    if (rule != null) {
      components.update().controller().restore(rule);
    }

    long remembered =
        LearnerTime.millisNotAfter(components.update().controller().rememberedNanos()) + 1;
    remembered = Math.max(components.data().lastArrivalMillis(), remembered);
    remembered = Math.max(components.forgetting().lastRequestMillis(), remembered);
    context.ports().clock().start(remembered);
    LearnerTime now = context.ports().clock().now();
    components.data().resumed(now.millis() - remembered, now.millis());
    components.requests().restoredAt(now.millis());

    byte[] watched = state.get(Slot.DRIFT);
    if (watched != null) {
      components.update().drift().restore(watched);
      components.update().controller().urgency(components.update().drift().urgency(), now.nanos());
    }

    if (conversion != null && !conversion.givenUp().isEmpty()) {
      attempts.giveUp(conversion.givenUp());
    }
    int quarantined = attempts.quarantineIn(components.data());
    components.counters().quarantined(quarantined);

    components.update().controller().rebuild(now.nanos(), WaitingSummary.of(components.data()));

    restoreModel(conversion == null || conversion.sameRows());
    if (conversion != null && components.forgetting().on()) {
      // After the conversion no logged update can be repeated.
      components
          .forgetting()
          .beginAnew(
              Anchor.of(components.publication().model(), components.counters().updates()),
              components.data().lastSampleId());
    }
    byte[] mixed = state.get(Slot.MIXING);
    MixedLearning mixing = components.mixing();
    if (mixed != null && mixing != null) {
      mixing.restore(mixed);
    }
    String changes =
        conversion == null
            ? ""
            : "the application file has changed: %s; %s"
                .formatted(change.changes(), conversion.describe());
    if (given > 0) {
      changes +=
          "%s%d requests to forget samples are given up, because selection.forget is gone"
              .formatted(changes.isEmpty() ? "" : "; ", given);
    }
    return new Restored(true, quarantined, restoreFiredUpdate(), changes);
  }

  /**
   * @param change the change of the features and classes; null if nothing has changed
   */
  private void restoreIndependent(@Nullable SchemaChange change) {
    ColumnMap classes =
        change == null
            ? ColumnMap.unchanged(context.identity().settings().model().outputWidth())
            : change.classes();
    byte[] asked = state.get(Slot.REQUESTS);
    if (asked != null) {
      components.requests().restore(asked);
    }
    byte[] surveyed = state.get(Slot.SURVEY);
    if (surveyed != null) {
      components.survey().restore(surveyed);
    }
    byte[] split = state.get(Slot.FAST_MEMORY);
    if (split != null) {
      divided.restore(split);
    }
    byte[] sums = state.get(Slot.EVALUATION);
    if (sums != null) {
      components.evaluator().restore(sums);
      components.evaluator().changed(classes);
    }
    byte[] experts = state.get(Slot.MIXTURE);
    if (experts != null) {
      components.references().restore(experts, classes);
    }
    byte[] known = state.get(Slot.HISTORY);
    if (known != null) {
      components.history().histories().restore(known);
      if (change != null) {
        components.history().histories().changed(change);
      }
    }
    byte[] without = state.get(Slot.WITHOUT_CONTEXT);
    if (without != null) {
      components.history().withoutContext().restore(without);
      components.history().withoutContext().changed(classes);
    }
    byte[] compared = state.get(Slot.COMPARISON);
    byte[] versions = state.get(Slot.COMPARED_VERSIONS);
    // A version with other features or classes cannot be tested, so a new comparison begins.
    if (compared != null && versions != null && change == null) {
      components.comparison().restore(compared, versions);
    }
    if (versions != null && components.comparison().results() == null) {
      // The comparison was switched off, so the next checkpoint leaves the versions out.
      save(StateChange.Other.COMPARED);
    }
    byte[] tables = state.get(Slot.TABLES);
    RowTables rows = components.tables().rows();
    if (tables != null && rows != null) {
      rows.restore(tables);
    }
    byte[] times = state.get(Slot.INCORPORATION);
    if (times != null) {
      components.update().incorporation().restore(times);
    }
  }

  /**
   * @param sameRows whether the rows of tables are still the rows of the previous version;
   *     otherwise the next version must have all rows
   */
  private void restoreModel(boolean sameRows) {
    byte[] head = state.get(Slot.MODEL);
    byte[] artifact = state.get(Slot.ARTIFACT);
    if (head != null && artifact != null) {
      byte[] arrivals = state.get(Slot.PUBLISHING);
      AcceptedModel model = AcceptedModel.restore(head, artifact);
      components
          .publication()
          .restore(
              sameRows ? model : model.withoutRowChanges(),
              arrivals == null ? UnpublishedArrivals.NONE : UnpublishedArrivals.restore(arrivals));
    }
  }

  /**
   * Restores the log of updates and the requests to forget.
   *
   * @return number of requests that were dropped
   */
  private int restoreForgetting() {
    Forgetting forgetting = components.forgetting();
    byte[] known = state.get(Slot.FORGETTING);
    byte[] anchors = state.get(Slot.ANCHORS);
    if ((known == null) != (anchors == null)) {
      throw new LastingFailureException(
          "the state for forgetting samples has the %s but not the %s; restore another checkpoint"
                  .formatted(
                      known == null ? "earlier models" : "log of updates",
                      known == null ? "log of updates" : "earlier models")
              + " or start over");
    }
    int given = known == null ? 0 : forgetting.restore(known, anchors);
    if (known != null && !forgetting.on()) {
      // A log with a gap must not be continued when samples can be forgotten again.
      save(StateChange.Other.LOGGED);
    }
    return given;
  }

  /**
   * Restores the update that was in training, unless its training seems to have killed the process.
   */
  private String restoreFiredUpdate() {
    Bisection step = components.update().attempts().bisection();
    byte[] remembered = state.get(Slot.FIRED_UPDATE);
    if (remembered != null) {
      FiredUpdate before = FiredUpdate.restore(remembered);
      DataController data = components.data();
      // The state says which samples wait. A sample that does not wait was withdrawn, or has just
      // been given up.
      FiredUpdate left = before.with(data.waiting().among(before.selection().newIds()));
      components.counters().unlabeled(before.withdrawnNew());
      components.update().cycle().restore(left);
      if (left.selection().newIds().length == 0 || step.searching()) {
        components.update().cycle().end(UpdateCycle.Transition.GIVE_UP);
        save(UpdateCycle.Transition.GIVE_UP);
      }
    }
    return step.searching()
        ? "the process died while it trained; at most %d of %d samples train at once until it is clear why"
            .formatted(step.limit(), step.suspects().length)
        : "";
  }
}
