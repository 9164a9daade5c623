package io.idlalayer.jobs.learner.mixing;

import io.idlalayer.jobs.learner.publish.Finding;
import io.idlalayer.jobs.mixing.CandidateScores;
import io.idlalayer.jobs.mixing.CandidateVerdict;
import io.idlalayer.jobs.mixing.MixingMessage;
import io.idlalayer.jobs.settings.LearnerKey;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.evaluation.PrequentialScorer;
import io.idlalayer.modelcontroller.gate.GateSettings;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A learner's share in the release gate of a mixed model: scores each new mixed model on the
 * learner's own samples, sends the findings to the mixer, and reads verdicts. The operator's thread
 * calls it.
 */
public final class GateShare implements AutoCloseable {
  /** Longest wait. Longer waits are reduced to this one, so that sums of times do not overflow. */
  private static final double MOST_WAIT_MILLIS = 1e12;

  private final LearnerKey key;
  private final String incarnation;
  private final Parts parts;
  private final Consumer<MixingMessage> mixer;
  private final CandidateWatch watch;
  private final CandidateTest test;
  private long known;

  /** The findings of this learner so far about the model that it compares. */
  private Finding own = Finding.NONE;

  private @Nullable CandidateVerdict newest;

  /**
   * The parts that a learner needs to compare models.
   *
   * @param scorers creates a scorer, which is closed with the learner
   * @param waiting returns the newest samples that wait for their training, at most as many as its
   *     argument
   * @param rows rows of the table in each of the two compared models
   */
  public record Parts(
      GateSettings settings,
      Supplier<PrequentialScorer> scorers,
      IntFunction<List<Sample>> waiting,
      ComparedRows rows) {
    /** Returns the longest time in milliseconds that a mixed model waits for its comparison. */
    long waitMillis() {
      double millis = holds() ? settings.waitSeconds() * TimeUnit.SECONDS.toMillis(1) : 0;
      return Math.round(Math.min(millis, MOST_WAIT_MILLIS));
    }

    /** Returns whether mixed models are compared before they are published. */
    boolean holds() {
      return settings.action() == GateSettings.Action.HOLD;
    }
  }

  GateShare(
      LearnerKey key,
      MixedModels models,
      String incarnation,
      Executor looks,
      Parts parts,
      Consumer<MixingMessage> mixer) {
    this.key = key;
    this.incarnation = incarnation;
    this.parts = parts;
    this.mixer = mixer;
    watch = new CandidateWatch(key, models, incarnation, looks);
    test = new CandidateTest(parts.settings().metric(), parts.rows(), parts.scorers());
  }

  /** Takes a labelled sample that has just arrived. */
  void arrived(Sample sample) {
    test.arrived(sample);
  }

  /**
   * Looks for models to compare and for verdicts, and sends findings to the mixer.
   *
   * @param contribution digest of the open contribution; "" if there is none
   * @return the verdict that has refused a model with the open contribution; null if there is none
   */
  @Nullable CandidateVerdict poll(String contribution, long nowMillis) {
    boolean open = !contribution.isEmpty() || test.isOpen();
    CandidateWatch.Seen seen = watch.poll(known, open, nowMillis);
    CandidateWatch.Candidate candidate = seen.candidate();
    if (candidate != null) {
      known = candidate.round();
      own = new Finding(candidate.baselineVersion(), 0, 0);
      test.begin(candidate, parts.waiting().apply(CandidateTest.MOST_SAMPLES));
    }
    CandidateWatch.Judged judged = seen.judged();
    if (judged != null) {
      newest = judged.verdict();
      if (judged.own()) {
        test.end(judged.round());
      }
    }
    test.poll().ifPresent(this::found);
    if (judged == null || judged.verdict().passes() || contribution.isEmpty()) {
      return null;
    }
    return judged.contained().equals(contribution) ? judged.verdict() : null;
  }

  /** Returns the updates whose rows can be needed to compare models. */
  Set<Long> neededUpdates() {
    return parts.rows().needed();
  }

  private void found(CandidateTest.Found found) {
    double[] differences = found.differences();
    double sum = own.difference() * own.samples() + Arrays.stream(differences).sum();
    long samples = own.samples() + differences.length;
    own = new Finding(own.baselineVersion(), samples, samples == 0 ? 0 : sum / samples);
    mixer.accept(
        new CandidateScores(
            key.application(), key.partition(), incarnation, known, differences, found.problem()));
  }

  /** Returns whether a mixed model is being compared, also on samples of this learner. */
  boolean compares() {
    return test.isOpen();
  }

  /**
   * Returns the findings of this learner so far about the model that is being compared. While no
   * model is compared, returns the newest verdict, which is based on samples of all partitions.
   */
  Finding finding() {
    CandidateVerdict verdict = newest;
    if (test.isOpen()) {
      return own;
    }
    return verdict == null
        ? Finding.NONE
        : new Finding(verdict.baselineVersion(), verdict.samples(), verdict.difference());
  }

  /** Makes the next look begin soon, because a contribution is open now. */
  void hurry(long nowMillis) {
    watch.hurry(nowMillis);
  }

  /** Returns when to poll again. */
  long nextPollMillis(long nowMillis, long pollMillis) {
    long next = watch.nextPollMillis(nowMillis, pollMillis);
    return test.isBusy() ? Math.min(next, nowMillis + pollMillis) : next;
  }

  @Override
  public void close() {
    test.close();
  }
}
