package io.idlalayer.jobs.learner.release;

import io.idlalayer.jobs.learner.publish.Finding;
import io.idlalayer.jobs.learner.publish.ServedVersion;
import io.idlalayer.jobs.learner.release.ReleaseCycle.State;
import io.idlalayer.jobs.learner.release.ReleaseCycle.Transition;
import io.idlalayer.modelcontroller.evaluation.Rival;
import io.idlalayer.modelcontroller.gate.GateSettings;
import io.idlalayer.modelcontroller.gate.GateSettings.Action;
import io.idlalayer.modelcontroller.gate.GateSettings.AfterPublishing;
import io.idlalayer.modelcontroller.gate.ModelComparison.Verdict;
import io.idlalayer.modelcontroller.quality.ScoredBatch;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Compares each new model with a published one, the baseline, and decides what happens; {@link
 * Release} carries it out. Both models score the samples that arrived after the new model's update
 * fired, so neither was trained on them. With trusted samples, each model scores all trusted
 * samples instead. {@link ReleaseCycle} has the state of the newest model.
 *
 * <p>The baseline is the last version that was found good. With {@link Action#HOLD} each new model
 * is compared separately before it is published. Otherwise models are published at once, and often
 * replaced before enough samples have arrived. The comparison then continues with the next model,
 * until one of them is as good as the baseline and becomes the new baseline.
 *
 * <p>Comparisons are forgotten at a restart. Confined to one thread.
 */
public final class ReleaseGate {
  private static final long RETRY_MILLIS = 1_000;

  private final GateSettings settings;
  private final ReleaseCycle cycle = new ReleaseCycle();
  private int trusted;
  private @Nullable ServedVersion baseline;
  private @Nullable ServedVersion inService;

  /** The running comparison; null in the states that do not compare. */
  private @Nullable Comparison comparison;

  private long comparisons;
  private boolean begun;

  /** Number of the model that was accepted last. */
  private long models;

  /** Number of the model of the version in service. */
  private long modelInService;

  private long heldSinceMillis;

  /** Number of compared batches, and their number at the last check of a held model. */
  private long batches;

  private long batchesSeen;

  private long retryAtMillis;

  /**
   * @param trusted number of trusted samples on which models are compared; 0 to compare on arriving
   *     samples
   */
  public ReleaseGate(GateSettings settings, int trusted) {
    this.settings = settings;
    this.trusted = trusted;
  }

  /**
   * Compares the next model on trusted samples, which have become readable.
   *
   * @param samples number of trusted samples
   */
  void trust(int samples) {
    trusted = samples;
  }

  /** The action that the learner must take next. */
  enum Step {
    NOTHING,
    /** Publish the held model. */
    RELEASE,
    /** Publish the held model, and report that it could not be compared on all trusted samples. */
    RELEASE_UNCOMPARED,
    /** Refuse the held model, which is worse. */
    REFUSE,
    /** Report that the newest model is worse. */
    WARN,
    /**
     * End the comparison without any action: the newest model is worse, but the settings ask for
     * neither a rollback nor a warning.
     */
    SETTLE,
    /** Put the baseline in service again, because the version in service is worse. */
    ROLL_BACK
  }

  /** Returns the state of the newest model's release. */
  State state() {
    return cycle.state();
  }

  /** Returns the pin that is being set; null if none is. */
  @Nullable RollBack rollBack() {
    return cycle.rollBack();
  }

  /** Returns whether versions are compared, so that the version in service must be known. */
  public boolean compares() {
    return settings.compares();
  }

  /**
   * Returns whether the next update trains from the version in service after a refusal or a
   * rollback.
   */
  boolean continuesInService() {
    return settings.continueFrom() == GateSettings.ContinueFrom.IN_SERVICE;
  }

  // ---- what happens ---------------------------------------------------------------------------

  /**
   * Records which version was in service when the learner started.
   *
   * @param ofThisLineage whether the restored model is this version or was trained from it. Any
   *     other version was possibly trained on arriving samples, so no model is compared with it
   */
  void restored(ServedVersion found, boolean ofThisLineage) {
    inService = found;
    baseline = ofThisLineage ? found : null;
  }

  /**
   * Records that the restored model does not serve. The version that serves was passed to {@link
   * #restored}.
   *
   * @param how the transition {@code FIND} or {@code CONTINUE}
   */
  void gaveUpNewest(Transition how) {
    cycle.move(how);
  }

  /**
   * Registers a model that was just accepted, and starts to compare it if models are compared.
   *
   * @return whether it is held until {@link #look} decides
   */
  boolean accepted(long nowMillis) {
    if (!settings.compares() || baseline == null) {
      return false;
    }
    Comparison before = comparison;
    // If scoring is slower than updates, the models that were found good can be earlier models.
    if (before != null && before.praises(modelInService)) {
      baseline = inService;
    }
    models++;
    if (settings.action() == Action.HOLD) {
      cycle.move(Transition.HOLD);
      open();
    } else if (before == null || isOver(before)) {
      cycle.move(Transition.COMPARE);
      open();
    }
    heldSinceMillis = nowMillis;
    return held();
  }

  /**
   * Returns whether the running comparison ends when the next model is accepted. An open comparison
   * on trusted samples continues; otherwise it would never end where updates are faster than
   * scoring.
   */
  private boolean isOver(Comparison before) {
    Verdict verdict = before.verdict();
    return verdict == Verdict.GOOD
        || cycle.state() == State.SETTLED
        || (trusted > 0 && verdict != Verdict.OPEN);
  }

  /** Starts to compare the model that was accepted last. */
  private void open() {
    comparisons++;
    comparison = new Comparison(comparisons, settings, trusted);
    begun = true;
  }

  /**
   * Returns whether a comparison has begun since the last call, so that waiting samples can be
   * compared too. A comparison that continues has compared them before.
   */
  boolean takeBegun() {
    boolean was = begun && comparison != null;
    begun = false;
    return was;
  }

  /**
   * Drops the baseline if it cannot score any more, and ends the comparison with it.
   *
   * @param scores whether the model of an update can score
   * @return whether the baseline was dropped; the caller must then call {@link #ended}
   */
  boolean endUnless(LongPredicate scores) {
    if (baseline == null || scores.test(baseline.update())) {
      return false;
    }
    baseline = inService != null && scores.test(inService.update()) ? inService : null;
    comparison = null;
    return true;
  }

  /** Ends the comparison; a held model is released. */
  void ended() {
    if (cycle.state() != State.QUIET && cycle.state() != State.GIVEN_UP) {
      cycle.move(Transition.END);
    }
  }

  /** Adds the scores of a batch to the running comparison. */
  void add(ScoredBatch batch) {
    Comparison open = comparison;
    if (open != null && open.add(batch)) {
      batches++;
    }
  }

  /** Records that the held model is released. */
  void released() {
    cycle.move(Transition.RELEASE);
  }

  /** Refuses the held model; the version in service stays. */
  void refuses() {
    cycle.move(Transition.REFUSE);
  }

  /** Ends the comparison after a refusal is carried out. */
  void refused() {
    comparison = null;
  }

  /** Records that a version is published and in service. */
  void published(ServedVersion version) {
    if (!settings.compares()) {
      return;
    }
    inService = version;
    modelInService = models;
    if (cycle.state() == State.COMING) {
      cycle.move(Transition.SERVE);
    } else if (cycle.state() == State.GIVEN_UP) {
      cycle.move(Transition.REPLACE);
    }
    if (baseline == null) {
      baseline = version;
    }
  }

  /**
   * Records that the newest model was found worse, and that this was reported if the settings ask
   * for a report.
   */
  void told() {
    cycle.move(Transition.TELL);
  }

  /** Records that the baseline is being put in service. */
  void pins(RollBack begun) {
    cycle.pin(begun);
  }

  /** Records that the baseline serves again, in place of the newest version. */
  void rolledBack() {
    cycle.move(Transition.ROLL_BACK);
    inService = baseline;
    comparison = null;
  }

  /**
   * Records that the baseline has replaced a version while a newer model was being published, or
   * that this model serves already. The newer model gets a new comparison, unless it must be given
   * up with the version that it was trained from; then {@link #look} decides that when it serves.
   *
   * @param how the transition {@code ROLL_BACK_OLDER} or {@code OVERTAKE}
   */
  void rolledBackOlder(Transition how) {
    cycle.move(how);
    if (how == Transition.ROLL_BACK_OLDER) {
      inService = baseline;
    }
    requireComparison().rolledBack();
    compareNewer();
  }

  private void compareNewer() {
    if (!continuesInService()) {
      open();
    }
  }

  /** Returns whether an earlier rollback of the compared models has failed, which was reported. */
  boolean failedBefore() {
    return requireComparison().hasFailed();
  }

  /**
   * Records that the baseline could not be put in service. If a user has replaced the version while
   * a newer model is being published or serves already, that model is compared as after a rollback.
   *
   * @param how the transition {@code RETRY_PIN}, {@code GIVE_UP_PIN}, {@code YIELD} or {@code
   *     YIELD_TO_NEWER}
   */
  void pinFailed(Transition how, long nowMillis) {
    cycle.move(how);
    retryAtMillis = nowMillis + RETRY_MILLIS;
    if (how == Transition.YIELD || how == Transition.YIELD_TO_NEWER) {
      requireComparison().yielded();
      compareNewer();
    } else {
      requireComparison().failed();
    }
  }

  /**
   * Records that a user has put an older version in service.
   *
   * @param comparable whether the next model can be compared with it
   */
  void followedPeople(ServedVersion to, boolean comparable) {
    cycle.move(Transition.FOLLOW_PEOPLE);
    inService = to;
    baseline = comparable ? to : null;
    comparison = null;
  }

  /** Records that a user has removed the pin, so that the newest version serves again. */
  void unpinned(ServedVersion newest) {
    if (cycle.state() == State.GIVEN_UP) {
      cycle.move(Transition.UNPIN);
    }
    inService = newest;
    modelInService = models;
  }

  // ---- what is to happen ----------------------------------------------------------------------

  /**
   * Decides which action the learner must take now. Further calls return the same action until it
   * is carried out.
   *
   * @param published whether the newest model is published
   */
  Step look(long nowMillis, boolean published) {
    return switch (cycle.state()) {
      case HELD -> lookAtHeld(nowMillis);
      case COMPARING -> lookAtServed(nowMillis, published);
      case QUIET, GIVEN_UP, COMING, PINNING, SETTLED -> Step.NOTHING;
    };
  }

  private Step lookAtHeld(long nowMillis) {
    if (trusted > 0 && batches > batchesSeen) {
      // The model waits for the scorer only, which is working.
      heldSinceMillis = nowMillis;
    }
    batchesSeen = batches;
    return switch (requireComparison().verdict()) {
      case WORSE -> Step.REFUSE;
      case GOOD, DOUBTFUL -> Step.RELEASE;
      case OPEN -> {
        if (!waitedEnough(nowMillis)) {
          yield Step.NOTHING;
        }
        yield trusted > 0 ? Step.RELEASE_UNCOMPARED : Step.RELEASE;
      }
    };
  }

  private boolean waitedEnough(long nowMillis) {
    double waitedSeconds = (nowMillis - heldSinceMillis) / (double) TimeUnit.SECONDS.toMillis(1);
    return waitedSeconds >= settings.waitSeconds();
  }

  private Step lookAtServed(long nowMillis, boolean published) {
    Comparison open = requireComparison();
    if (open.verdict() != Verdict.WORSE || nowMillis < retryAtMillis) {
      return Step.NOTHING;
    }
    if (settings.afterPublishing() == AfterPublishing.ROLL_BACK) {
      // The time does not start with the publication of the newest model, which takes long on a
      // slow medium.
      open.foundWorse(nowMillis);
      return Step.ROLL_BACK;
    }
    if (!published) {
      return Step.NOTHING;
    }
    boolean warns =
        settings.afterPublishing() == AfterPublishing.WARN || settings.action() == Action.WARN;
    return warns ? Step.WARN : Step.SETTLE;
  }

  /**
   * Returns whether a held model has scored enough samples and looks worse, though perhaps by
   * chance. A newer model can then replace it.
   */
  boolean doubtful() {
    return held() && trusted == 0 && requireComparison().samples() >= settings.samples();
  }

  // ---- what is known --------------------------------------------------------------------------

  public boolean held() {
    return cycle.state() == State.HELD;
  }

  /** Returns the model that scores samples beside the newest model; null if there is none. */
  @Nullable Rival rival() {
    ServedVersion with = baseline;
    return comparison == null || with == null
        ? null
        : new Rival(with.artifact(), comparison.number(), models);
  }

  /**
   * Returns the number of the update that made the model that scores beside the newest; 0 if there
   * is none.
   */
  long comparedUpdate() {
    return comparison == null ? 0 : baselineUpdate();
  }

  /** Returns the number of the update that made the baseline; 0 if there is none. */
  long baselineUpdate() {
    ServedVersion with = baseline;
    return with == null ? 0 : with.update();
  }

  /** Returns the updates whose models are compared or served now, or can be later. */
  Set<Long> neededUpdates() {
    Set<Long> needed = new HashSet<>();
    Stream.of(baseline, inService)
        .filter(Objects::nonNull)
        .forEach(each -> needed.add(each.update()));
    return needed;
  }

  /** Returns the versions that possibly have to serve again and must not be deleted. */
  Set<Long> neededVersions() {
    ServedVersion back = baseline;
    boolean rollsBack = settings.afterPublishing() == AfterPublishing.ROLL_BACK;
    return back == null || !rollsBack ? Set.of() : Set.of(back.version());
  }

  /** Returns when the comparison first found that the version in service is to be rolled back. */
  long foundWorseMillis() {
    return requireComparison().foundWorseMillis();
  }

  private Comparison requireComparison() {
    return Objects.requireNonNull(comparison, "nothing is compared");
  }

  /** Returns the version that a rollback puts in service. */
  ServedVersion requireBaseline() {
    ServedVersion back = baseline;
    if (back == null) {
      throw new IllegalStateException("no version was published before this one");
    }
    return back;
  }

  /** Returns the version that serves now. */
  ServedVersion requireInService() {
    ServedVersion version = inService;
    if (version == null) {
      throw new IllegalStateException("no version is in service");
    }
    return version;
  }

  public Finding finding() {
    Comparison open = comparison;
    ServedVersion with = baseline;
    return open == null || with == null
        ? Finding.NONE
        : new Finding(with.version(), open.samples(), open.difference());
  }

  /** Returns the version in service, 0 before the first. */
  public long inServiceVersion() {
    ServedVersion version = inService;
    return version == null ? 0 : version.version();
  }

  /** Returns the digest of the manifest of the version in service, "" before the first. */
  String inServiceDigest() {
    ServedVersion version = inService;
    return version == null ? "" : version.digest();
  }

  /** Describes the finding of the comparison in a sentence. */
  String describe() {
    Finding found = finding();
    return "%s by %.4f than version %d on %d %s (%s)"
        .formatted(
            found.difference() > 0 ? "worse" : "better",
            Math.abs(found.difference()),
            found.baselineVersion(),
            found.samples(),
            trusted > 0 ? "trusted samples" : "samples that neither version was trained on",
            switch (settings.metric()) {
              case ACCURACY -> "accuracy";
              case LOSS -> "log loss";
              case ERROR -> "absolute error, relative";
              case SQUARED_ERROR -> "squared error, relative";
              case QUANTILE_LOSS_10 -> "quantile loss of 0.1, relative";
              case QUANTILE_LOSS_90 -> "quantile loss of 0.9, relative";
              case TRAINING_LOSS -> "training loss, relative";
            });
  }
}
