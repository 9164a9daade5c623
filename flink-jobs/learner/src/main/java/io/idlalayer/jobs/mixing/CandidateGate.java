package io.idlalayer.jobs.mixing;

import io.idlalayer.modelcontroller.gate.GateSettings;
import io.idlalayer.modelcontroller.gate.ModelComparison;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a mixed model is published, by samples of all partitions on which neither the
 * mixed model nor the baseline was trained. Learners score both models; this class adds up their
 * findings. This class only decides; {@link CandidateWork} stores models and verdicts. {@link
 * Transition} is the table of its states:
 *
 * <pre>
 *         OFFER               DECIDE
 *   NEW ----------&gt; OFFERED ----------&gt; DECIDED        (OFFER again: a learner has started)
 *     \___________ FIND ________________/^             (an earlier attempt has decided)
 * </pre>
 *
 * <p>Offers and verdicts wait for each learner that took part in one of the last rounds, but not
 * longer than a round waits. So after a restart a model is stored once for all learners, and not
 * again for each learner that starts. After the time {@code wait} of the gate, the model passes
 * unless it is worse.
 *
 * <p>Scores are forgotten at a restart, because restored learners score the same samples again.
 * Confined to one thread.
 */
public final class CandidateGate {
  /** The states of a mixed model that is not published yet. */
  enum State {
    /** No learner knows of it. */
    NEW,
    /** The model is stored for learners, which score it. */
    OFFERED,
    /** There is a verdict, which must be stored unless an earlier attempt has stored it. */
    DECIDED
  }

  /** All transitions between states. */
  enum Transition {
    OFFER(EnumSet.of(State.NEW, State.OFFERED), State.OFFERED),
    /** An earlier attempt of the job has stored a verdict on the same model. */
    FIND(EnumSet.of(State.NEW, State.OFFERED), State.DECIDED),
    DECIDE(EnumSet.of(State.OFFERED), State.DECIDED);

    private final Set<State> from;
    private final State to;

    Transition(Set<State> from, State to) {
      this.from = from;
      this.to = to;
    }
  }

  /** The next step of the mixer. */
  public enum Step {
    NOTHING,
    /** Look for a verdict of an earlier attempt; without one, store the model for learners. */
    OFFER,
    /** Store the verdict. */
    RECORD
  }

  private final GateSettings settings;
  private final MixRound round;
  private final long baselineVersion;
  private final Set<Integer> expected;
  private final ModelComparison comparison;
  private final SortedMap<Integer, String> offeredTo = new TreeMap<>();
  private Map<Integer, String> offering = Map.of();
  private final Set<Integer> heard = new TreeSet<>();
  private final SortedMap<Integer, String> problems = new TreeMap<>();
  private State state = State.NEW;

  /** When this attempt of the job first saw the model; null before that. */
  private @Nullable Long seenMillis;

  private long sinceMillis;
  private @Nullable CandidateVerdict verdict;

  /**
   * @param baselineVersion version with which the model is compared
   * @param expected partitions for whose scores a verdict waits
   */
  public CandidateGate(
      GateSettings settings, MixRound round, long baselineVersion, Set<Integer> expected) {
    this.settings = settings;
    this.round = round;
    this.baselineVersion = baselineVersion;
    this.expected = Set.copyOf(expected);
    comparison = new ModelComparison(settings, 0);
  }

  private void move(Transition transition) {
    if (!transition.from.contains(state)) {
      throw new IllegalStateException(
          "a mixed model cannot %s while it is %s".formatted(transition, state));
    }
    state = transition.to;
  }

