package io.idlalayer.jobs.learner;

import io.idlalayer.modelcontroller.evaluation.Rival;
import io.idlalayer.modelcontroller.gate.GateSettings;
import io.idlalayer.modelcontroller.gate.GateSettings.Action;
import io.idlalayer.modelcontroller.gate.GateSettings.AfterPublishing;
import io.idlalayer.modelcontroller.gate.ModelComparison;
import io.idlalayer.modelcontroller.gate.ModelComparison.Verdict;
import io.idlalayer.modelcontroller.quality.ScoredBatch;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Compares each new model with a published one, the baseline, and says what is to happen; {@link
 * UpdatePipeline} does it. Both models score the samples that arrive after the new one was fired,
 * so neither has trained on them; or trusted samples, all of them for each model.
 *
 * <p>The baseline is the last version that was found good, and scored itself. With {@link
 * Action#HOLD} each new model is compared anew, before it is published. Otherwise models are
 * published at once, and often replaced before enough samples have come; the comparison then goes
 * on with the next one, until one of them is as good as the baseline, which then gives way to it.
 *
 * <p>What was compared is forgotten at a restart. Confined to one thread.
 */
final class ReleaseGate {
  private static final long RETRY_MILLIS = 1_000;
  private static final long NEVER = Long.MIN_VALUE;

  private final GateSettings settings;
  private int trusted;
  private boolean comparesNothing;
  private @Nullable ServedVersion baseline;
  private @Nullable ServedVersion inService;
  private @Nullable ModelComparison comparison;
  private long comparisons;

  /** Number of the model that was accepted last. */
  private long models;

  /** Number of the model of the version in service. */
  private long modelInService;

  /** Number of the last model that scored samples in this comparison. */
  private long modelScored = NEVER;

  private boolean held;
  private boolean newestServes = true;
  private long heldSinceMillis;

  /** Whether samples were compared since the last look. */
  private boolean scored;

  private boolean opened;

  /**
   * Whether the version in service is among those that are compared: the newest model, or one
   * before it that the comparison began with. Not while the first of them is still to be published.
   */
  private boolean servesCompared;

  private boolean told;
  private boolean failureTold;
  private long retryAtMillis;

  /** When {@link Step#ROLL_BACK} was said first of what is to be rolled back; NEVER if not yet. */
  private long foundWorseMillis = NEVER;

  /**
   * @param trusted how many trusted samples models are compared on; 0 for those that arrive
   */
  ReleaseGate(GateSettings settings, int trusted) {
    this.settings = settings;
    this.trusted = trusted;
  }

  /** The trusted samples cannot be read: models are let through until {@link #trust}. */
  void comparesNothing() {
    comparesNothing = true;
  }

  /**
   * The trusted samples could be read at last; the next model is compared on them.
   *
   * @param samples how many there are
   */
  void trust(int samples) {
    trusted = samples;
    comparesNothing = false;
  }

  /** What is to happen now. */
  enum Step {
    NOTHING,
    /** The model that is held is published. */
    RELEASE,
    /** The same, and people are told that it could not be compared on all trusted samples. */
    RELEASE_UNCOMPARED,
    /** The model that is held is worse and is not published. */
    REFUSE,
    /** The newest model is worse, and people are told. */
    WARN,
    /** The version in service is worse, and the baseline serves again. */
    ROLL_BACK
  }

  /**
   * What was found so far.
   *
   * @param baselineVersion what the model is compared with, 0 for nothing
   * @param samples compared
   * @param difference how much worse the model is, in units of the metric
   */
  record Finding(long baselineVersion, long samples, double difference) {
    static final Finding NONE = new Finding(0, 0, 0);
  }

  /** Whether versions are compared at all, so that it must be known what is in service. */
  boolean compares() {
    return settings.compares();
  }

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
   * A model is accepted.
   *
   * @return whether it is held back until {@link #look} says more
   */
  boolean accepted(long nowMillis) {
    if (!settings.compares() || comparesNothing || baseline == null) {
      return false;
    }
    ModelComparison before = comparison;
    boolean good = before != null && before.verdict() == Verdict.GOOD;
    // What was found good may be the models before it, where scoring is slower than updates.
    if (good && modelScored >= modelInService) {
      baseline = inService;
    }
    models++;
    // A comparison on trusted samples that goes on does so with the new model, or it would never
    // end where updates follow faster than the samples are scored.
    boolean decided = before != null && trusted > 0 && before.verdict() != Verdict.OPEN;
    opened = before == null || good || told || decided || settings.action() == Action.HOLD;
    if (opened) {
      open();
    }
    held = settings.action() == Action.HOLD;
    heldSinceMillis = nowMillis;
    return held;
  }

  /** Begins to compare the model that was accepted last, of which nothing is known yet. */
  private void open() {
    comparison = new ModelComparison(settings, trusted);
    comparisons++;
    modelScored = NEVER;
    servesCompared = false;
    told = false;
    failureTold = false;
    foundWorseMillis = NEVER;
  }

  /** The model that scores beside the newest, null for none. */
  @Nullable Rival rival() {
    ServedVersion with = baseline;
    return comparison == null || with == null
        ? null
        : new Rival(with.artifact(), comparisons, models);
  }

  /**
   * Whether the model that was accepted last began a comparison, so that samples that wait may be
   * compared too. In one that goes on they were compared before.
   */
  boolean opened() {
    return opened && comparison != null;
  }

  /** Number of the update that made the model that scores beside the newest; 0 for none. */
  long comparedUpdate() {
    return comparison == null ? 0 : baselineUpdate();
  }

  /** Updates whose models are compared or served, or may be later. */
  Set<Long> neededUpdates() {
    Set<Long> needed = new HashSet<>();
    for (ServedVersion each : new ServedVersion[] {baseline, inService}) {
      if (each != null) {
        needed.add(each.update());
      }
    }
    return needed;
  }

  /**
   * Ends a comparison whose baseline cannot score any more; a model that is held is let through.
   *
   * @param scores whether the model of an update can
   * @return whether it has ended
   */
  boolean endUnless(LongPredicate scores) {
    if (baseline == null || scores.test(baseline.update())) {
      return false;
    }
    baseline = inService != null && scores.test(inService.update()) ? inService : null;
    comparison = null;
    return true;
  }

  /** Number of the update that made the version to compare with; 0 for none. */
  long baselineUpdate() {
    ServedVersion with = baseline;
    return with == null ? 0 : with.update();
  }

  /** Takes a batch that came back from the scorer. */
  void add(ScoredBatch batch) {
    ModelComparison open = comparison;
    ScoredBatch.Rival rival = batch.rival();
    if (open != null && rival != null && rival.comparison() == comparisons) {
      open.add(batch);
      modelScored = rival.model();
      scored = true;
    }
  }

  /**
   * What is to happen now; each step is said once.
   *
   * @param published whether the newest model is published
   */
  Step look(long nowMillis, boolean published) {
    ModelComparison open = comparison;
    if (open == null) {
      Step step = held ? Step.RELEASE : Step.NOTHING;
      held = false;
      return step;
    }
    Verdict verdict = open.verdict();
    if (held) {
      return lookAtHeld(verdict, nowMillis);
    }
    if (verdict != Verdict.WORSE || told || nowMillis < retryAtMillis) {
      return Step.NOTHING;
    }
    if (settings.afterPublishing() == AfterPublishing.ROLL_BACK) {
      // Not when the newest model is published: that takes long where the medium is slow.
      return servesCompared ? rollBack(nowMillis) : Step.NOTHING;
    }
    if (!published) {
      return Step.NOTHING;
    }
    told = true;
    boolean warns =
        settings.afterPublishing() == AfterPublishing.WARN || settings.action() == Action.WARN;
    return warns ? Step.WARN : Step.NOTHING;
  }

  private Step rollBack(long nowMillis) {
    if (foundWorseMillis == NEVER) {
      foundWorseMillis = nowMillis;
    }
    return Step.ROLL_BACK;
  }

  private Step lookAtHeld(Verdict verdict, long nowMillis) {
    if (trusted > 0 && scored) {
      // All that has to be waited for is the scorer, and that is at work.
      heldSinceMillis = nowMillis;
    }
    scored = false;
    if (verdict == Verdict.OPEN && !waitedEnough(nowMillis)) {
      return Step.NOTHING;
    }
    held = false;
    if (verdict == Verdict.OPEN && trusted > 0) {
      return Step.RELEASE_UNCOMPARED;
    }
    return verdict == Verdict.WORSE ? Step.REFUSE : Step.RELEASE;
  }

  private boolean waitedEnough(long nowMillis) {
    double waitedSeconds = (nowMillis - heldSinceMillis) / (double) TimeUnit.SECONDS.toMillis(1);
    return waitedSeconds >= settings.waitSeconds();
  }

  /**
   * Whether a model that is held has had its samples and looks worse, though that may be chance: a
   * newer one may take its place.
   */
  boolean doubtful() {
    ModelComparison open = comparison;
    return held && trusted == 0 && open != null && open.samples() >= settings.samples();
  }

  /** A version is published and in service. */
  void published(ServedVersion version) {
    if (!settings.compares()) {
      return;
    }
    inService = version;
    modelInService = models;
    newestServes = true;
    servesCompared = comparison != null;
    if (baseline == null) {
      baseline = version;
    }
  }

  /** The held model was refused; the version in service serves on. */
  void refused() {
    newestServes = false;
    comparison = null;
  }

  /** The restored model does not serve any more; what serves was {@linkplain #restored found}. */
  void gaveUpNewest() {
    newestServes = false;
  }

  /**
   * The baseline serves again, in place of the newest version or of one before a newer model that
   * is on its way to those who serve, or there already. That one is compared anew, unless it is to
   * be given up with the version that it was made from: then {@link #look} says so when it serves.
   *
   * @param left the version that was worse
   * @param newer whether a newer model was accepted
   */
  void rolledBack(ServedVersion left, boolean newer) {
    foundWorseMillis = NEVER;
    boolean newerServes = inServiceVersion() != left.version();
    if (!newerServes) {
      inService = baseline;
    }
    if (!newer) {
      newestServes = false;
      comparison = null;
      return;
    }
    goOnWithNewer(newerServes);
  }

  private void goOnWithNewer(boolean newerServes) {
    if (!continuesInService()) {
      opened = true;
      open();
    }
    servesCompared = newerServes;
  }

  /**
   * People have left a version that was worse for another one than the baseline, while a newer
   * model is on its way to those who serve, or there already. With that one it is as if {@linkplain
   * #rolledBack the baseline served}.
   */
  void leftByPeople(ServedVersion left) {
    foundWorseMillis = NEVER;
    told = false;
    failureTold = false;
    goOnWithNewer(inServiceVersion() != left.version());
  }

  /**
   * People have put an older version in service.
   *
   * @param comparable whether the next model can be compared with it
   */
  void rolledBackByPeople(ServedVersion to, boolean comparable) {
    newestServes = false;
    inService = to;
    baseline = comparable ? to : null;
    comparison = null;
  }

  /** People let the newest version serve again. */
  void unpinned(ServedVersion newest) {
    newestServes = true;
    inService = newest;
    modelInService = models;
  }

  /**
   * The baseline could not be put in service.
   *
   * @param forGood whether that will be so; else {@link #look} says it again later
   * @return whether people are to be told, once for each comparison
   */
  boolean rollBackFailed(boolean forGood, long nowMillis) {
    told = forGood;
    retryAtMillis = nowMillis + RETRY_MILLIS;
    boolean first = !failureTold;
    failureTold = true;
    return first;
  }

  /** When {@link #look} first said {@link Step#ROLL_BACK} of what is rolled back now. */
  long foundWorseMillis() {
    if (foundWorseMillis == NEVER) {
      throw new IllegalStateException("nothing is to be rolled back");
    }
    return foundWorseMillis;
  }

  /** Versions that may have to serve again, which must not be deleted. */
  Set<Long> neededVersions() {
    ServedVersion back = baseline;
    boolean rollsBack = settings.afterPublishing() == AfterPublishing.ROLL_BACK;
    return back == null || !rollsBack ? Set.of() : Set.of(back.version());
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

  /** Whether the next update trains from the version in service after a refusal or a rollback. */
  boolean continuesInService() {
    return settings.continueFrom() == GateSettings.ContinueFrom.IN_SERVICE;
  }

  Finding finding() {
    ModelComparison open = comparison;
    ServedVersion with = baseline;
    return open == null || with == null
        ? Finding.NONE
        : new Finding(with.version(), open.samples(), open.difference());
  }

  /** Version in service, 0 before the first. */
  long inServiceVersion() {
    ServedVersion version = inService;
    return version == null ? 0 : version.version();
  }

  /** Digest of the manifest of the version in service, "" before the first. */
  String inServiceDigest() {
    ServedVersion version = inService;
    return version == null ? "" : version.digest();
  }

  /** Whether the model that was accepted last serves, or is going to; not if it was worse. */
  boolean newestServes() {
    return newestServes;
  }

  boolean held() {
    return held;
  }

  /** What was found, for people. */
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
