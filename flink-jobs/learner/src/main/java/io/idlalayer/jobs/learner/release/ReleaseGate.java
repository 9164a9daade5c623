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
 * Compares each new model with a published one, the baseline, and says what is to happen; {@link
 * Release} does it. Both models score the samples that arrive after the new one was fired, so
 * neither has trained on them; or trusted samples, all of them for each model. Where the newest
 * model stands is in {@link ReleaseCycle}.
 *
 * <p>The baseline is the last version that was found good, and scored itself. With {@link
 * Action#HOLD} each new model is compared anew, before it is published. Otherwise models are
 * published at once, and often replaced before enough samples have come; the comparison then goes
 * on with the next one, until one of them is as good as the baseline, which then gives way to it.
 *
 * <p>What was compared is forgotten at a restart. Confined to one thread.
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

  /** Batches that were compared, and how many of them at the last look at a held model. */
  private long batches;

  private long batchesSeen;

  private long retryAtMillis;

  /**
   * @param trusted how many trusted samples models are compared on; 0 for those that arrive
   */
  public ReleaseGate(GateSettings settings, int trusted) {
    this.settings = settings;
    this.trusted = trusted;
  }

  /**
   * The trusted samples could be read at last; the next model is compared on them.
   *
   * @param samples how many there are
   */
  void trust(int samples) {
    trusted = samples;
  }

  /** What is to happen now. */
  enum Step {
    NOTHING,
    /** The model that is held is published. */
    RELEASE,
    /** Release the model, and report that it could not be compared on all trusted samples. */
    RELEASE_UNCOMPARED,
    /** The model that is held is worse and is not published. */
    REFUSE,
    /** The newest model is worse, and people are told. */
    WARN,
    /**
     * The comparison ends with the newest model worse; the settings ask for no roll-back and no
     * warning.
     */
    SETTLE,
    /** The version in service is worse, and the baseline serves again. */
    ROLL_BACK
  }

  /** Where the newest model stands. */
  State state() {
    return cycle.state();
  }

  /** The pin that is being set; null if none is. */
  @Nullable RollBack rollBack() {
    return cycle.rollBack();
  }

  /** Whether versions are compared at all, so that it must be known what is in service. */
  public boolean compares() {
    return settings.compares();
  }

  /** Whether the next update trains from the version in service after a refusal or a rollback. */
  boolean continuesInService() {
    return settings.continueFrom() == GateSettings.ContinueFrom.IN_SERVICE;
  }

  // ---- what happens ---------------------------------------------------------------------------

  /**
   * What is in service was found at a start.
   *
   * @param ofThisLineage whether the restored model is it, or was made from it. Another version may
   *     have trained on what comes now, so nothing is compared with it
   */
  void restored(ServedVersion found, boolean ofThisLineage) {
    inService = found;
    baseline = ofThisLineage ? found : null;
  }

  /**
   * The restored model does not serve any more; what serves was {@linkplain #restored found}.
   *
   * @param how {@code FIND} or {@code CONTINUE}
   */
  void gaveUpNewest(Transition how) {
    cycle.move(how);
  }

  /**
   * A model is accepted.
   *
   * @return whether it is held back until {@link #look} says more
   */
  boolean accepted(long nowMillis) {
    if (!settings.compares() || baseline == null) {
      return false;
    }
    Comparison before = comparison;
    // What was found good may be the models before it, where scoring is slower than updates.
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
   * Whether a comparison ends with the next model. One on trusted samples that is open goes on, or
   * it would never end where updates follow faster than the samples are scored.
   */
  private boolean isOver(Comparison before) {
    Verdict verdict = before.verdict();
    return verdict == Verdict.GOOD
        || cycle.state() == State.SETTLED
        || (trusted > 0 && verdict != Verdict.OPEN);
  }

  /** Begins to compare the model that was accepted last, of which nothing is known yet. */
  private void open() {
    comparisons++;
    comparison = new Comparison(comparisons, settings, trusted);
    begun = true;
  }

  /**
   * Whether a comparison has begun since the last call, so that samples that wait may be compared
   * too. In one that goes on they were compared before.
   */
  boolean takeBegun() {
    boolean was = begun && comparison != null;
    begun = false;
    return was;
  }

  /**
   * Forgets a baseline that cannot score any more, and what was compared with it.
   *
   * @param scores whether the model of an update can
   * @return whether that is so; {@link #ended} then is to be said
   */
  boolean endUnless(LongPredicate scores) {
    if (baseline == null || scores.test(baseline.update())) {
      return false;
    }
    baseline = inService != null && scores.test(inService.update()) ? inService : null;
    comparison = null;
    return true;
  }

  /** Nothing is compared any more; a model that was held is let through. */
  void ended() {
    if (cycle.state() != State.QUIET && cycle.state() != State.GIVEN_UP) {
      cycle.move(Transition.END);
    }
  }

  /** Takes a batch that came back from the scorer. */
  void add(ScoredBatch batch) {
    Comparison open = comparison;
    if (open != null && open.add(batch)) {
      batches++;
    }
  }

  /** The model that was held is let through. */
  void released() {
    cycle.move(Transition.RELEASE);
  }

  /** The held model is refused; the version in service serves on. */
  void refuses() {
    cycle.move(Transition.REFUSE);
  }

  /** That was said and done, so what was found is of no use any more. */
  void refused() {
    comparison = null;
  }

  /** A version is published and in service. */
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

  /** It was found, and said where that is wanted, that the newest model is worse. */
  void told() {
    cycle.move(Transition.TELL);
  }

  /** The baseline is being put in service. */
  void pins(RollBack begun) {
    cycle.pin(begun);
  }

  /** The baseline serves again, in place of the newest version. */
  void rolledBack() {
    cycle.move(Transition.ROLL_BACK);
    inService = baseline;
    comparison = null;
  }

  /**
   * The baseline has taken the place of a version, and a newer model is on its way to those who
   * serve, or has taken it already. That one is compared anew, unless it is to be given up with the
   * version that it was made from: then {@link #look} says so when it serves.
   *
   * @param how {@code ROLL_BACK_OLDER} or {@code OVERTAKE}
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

  /** Whether a rollback of what is compared has failed before, so that people know. */
  boolean failedBefore() {
    return requireComparison().hasFailed();
  }

  /**
   * The baseline could not be put in service. If people have left the version for another one,
   * while a newer model is on its way or serves already, that one is compared as after a rollback.
   *
   * @param how {@code RETRY_PIN}, {@code GIVE_UP_PIN}, {@code YIELD} or {@code YIELD_TO_NEWER}
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
   * People have put an older version in service.
   *
   * @param comparable whether the next model can be compared with it
   */
  void followedPeople(ServedVersion to, boolean comparable) {
    cycle.move(Transition.FOLLOW_PEOPLE);
    inService = to;
    baseline = comparable ? to : null;
    comparison = null;
  }

  /** People let the newest version serve again. */
  void unpinned(ServedVersion newest) {
    if (cycle.state() == State.GIVEN_UP) {
      cycle.move(Transition.UNPIN);
    }
    inService = newest;
    modelInService = models;
  }

  // ---- what is to happen ----------------------------------------------------------------------

  /**
   * What is to happen now. It is said again until it has happened.
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
      // All that has to be waited for is the scorer, and that is at work.
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
      // Not when the newest model is published: that takes long where the medium is slow.
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
   * Whether a model that is held has had its samples and looks worse, though that may be chance: a
   * newer one may take its place.
   */
  boolean doubtful() {
    return held() && trusted == 0 && requireComparison().samples() >= settings.samples();
  }

  // ---- what is known --------------------------------------------------------------------------

  public boolean held() {
    return cycle.state() == State.HELD;
  }

  /** The model that scores beside the newest, null for none. */
  @Nullable Rival rival() {
    ServedVersion with = baseline;
    return comparison == null || with == null
        ? null
        : new Rival(with.artifact(), comparison.number(), models);
  }

  /** Number of the update that made the model that scores beside the newest; 0 for none. */
  long comparedUpdate() {
    return comparison == null ? 0 : baselineUpdate();
  }

  /** Number of the update that made the version to compare with; 0 for none. */
  long baselineUpdate() {
    ServedVersion with = baseline;
    return with == null ? 0 : with.update();
  }

  /** Updates whose models are compared or served, or may be later. */
  Set<Long> neededUpdates() {
    Set<Long> needed = new HashSet<>();
    Stream.of(baseline, inService)
        .filter(Objects::nonNull)
        .forEach(each -> needed.add(each.update()));
    return needed;
  }

  /** Versions that may have to serve again, which must not be deleted. */
  Set<Long> neededVersions() {
    ServedVersion back = baseline;
    boolean rollsBack = settings.afterPublishing() == AfterPublishing.ROLL_BACK;
    return back == null || !rollsBack ? Set.of() : Set.of(back.version());
  }

  /** When it was found first that the version in service is to be rolled back. */
  long foundWorseMillis() {
    return requireComparison().foundWorseMillis();
  }

  private Comparison requireComparison() {
    return Objects.requireNonNull(comparison, "nothing is compared");
  }

  /** The version to go back to. */
  ServedVersion requireBaseline() {
    ServedVersion back = baseline;
    if (back == null) {
      throw new IllegalStateException("no version was published before this one");
    }
    return back;
  }

  /** The version in service. */
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

  /** Version in service, 0 before the first. */
  public long inServiceVersion() {
    ServedVersion version = inService;
    return version == null ? 0 : version.version();
  }

  /** Digest of the manifest of the version in service, "" before the first. */
  String inServiceDigest() {
    ServedVersion version = inService;
    return version == null ? "" : version.digest();
  }

  /** Returns the finding as a readable sentence. */
  String describe() {
    Finding found = finding();
    return "%s by %.4f than version %d on %d %s (%s)"
        .formatted(
            found.difference() > 0 ? "worse" : "better",
            Math.abs(found.difference()),
            found.baselineVersion(),
            found.samples(),
            trusted > 0 ? "trusted samples" : "samples that neither trained on",
            switch (settings.metric()) {
              case ACCURACY -> "accuracy";
              case LOSS -> "log loss";
              case ERROR -> "absolute error, relative";
            });
  }
}
