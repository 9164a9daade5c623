package io.idlalayer.jobs.mixing;

import io.idlalayer.modelcontroller.gate.GateSettings;
import org.jspecify.annotations.Nullable;

/**
 * The mixed model of an application, from its computation to its publication: keeps the model from
 * which learners continue, the model that is tested, and the baseline, and passes the decisions of
 * {@link CandidateGate} to the {@link Mixer}. If the release gate is off, each model is published
 * without a test.
 *
 * <p>All changes that the methods make must be in durable state before the next step of the mixer
 * is carried out. Confined to one thread.
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

  /** Returns the model from which the next round continues. It is published, or will be. */
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

  /** Returns the model with which the next models are compared. */
  public Baseline baseline() {
    Baseline older = baseline;
    return older == null
        ? new Baseline(mixer.servingVersion(), state.files(), mixer.contained())
        : older;
  }

  /**
   * Restores the values that {@link #state}, {@link #candidate} and {@link #olderBaseline} returned
   * at a checkpoint.
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
        // Otherwise, if the gate is switched on again, models would be compared with a very old
        // model.
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

  /** Adds the findings of a learner about a mixed model; ignores findings that come too late. */
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
      // A model that passed only because the time was over does not become the baseline: otherwise
      // several small losses of quality in a row would not be found. But if a learner cannot
      // compare with a baseline, it never can again.
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