  /**
   * Returns the next step. Further calls return the same step until it is done.
   *
   * @param incarnations the present incarnation of each learner that has started
   * @param nowMillis milliseconds of a clock that is never set back
   */
  public Step look(Map<Integer, String> incarnations, long nowMillis) {
    if (state == State.NEW) {
      Long seen = seenMillis;
      if (seen == null) {
        seen = nowMillis;
        seenMillis = seen;
      }
      boolean all = incarnations.keySet().containsAll(expected);
      return all || nowMillis - seen >= round.waitMillis() ? Step.OFFER : Step.NOTHING;
    }
    if (state == State.OFFERED) {
      CandidateVerdict found = judge(nowMillis);
      if (found != null) {
        move(Transition.DECIDE);
        verdict = found;
      } else if (!offeredTo.equals(incarnations)) {
        return Step.OFFER;
      }
    }
    return state == State.DECIDED ? Step.RECORD : Step.NOTHING;
  }

  private @Nullable CandidateVerdict judge(long nowMillis) {
    long sinceOffer = nowMillis - sinceMillis;
    boolean over = sinceOffer >= waitMillis();
    if (!over && !heard.containsAll(expected) && sinceOffer < round.waitMillis()) {
      return null;
    }
    return switch (comparison.verdict()) {
      case WORSE -> verdict(CandidateVerdict.Outcome.WORSE);
      case GOOD -> verdict(CandidateVerdict.Outcome.GOOD);
      case OPEN, DOUBTFUL -> over ? verdict(CandidateVerdict.Outcome.UNDECIDED) : null;
    };
  }

  private CandidateVerdict verdict(CandidateVerdict.Outcome outcome) {
    return new CandidateVerdict(
        outcome,
        baselineVersion,
        comparison.samples(),
        comparison.difference(),
        List.copyOf(problems.values()));
  }

  private long waitMillis() {
    return Math.round(settings.waitSeconds() * 1e3);
  }

  /**
   * Records that the model is being stored for learners. Learners can send scores before the
   * storing has ended.
   *
   * @param incarnations the incarnations that are allowed to score the model
   */
  public void offering(Map<Integer, String> incarnations) {
    offering = Map.copyOf(incarnations);
  }

  /**
   * Records that the model is stored for learners.
   *
   * @param incarnations the incarnations that are allowed to score the model
   */
  public void offered(Map<Integer, String> incarnations, long nowMillis) {
    if (state == State.NEW) {
      sinceMillis = nowMillis;
    }
    move(Transition.OFFER);
    offeredTo.clear();
    offeredTo.putAll(incarnations);
  }

  /** Records that an earlier attempt of the job has decided. */
  public void found(CandidateVerdict earlier) {
    move(Transition.FIND);
    verdict = earlier;
  }

  /**
   * Adds the findings of a learner; ignores findings about another model or from an earlier start
   * of the learner.
   */
  public void receive(CandidateScores scores) {
    int partition = scores.partition();
    boolean asked =
        scores.incarnation().equals(offeredTo.get(partition))
            || scores.incarnation().equals(offering.get(partition));
    if (state == State.DECIDED || scores.round() != round.number() || !asked) {
      return;
    }
    heard.add(scores.partition());
    if (!scores.problem().isEmpty()) {
      problems.put(partition, "partition %d %s".formatted(partition, scores.problem()));
    }
    for (double each : scores.differences()) {
      comparison.add(each);
    }
  }

  /** Returns the verdict. */
  public CandidateVerdict verdict() {
    CandidateVerdict known = verdict;
    if (known == null) {
      throw new IllegalStateException("there is no verdict yet");
    }
    return known;
  }

  /** Returns when to look again, at the latest, if nothing is received before. */
  public long nextLookMillis(long nowMillis) {
    if (state == State.NEW && seenMillis != null) {
      return Math.max(nowMillis, seenMillis + round.waitMillis());
    }
    if (state != State.OFFERED) {
      return nowMillis;
    }
    long sinceOffer = nowMillis - sinceMillis;
    long over = waitMillis() - sinceOffer;
    long straggler = round.waitMillis() - sinceOffer;
    long next = straggler > 0 ? Math.min(straggler, over) : over;
    return next > Long.MAX_VALUE - nowMillis ? Long.MAX_VALUE : nowMillis + next;
  }
}
