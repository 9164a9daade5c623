package io.idlalayer.jobs.mixing;

import io.idlalayer.modelcontroller.gate.GateSettings;
import org.jspecify.annotations.Nullable;

/**
 * The mixed model of an application, from its computation to its publication: keeps the model that
 * learners go on from, the one that is tested and the baseline, and carries out what {@link
 * CandidateGate} decides on the {@link Mixer}. With a release gate that is off, a model is
 * published as it was computed.
 *
 * <p>What the methods change must be in durable state before the next step of the mixer is carried
 * out. Confined to one thread.
 */
public final class MixRelease {
  private final GateSettings settings;
  private final Mixer mixer;
  private MixState state = MixState.NOTHING;
  private @Nullable MixState candidate;
  private @Nullable Baseline baseline;
  private @Nullable CandidateGate gate;

  public MixRelease(GateSettings settings, Mixer mixer) {
    this.settings = settings;
    this.mixer = mixer;
  }

  /** Returns the model that the next round continues; the one that is published, or will be. */
  public MixState state() {
    return state;
  }

  /** Returns the model that is tested; null if none is. */
  public @Nullable MixState candidate() {
    return candidate;
  }

  /** Returns the baseline, unless it is the model of {@link #state}. */
  public @Nullable Baseline olderBaseline() {
    return baseline;
  }

  /** Returns the model that the next ones are compared with. */
  public Baseline baseline() {
    Baseline older = baseline;
    return older == null
        ? new Baseline(mixer.servingVersion(), state.files(), mixer.contained())
        : older;
  }

  /**
   * Takes what {@link #state}, {@link #candidate} and {@link #olderBaseline} returned at a
   * checkpoint.
   */
  public void restore(
      MixState restored, @Nullable MixState tested, @Nullable Baseline olderBaseline) {
    state = restored;
    candidate = tested;
    baseline = olderBaseline;
    gate = null;
  }

  /** Records that the model of the fired round is computed. */
  public void computed(MixWork.Computed computed, long nowMillis) {
    if (!computed.state().present()) {
      mixer.givenUp(nowMillis);
      return;
    }
    mixer.unread(computed.unread());
    boolean tests =
        settings.action() == GateSettings.Action.HOLD
            && state.present()
            && !computed.contained().isEmpty();
    if (tests) {
      candidate = computed.state();
      mixer.tests(computed.contained());
    } else {
      if (settings.action() != GateSettings.Action.HOLD) {
        // Else a gate that is switched on again would compare with a model of long ago.
        baseline = null;
      }
      state = computed.state();
      mixer.computed(computed.contained());
    }
  }

  /** Returns the gate of the model that is tested. */
  public CandidateGate gate() {
    CandidateGate open = gate;
    if (open == null) {
      MixRound round = mixer.fired();
      if (mixer.state() != Mixer.State.TESTING || round == null) {
        throw new IllegalStateException("no mixed model is tested");
      }
      open = new CandidateGate(settings, round, baseline().version(), mixer.recentContributors());
      gate = open;
    }
    return open;
  }

  /** Takes what a learner has found of a mixed model; ignores what comes too late. */
  public void receive(CandidateScores scores) {
    CandidateGate open = gate;
    if (open != null) {
      open.receive(scores);
    }
  }

  /**
   * Carries out the verdict on the tested model. The verdict must be stored.
   *
   * @return the verdict
   */
  public CandidateVerdict decide(long nowMillis) {
    CandidateVerdict verdict = gate().verdict();
    MixState tested = candidate;
    if (tested == null) {
      throw new IllegalStateException("the tested model is missing");
    }
    if (verdict.passes()) {
      // A model that only the time let pass is no baseline: several small steps for the worse
      // would not be found together. But a learner that cannot compare with a baseline never can
      // again.
      boolean replaced =
          verdict.outcome() == CandidateVerdict.Outcome.GOOD || !verdict.problems().isEmpty();
      baseline = replaced ? null : baseline();
      state = tested.noting(verdict.problems());
      mixer.passed(verdict);
    } else {
      mixer.refused(nowMillis);
    }
    candidate = null;
    gate = null;
    return verdict;
  }
}
